import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';

const KEY = '0123456789abcdef'.repeat(4);
const refused = expect.objectContaining({ code: 'invalid_secrets_key' }) as Error;

describe('a secret box', () => {
  it('opens what it sealed, and seals nothing twice alike', () => {
    const box = SecretBox.fromHex(KEY);
    const sealed = box.seal('whsec_secret', 'ep_a');
    expect(box.open(sealed, 'ep_a')).toBe('whsec_secret');
    expect(SecretBox.fromHex(KEY.toUpperCase()).open(sealed, 'ep_a')).toBe('whsec_secret');
    expect(Buffer.from(sealed).includes('whsec_secret')).toBe(false);
    expect(box.seal('whsec_secret', 'ep_a')).not.toEqual(sealed);
  });

  it('opens nothing that another key, or another endpoint, or a changed bit made', () => {
    const box = SecretBox.fromHex(KEY);
    const sealed = box.seal('whsec_secret', 'ep_a');
    expect(() => SecretBox.fromHex('00'.repeat(32)).open(sealed, 'ep_a')).toThrow(refused);
    expect(() => box.open(sealed, 'ep_b')).toThrow(refused);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed);
      changed[at]! ^= 1;
      expect(() => box.open(changed, 'ep_a'), `byte ${at}`).toThrow(refused);
    }
    for (const length of [0, 11, 27, sealed.length - 1]) {
      expect(() => box.open(sealed.subarray(0, length), 'ep_a')).toThrow(refused);
    }
  });

  it('of several keys opens what any of them sealed, and seals with the first', () => {
    const [before, after] = [SecretBox.fromHex('00'.repeat(32)), SecretBox.fromHex(KEY)];
    const both = SecretBox.fromHex(`${KEY},${'00'.repeat(32)}`);
    for (const box of [before, after, both]) expect(both.open(box.seal('whsec_x', 'ep_a'), 'ep_a')).toBe('whsec_x');
    const sealed = both.seal('whsec_x', 'ep_a');
    expect(after.open(sealed, 'ep_a')).toBe('whsec_x');
    expect(() => before.open(sealed, 'ep_a')).toThrow(refused);
    expect(() => both.open(sealed, 'ep_b')).toThrow(refused);
  });

  it.each([
    `${KEY},`,
    `,${KEY}`,
    `${KEY}, ${KEY}`,
    undefined,
    '',
    'ab',
    KEY.slice(1),
    `${KEY}00`,
    `${KEY.slice(1)}g`,
    ` ${KEY}`,
  ])('is not made of %j', (hex) => {
    expect(() => SecretBox.fromHex(hex)).toThrow(refused);
    try {
      SecretBox.fromHex(hex);
    } catch (error) {
      expect((error as Error).message).toContain('openssl rand -hex 32');
      if (hex !== undefined && hex.length > 10) expect((error as Error).message).not.toContain(hex);
    }
  });

  it.each([`${KEY}\n`, ` ${KEY}`, `${KEY},${KEY}\r\n`])('says that %j has white space around it', (hex) => {
    expect(() => SecretBox.fromHex(hex)).toThrow(/GAZETTE_SECRETS_KEY.*white space around/);
  });

  it('shows nothing of its key', () => {
    const box = SecretBox.fromHex(KEY);
    expect(inspect(box, { showHidden: true, depth: 9 }) + JSON.stringify(box)).not.toContain(KEY.slice(0, 16));
  });
});

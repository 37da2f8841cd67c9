import { describe, expect, it } from 'vitest';
import { type ErrorDetails, isGazetteError } from '../../../src/errors.ts';
import type { WebhookHeaders } from '../../../src/webhooks/receive/delivery-rules.ts';
import { verifyWebhook } from '../../../src/webhooks/verify.ts';
import { sign } from '../../../src/webhooks/signature.ts';
import { delivery, SECRET } from '../send/deliveries.ts';

const NOW = 1_776_586_365;
const now = (): number => NOW * 1000;
const { body, headers } = delivery('evt_1', NOW);

/** What the call was refused with. Anything but a coded error fails the test. */
async function refusal(call: () => unknown): Promise<{ code: string; details: ErrorDetails; message: string }> {
  try {
    await call();
  } catch (error) {
    if (!isGazetteError(error)) throw error;
    return error;
  }
  throw new Error('it was accepted');
}

describe('verifyWebhook', () => {
  it('returns the event of a good delivery', async () => {
    expect(await verifyWebhook(body, headers, SECRET, { now })).toEqual({
      id: 'evt_1',
      type: 'endpoint.test',
      created_at: '2026-04-19T08:12:45Z',
    });
  });

  it.each<[string, WebhookHeaders]>([
    ['the web’s Headers', new Headers(headers)],
    ['Node’s headers with others among them', { ...headers, host: 'example.org', 'set-cookie': ['a', 'b'] }],
    ['a plain object in the specification’s case', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))],
    ['lists with one value', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['an object without a prototype', Object.assign(Object.create(null) as object, headers)],
  ])('takes %s', async (_, given) => {
    expect((await verifyWebhook(body, given, SECRET, { now })).id).toBe('evt_1');
  }); // prettier-ignore

  it('takes bytes that are a part of a larger buffer', async () => {
    const larger = new Uint8Array([1, 2, ...body, 3]);
    expect((await verifyWebhook(larger.subarray(2, 2 + body.length), headers, SECRET, { now })).id).toBe('evt_1');
  });

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => ArrayBuffer | ArrayBufferView<ArrayBuffer>]>([
    ['an ArrayBuffer', ({ buffer }) => buffer],
    ['a view of all of it', ({ buffer }) => new DataView(buffer)],
    ['a view of a part', ({ buffer, length }) => new DataView(new Uint8Array([1, ...new Uint8Array(buffer), 2]).buffer, 1, length)],
    ['a view of another unit', ({ buffer }) => new Int8Array(buffer)],
    ['a Buffer', (bytes) => Buffer.from(bytes)],
  ])('takes %s', async (_, as) => {
    expect((await verifyWebhook(as(new Uint8Array(body)), headers, SECRET, { now })).id).toBe('evt_1');
  }); // prettier-ignore

  it.each([`${SECRET}\n`, ` ${SECRET}`, `${SECRET}\r\n`, `\ufeff${SECRET}`])(
    'refuses the secret %j as one with white space around it, and does not show it',
    async (secret) => {
      for (const given of [secret, [SECRET, secret]]) {
        const error = await refusal(() => verifyWebhook(body, headers, given, { now }));
        expect(error).toMatchObject({ code: 'invalid_option', details: { option: 'secret' } });
        expect(error.message).toMatch(/white space around/);
        expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET.slice(6));
      }
    },
  );

  const signature = headers['x-register-signature'];
  it.each<[string, WebhookHeaders, string, string]>([
    ['no signature', { 'x-register-event': 'evt_1' }, 'invalid_signature', 'missing'],
    ['two signatures', { ...headers, 'X-Register-Signature': signature }, 'invalid_signature', 'malformed'],
    ['two signatures in a list', { ...headers, 'x-register-signature': [signature, signature] }, 'invalid_signature', 'malformed'],
    ['a signature that is no text', { ...headers, 'x-register-signature': 5 as unknown as string }, 'invalid_signature', 'malformed'],
    ['no event', { 'x-register-signature': signature }, 'invalid_event', 'header'],
    ['an empty event', { ...headers, 'x-register-event': '' }, 'invalid_event', 'id'],
    ['another event', { ...headers, 'x-register-event': 'evt_2' }, 'invalid_event', 'id'],
    ['another case of the event', { ...headers, 'x-register-event': 'EVT_1' }, 'invalid_event', 'id'],
    ['two events', { ...headers, 'X-Register-Event': 'evt_1' }, 'invalid_event', 'header'],
  ])('refuses headers with %s', async (_, given, code, reason) => {
    expect(await refusal(() => verifyWebhook(body, given, SECRET, { now }))).toMatchObject({ code, details: { reason } });
  }); // prettier-ignore

  it('refuses two signatures that the web’s Headers have joined', async () => {
    const joined = new Headers(headers);
    joined.append('x-register-signature', signature);
    expect((await refusal(() => verifyWebhook(body, joined, SECRET, { now }))).code).toBe('invalid_signature');
  });

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a list', '["evt_1"]'],
    ['null', 'null'],
    ['a text', '"evt_1"'],
    ['no id', '{"type":"endpoint.test"}'],
    ['an id that is no text', '{"id":1,"type":"endpoint.test"}'],
    ['an empty id', '{"id":"","type":"endpoint.test"}'],
    ['an id no header can carry', '{"id":"evt\\u0000","type":"endpoint.test"}'],
    ['an id of 1001 characters', `{"id":"${'e'.repeat(1001)}","type":"endpoint.test"}`],
    ['no type', '{"id":"evt_1"}'],
    ['a byte order mark', '\ufeff{"id":"evt_1","type":"endpoint.test"}'],
    ['bytes that are not UTF-8', Buffer.from('{"id":"evt_1","type":"\xff"}', 'latin1')],
  ])('refuses a signed body with %s', async (_, text) => {
    const bytes = Buffer.from(text as string);
    const given = { 'x-register-signature': sign(bytes, SECRET, NOW), 'x-register-event': 'evt_1' };
    expect(await refusal(() => verifyWebhook(bytes, given, SECRET, { now }))).toMatchObject({
      code: 'invalid_event',
      details: { reason: 'body' },
    });
  });

  it('does not look at a body whose signature is wrong', async () => {
    const given = { ...headers, 'x-register-signature': signature };
    expect((await refusal(() => verifyWebhook(Buffer.from('{'), given, SECRET, { now }))).code).toBe(
      'invalid_signature',
    );
  });

  it.each<[string, unknown, RegExp]>([
    ['a parsed object', { id: 'evt_1', type: 'endpoint.test' }, /an object that was parsed already.*express\.raw/],
    ['a parsed list', [1], /parsed already/],
    ['a text', body.toString(), /a text \(pass its bytes\)/],
    ['nothing', undefined, /nothing/],
    ['null', null, /nothing/],
  ])('says what is wrong when it is handed %s', async (_, rawBody, message) => {
    const error = await refusal(() => verifyWebhook(rawBody as Uint8Array, headers, SECRET, { now }));
    expect(error).toMatchObject({ code: 'invalid_option', details: { option: 'rawBody' } });
    expect(error.message).toMatch(message);
  });

  it.each([undefined, null, 'x-register-event: evt_1', 5])('says so when the headers are %j', async (given) => {
    expect(await refusal(() => verifyWebhook(body, given as unknown as Headers, SECRET, { now }))).toMatchObject({
      code: 'invalid_option',
      details: { option: 'headers' },
    });
  });

  it('shows neither the secret nor the digest that was expected in any refusal', async () => {
    const wrong = `t=${NOW},v1=${'0'.repeat(64)}`;
    const error = await refusal(() =>
      verifyWebhook(body, { ...headers, 'x-register-signature': wrong }, SECRET, { now }),
    );
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET.slice(6));
    expect(error.message).not.toContain(signature.slice(-64));
  });
});

// What remains of an erased record for somebody who reads what is served and logged of a log, and guesses right.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Accounts } from '../../../../src/operate/accounts.ts';
import { createGazette } from '../../../../src/service/create-gazette.ts';
import { confirmed, makeErasable, type OpenBytes } from '../../../contracts/guesses.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';

/**
 * What a service over the store answers somebody with a key about the record and the log of its register, and what it logs
 * meanwhile. `keys` are the answers, with what is in base64 in them as bytes.
 */
async function served({ store }: OpenBytes): Promise<Awaited<ReturnType<OpenBytes['bytes']>>> {
  await sign(store, 'permits');
  const accounts = new Accounts(store, { product: 'gazette' });
  const account = `reader-${randomUUID()}`;
  await accounts.add(account, '2099-01-01T00:00:00Z');
  const { key } = await accounts.createKey(account);
  const lines: string[] = [];
  const note = (fields: object): void => {
    lines.push(inspect(fields));
  };
  const gazette = createGazette({ store, limits: null, logger: { info: note, error: note } });
  const { name, size } = await logsOf(store).of('permits');
  const log = `/feeds/permits/log/${name}`;
  const bodies: Buffer[] = [];
  for (const path of [
    ...[`${log}/checkpoint`, `${log}/tile/0/000.p/${size}`, `${log}/tile/entries/000.p/${size}`],
    ...['/feeds/permits', '/feeds/permits/changes?since=0&proof=1&limit=100', '/feeds/permits/records'],
    ...['', '/history', '/proof'].map((of) => `/records/permits:a${of}`),
  ]) {
    const asked = new Request(`https://example.org/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    const answer = await gazette.fetch(asked);
    if (!path.startsWith('/records/')) expect([path, answer.status]).toEqual([path, 200]);
    bodies.push(Buffer.from(await answer.arrayBuffer()));
  }
  await gazette.close();
  const extra = bodies.flatMap((body) => {
    const [, text] = /^extra (.*)$/m.exec(body.toString()) ?? [];
    return text === undefined ? [] : [Buffer.from(text, 'base64')];
  });
  const all = [...bodies, ...extra, Buffer.from(lines.join('\n'))];
  const decoded = all.flatMap((part) => part.toString().match(/[\w+/]{43}=/g) ?? []);
  return { all, keys: [...all, ...decoded.map((text) => Buffer.from(text, 'base64'))] };
}

/** Registers the test for one implementation. */
export function servedGuesses(open: () => Promise<OpenBytes>): void {
  it('confirms no right guess by what is served and logged of a log once a record is erased', async () => {
    const on = await open();
    await makeErasable(on.store);
    const { log } = on;
    const found = async (): Promise<string[]> => {
      const bytes = await served(on);
      return confirmed({ bytes: () => Promise.resolve(bytes), log }, ['permits:a']);
    };
    const before = await found();
    expect(before.filter((one) => /^HMAC of [012]:/.test(one))).toHaveLength(3);
    expect(before).toContain('HMAC of 4: permits:a');
    expect(before.filter((one) => one.startsWith('text'))).not.toEqual([]);
    const entries = await logsOf(on.store).entries('permits', 0, 9);
    await on.erase('permits:a');
    expect(await found()).toEqual([]);
    // What was signed of it stands.
    expect((await logsOf(on.store).entries('permits', 0, 9)).slice(0, entries.length)).toEqual(entries);
  });
}

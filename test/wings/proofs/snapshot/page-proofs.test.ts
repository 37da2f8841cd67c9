// The files beside the pages of a snapshot that prove what their records say: as far as the tier may read statements, and no further.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ndjson } from '../../../../src/formats/ndjson.ts';
import type { RegisterDefinition } from '../../../../src/register/record.ts';
import { VERSION } from '../../../../src/version.ts';
import { objectHeaders } from '../../../../src/snapshot/bucket/headers.ts';
import { verifySnapshot } from '../../../../src/snapshot/verify.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { keyAt, statementAt, world } from '../../../world.ts';
import {
  add,
  changedFiles,
  correct,
  digests,
  folder,
  manifestOf,
  publish,
  storeOf,
} from '../../../snapshot/published.ts';
import type { SnapshotLogs } from '../../../../src/wings/proofs/snapshot/log-files.ts';
import { logsOf, withLogs } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { readVersion } from '../../../../src/wings/proofs/mirror/version.ts';

/** A line, as far as tests read it. */
interface Line {
  readonly record_id: string;
  readonly position: number;
  readonly version: number;
  readonly change: number;
  readonly proof: { readonly salt: string; readonly record_salt: string };
}

async function linesIn(out: string, page: string, feedId = 'permits'): Promise<Line[]> {
  const text = await readFile(join(out, feedId, `${page}.proof.ndjson`), 'utf8');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
}

const proofsIn = (files: ReadonlyMap<string, string>): string[] =>
  [...files.keys()].filter((name) => name.endsWith('.proof.ndjson')).sort();

async function signedStore(count: number, definition: Partial<RegisterDefinition> = {}): Promise<ServiceStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister({ ...permits(), ...definition });
  await add(store, 1, count);
  await sign(store, 'permits');
  return store;
}

const jsonOf = async (out: string, page: string): Promise<{ id: string; version: number }[]> =>
  (JSON.parse(await readFile(join(out, 'permits', `${page}.json`), 'utf8')) as { records: [] }).records;

describe('the proofs of a snapshot for payers', () => {
  it('have the newest version of each record of a page, in its order, as the service answers it', async () => {
    const { store, pro } = await world({ records: 250 });
    await correct(store, 240, 3, 150, 77);
    await store.withdraw('permits', [`permits:${keyAt(20)}`], { recordedAt: at(200_000) });
    await sign(store, 'permits');
    const out = await folder();
    await publish(store, out, { tier: 'pro' });
    const answered = new Map<number, Line>();
    for (let path: string | null = '/feeds/permits/changes?proof=1&limit=100'; path !== null;) {
      const answer = await pro(path);
      const { versions } = (await answer.json()) as { versions: Line[] };
      for (const version of versions) answered.set(version.change, version);
      path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    for (const page of ['index', 'pages/000001', 'pages/000002']) {
      const lines = await linesIn(out, page);
      const records = await jsonOf(out, page);
      expect(lines.map(({ record_id, version }) => [record_id, version])).toEqual(
        records.map(({ id, version }) => [id, version]),
      );
      for (const line of lines) {
        expect(answered.get(line.change)).toMatchObject(line);
        expect(readVersion(line, line.change).version.isErased).toBe(false);
      }
      expect((await manifestOf(out)).files[`${page}.proof.ndjson`]).toMatchObject({
        records: lines.length,
        tier: 'pro',
      });
    }
    expect((await linesIn(out, 'pages/000001')).find(({ position }) => position === 77)).toMatchObject({ version: 2 });
    const { definition, encoders } = await manifestOf(out);
    expect(definition).toEqual((await store.register('permits'))!.definition);
    expect(encoders).toMatchObject({
      html: VERSION,
      json: VERSION,
      csv: VERSION,
      xlsx: expect.stringContaining('zlib') as string,
    });
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('stay to the byte while their records do, whatever is added and signed', async () => {
    const [store, out] = [await signedStore(250), await folder()];
    await publish(store, out, { tier: 'pro' });
    const before = await digests(out);
    await add(store, 251, 310);
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    const grown = await digests(out);
    expect(changedFiles(before, grown).filter((name) => name.endsWith('.proof.ndjson'))).toEqual([
      'permits/index.proof.ndjson',
      'permits/pages/000003.proof.ndjson',
    ]);
    await correct(store, 150);
    await publish(store, out, { tier: 'pro' });
    // What is not signed yet is there.
    const [line] = (await linesIn(out, 'pages/000002')).filter(({ position }) => position === 150);
    expect(line).toMatchObject({ version: 2, change: 311 });
    const corrected = await digests(out);
    expect(changedFiles(grown, corrected).filter((name) => /pages.*proof/.test(name))).toEqual([
      'permits/pages/000002.proof.ndjson',
    ]);
    const fresh = await folder();
    await publish(store, fresh, { tier: 'pro' });
    const files = await digests(fresh);
    expect(proofsIn(files).map((name) => files.get(name))).toEqual(proofsIn(files).map((name) => corrected.get(name)));
  });

  it('are written again where somebody removed one', async () => {
    const [store, out] = [await signedStore(250), await folder()];
    await publish(store, out, { tier: 'pro' });
    const before = await digests(out);
    for (const name of ['index', 'pages/000001']) {
      const path = `permits/${name}.proof.ndjson`;
      await rm(join(out, path));
      expect((await verifySnapshot(out)).findings).toMatchObject([{ path, problem: 'missing' }]);
      expect((await publish(store, out, { tier: 'pro' })).written).toBe(1);
      expect(await digests(out)).toEqual(before);
    }
  });

  it('come with the first signature, and change pages for people alone, whose records lead to what was signed', async () => {
    const [store, out] = [await storeOf(250), await folder()];
    await publish(store, out, { tier: 'pro' });
    const before = await digests(out);
    expect(proofsIn(before)).toEqual([]);
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    const after = await digests(out);
    expect(proofsIn(after)).toHaveLength(3);
    const pages = proofsIn(after).map((name) => name.replace('.proof.ndjson', '.html'));
    const changed = changedFiles(before, after).filter((name) => /permits\/(?:index|pages\/)/.test(name));
    expect(changed).toEqual([...pages, ...proofsIn(after)].sort());
    const page = await readFile(join(out, 'permits/pages/000001.html'), 'utf8');
    expect(page).toContain('href="../../verify.html?page=pages%2F000001&amp;record=permits%3A100"');
    await add(store, 251, 251);
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    expect(changedFiles(after, await digests(out)).filter((name) => name.includes('pages/'))).toEqual([]);
    await rm(out, { recursive: true });
    await publish(store, out, { tier: 'pro' });
    expect(await readFile(join(out, '_headers'), 'utf8')).toContain(`/*.ndjson\n  Content-Type: ${ndjson.mediaType}\n`);
    expect(objectHeaders('pro', [])('permits/index.proof.ndjson')).toMatchObject({ 'content-type': ndjson.mediaType });
    expect((await publish(store, out, { tier: 'pro' })).written).toBe(0);
  });

  it('lose the salts and the statement of a record that is redacted, in every file', async () => {
    const [store, out] = [await signedStore(250), await folder()];
    await store.apply('permits', [{ ...statementAt(60, 0), summary: 'to be forgotten' }], { recordedAt: at(300) });
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    const line = (await linesIn(out, 'pages/000001')).find(({ position }) => position === 60)!;
    await store.redact('permits:060', { recordedAt: at(400) });
    await publish(store, out, { tier: 'pro' });
    expect((await linesIn(out, 'pages/000001')).map(({ position }) => position)).not.toContain(60);
    for (const name of (await digests(out)).keys()) {
      const bytes = await readFile(join(out, name));
      for (const erased of [line.proof.salt, line.proof.record_salt, 'to be forgotten'])
        expect([name, erased, bytes.includes(erased)]).toEqual([name, erased, false]);
    }
  });

  it('are of no record that changes, or is redacted, between the reading of its page and of its proof', async () => {
    const [store, out] = [await signedStore(20), await folder()];
    const logs: SnapshotLogs = {
      ...logsOf(store),
      async provedRecords(...asked) {
        await correct(store, 5);
        const proved = await logsOf(store).provedRecords(...asked);
        await store.redact('permits:007', { recordedAt: at(200_000) });
        return proved;
      },
    };
    await publish(withLogs(store, logs), out, { tier: 'pro' });
    const positions = (await linesIn(out, 'index')).map(({ position }) => position);
    expect(positions).toEqual([20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 6, 4, 3, 2, 1]);
    await publish(store, out, { tier: 'pro' });
    expect((await linesIn(out, 'index')).find(({ position }) => position === 5)).toMatchObject({ version: 2 });
  });

  it('are those of each record where positions and changes run in different orders', async () => {
    const [store, out] = [await storeOf(0), await folder()];
    const order = Array.from({ length: 230 }, (_, index) => (index * 97) % 230);
    for (const [minute, index] of order.entries())
      await store.apply('permits', [say(keyAt(index))], { recordedAt: at(minute) });
    for (const [minute, index] of order.toReversed().entries())
      if (index % 3 > 0)
        await store.apply('permits', [say(keyAt(index), { title: 'Other' })], { recordedAt: at(300 + minute) });
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    for (const page of ['index', 'pages/000001']) {
      const records = await jsonOf(out, page);
      expect((await linesIn(out, page)).map(({ record_id, version }) => [record_id, version])).toEqual(
        records.map(({ id, version }) => [id, version]),
      );
    }
  });
});

describe('the proofs of a public snapshot', () => {
  it('are of the records that are shown whole, as far as their statements say what is shown', async () => {
    const store = await storeOf(120);
    const batch = [
      say('whole', { data: { amount: 12.5, applicant: 'Acme' } }),
      say('undeclared', { data: { amount: 1, hidden_column: 'hidden_value' } }),
      say('typed', { data: { amount: '12.50' } }),
    ];
    await store.apply('permits', batch, { recordedAt: at(200) });
    await sign(store, 'permits');
    const out = await folder();
    await publish(store, out);
    expect(proofsIn(await digests(out))).toEqual(['permits/index.proof.ndjson']);
    expect((await linesIn(out, 'index')).map(({ record_id }) => record_id)).toEqual(['permits:whole']);
    for (const name of (await digests(out)).keys()) {
      const bytes = await readFile(join(out, name));
      expect([name, bytes.includes('hidden_'), bytes.includes('12.50')]).toEqual([name, false, false]);
    }
    await store.apply(
      'permits',
      ['x', 'y', 'z'].map((key) => say(key, { data: { other: 1 } })),
      { recordedAt: at(300) },
    );
    await sign(store, 'permits');
    await publish(store, out);
    expect(proofsIn(await digests(out))).toEqual([]);
  });

  it('do not name what an earlier statement had', async () => {
    const store = await storeOf(0);
    await store.apply('permits', [say('a', { data: { amount: 1, hidden_column: 'x' } })], { recordedAt: at(0) });
    await store.apply('permits', [say('a', { data: { amount: 1 } })], { recordedAt: at(1) });
    await sign(store, 'permits');
    const out = await folder();
    await publish(store, out);
    const text = await readFile(join(out, 'permits/index.proof.ndjson'), 'utf8');
    expect([text.split('\n').length, text.includes('hidden_column')]).toEqual([2, false]);
  });

  it('are of all records of an open register, and of none where the log is for payers', async () => {
    const open = await folder();
    await publish(await signedStore(250, { access: 'open' }), open);
    expect((await linesIn(open, 'pages/000001')).length).toBe(100);
    expect((await linesIn(open, 'index')).length).toBe(150);
    const closed = await folder();
    const store = await signedStore(250, { log: 'pro' });
    await publish(store, closed);
    expect(proofsIn(await digests(closed))).toEqual([]);
    expect((await manifestOf(closed)).definition).toBeUndefined();
    expect(existsSync(join(closed, 'permits/log'))).toBe(true);
    const whole = await folder();
    await publish(store, whole, { tier: 'pro' });
    expect((await linesIn(whole, 'index')).length).toBe(150);
  });
});

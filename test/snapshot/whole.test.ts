// `whole`: each register as a few large files, and its versions by month.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { parquet } from '../../src/formats/parquet/index.ts';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { recordKey } from '../../src/register/identity.ts';
import type { RecordVersion } from '../../src/register/record.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { permits } from '../contracts/store-register.ts';
import { collect } from '../contracts/readers.ts';
import { statementAt, world } from '../world.ts';
import { changedFiles, digests, folder, manifestOf, publish, SITE } from './published.ts';

const PLACES = [
  { name: 'latitude', label: 'Latitude', type: 'number' },
  { name: 'longitude', label: 'Longitude', type: 'number' },
] as const;

const SITES = { ...permits('sites'), fields: [...permits().fields, ...PLACES] };

const WHOLE = { tier: 'pro', whole: true, threads: 1 } as const;

/** The day of a month of 2026. */
const on = (month: number, day = 10): string => new Date(Date.UTC(2026, month - 1, day)).toISOString();

const nameOf = (month: string): string => `sites/changes-2026-${month}.ndjson.gz`;

/** Takes in the records of these numbers, with a word in their content. */
async function say(store: ServiceStore, recordedAt: string, word: string, ...numbers: number[]): Promise<void> {
  const batch = numbers.map((number) => {
    const { data, ...statement } = statementAt(number, 0, 'sites');
    return { ...statement, content: `${word} ${number}`, data: { ...data, latitude: number / 10, longitude: 7 } };
  });
  await store.apply('sites', batch, { recordedAt });
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const idOf = (number: number): string => statementAt(number, 0, 'sites').id;

/** A register whose records were added in the months from August to October. */
async function sitesStore(definition: typeof SITES & { access?: 'open' } = SITES): Promise<ServiceStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(definition);
  await say(store, on(8), 'august', ...numbers(1, 150));
  await say(store, on(9), 'september', ...numbers(151, 260));
  await say(store, on(10), 'october', ...numbers(261, 290), 7);
  return store;
}

/** What is in a register's files of all of it, and of months. */
async function wholesIn(out: string, feedId = 'sites'): Promise<string[]> {
  return (await readdir(join(out, feedId))).filter((name) => /^register\.(?!xsd)|^changes-/.test(name)).sort();
}

const unpacked = async (path: string): Promise<string> => gunzipSync(await readFile(path)).toString();

const NAMES = [
  ...['08', '09', '10'].map((month) => `changes-2026-${month}.ndjson.gz`),
  ...['csv.gz', 'geojson', 'parquet'].map((ending) => `register.${ending}`),
];

describe('a snapshot with whole files', () => {
  it('has what the service answers, to the byte', async () => {
    const store = await sitesStore();
    const out = await folder();
    await publish(store, out, WHOLE);
    expect(await wholesIn(out)).toEqual(NAMES);
    const { pro } = await world({ store, records: 0 });
    const served = async (format: string): Promise<string> => (await pro(`/feeds/sites/register.${format}`)).text();
    expect(await unpacked(join(out, 'sites/register.csv.gz'))).toBe(await served('csv'));
    expect(await readFile(join(out, 'sites/register.geojson'), 'utf8')).toBe(await served('geojson'));
    const self = `${SITE}/sites/register.parquet`;
    const written = await collect(exportRegister(await store.source('sites'), parquet, { self }));
    expect((await readFile(join(out, 'sites/register.parquet'))).equals(written)).toBe(true);
    const versions: object[] = [];
    for (let since = '0', count = 1; count > 0;) {
      const body = (await (await pro(`/feeds/sites/changes?since=${since}&limit=100`)).json()) as {
        versions: RecordVersion[];
        next_since: string;
      };
      versions.push(...body.versions);
      [since, count] = [body.next_since, body.versions.length];
    }
    const months = await Promise.all(['08', '09', '10'].map((month) => unpacked(join(out, nameOf(month)))));
    expect(months.join('')).toBe(versions.map((version) => `${JSON.stringify(version)}\n`).join(''));
    expect(months[1]!.split('\n').slice(0, -1)).toHaveLength(110);
    expect(months[1]).not.toContain('october');
  });

  it('names them in its manifest, in its page and in its headers, and verify knows them', async () => {
    const out = await folder();
    await publish(await sitesStore(), out, WHOLE);
    const { files } = await manifestOf(out, 'sites');
    expect(files['register.csv.gz']).toMatchObject({ records: 290, tier: 'pro', as_of: 290 });
    expect(files['register.geojson']).toMatchObject({ records: 290 });
    expect(files['changes-2026-09.ndjson.gz']).toMatchObject({ tier: 'pro', changes: [151, 260] });
    const page = await readFile(join(out, 'sites/index.html'), 'utf8');
    for (const name of NAMES.slice(3)) expect(page).toContain(`href="../sites/${name}"`);
    expect(await readFile(join(out, 'sites/pages/000001.html'), 'utf8')).not.toContain('register.parquet');
    expect(await readFile(join(out, '_headers'), 'utf8')).toContain(
      '/*.parquet\n  Content-Type: application/vnd.apache.parquet\n',
    );
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
    await rm(join(out, 'sites/register.geojson'));
    const missing = await verifySnapshot(out);
    expect(missing.findings).toMatchObject([{ path: 'sites/register.geojson', problem: 'missing' }]);
    await publish(await sitesStore(), out, WHOLE);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('has GeoJSON of registers with places alone, and nothing of what its readers do not see', async () => {
    const store = await sitesStore();
    await store.createRegister({ ...permits('plain'), access: 'open' });
    const out = await folder();
    await publish(store, out, { ...WHOLE, tier: 'public' });
    expect(await wholesIn(out)).toEqual([]);
    expect(await wholesIn(out, 'plain')).toEqual(['register.csv.gz', 'register.parquet']);
    await store.updateRegister(permits('plain'), { recordedAt: on(11) });
    await publish(store, out, { ...WHOLE, tier: 'public' });
    expect(await wholesIn(out, 'plain')).toEqual([]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('loses them again where they are not asked for', async () => {
    const [store, out, plain] = [await sitesStore(), await folder(), await folder()];
    await publish(store, out, WHOLE);
    await publish(store, out, { ...WHOLE, whole: false });
    await publish(store, plain, { ...WHOLE, whole: false });
    expect(await wholesIn(out)).toEqual([]);
    expect(await digests(out)).toEqual(await digests(plain));
  });

  it('loses them where its readers see less now, also where the manifest was damaged meanwhile', async () => {
    const [store, out] = [await sitesStore({ ...SITES, access: 'open' }), await folder()];
    const shape = { ...WHOLE, tier: 'public' } as const;
    await publish(store, out, shape);
    await writeFile(join(out, 'sites/manifest.json'), '{');
    await store.updateRegister(SITES, { recordedAt: on(11) });
    await expect(publish(store, out, shape)).rejects.toThrow('remove it, and the next run writes it anew');
    await writeFile(join(out, 'sites/changes-of-ours.txt'), 'kept');
    await publish(store, out, shape);
    expect(await wholesIn(out)).toEqual(['changes-of-ours.txt']);
    expect((await verifySnapshot(out)).findings).toMatchObject([
      { path: 'sites/changes-of-ours.txt', problem: 'extra' },
    ]);
  });

  it('writes the months of new and erased versions alone, and always what a first run writes', async () => {
    const [store, out] = [await sitesStore(), await folder()];
    let before = new Map<string, string>();
    const monthsWritten = async (): Promise<string[]> => {
      await publish(store, out, WHOLE);
      const [now, fresh] = [await digests(out), await folder()];
      await publish(store, fresh, WHOLE);
      expect(now).toEqual(await digests(fresh));
      const written = changedFiles(before, now);
      before = now;
      return written.flatMap((name) => /changes-2026-(\d\d)/.exec(name)?.[1] ?? []);
    };
    expect(await monthsWritten()).toEqual(['08', '09', '10']);
    expect(await monthsWritten()).toEqual([]);
    await say(store, on(10, 20), 'more', 300);
    expect(await monthsWritten()).toEqual(['10']);
    await say(store, on(11), 'corrected', 3, 200);
    expect(await monthsWritten()).toEqual(['11']);
    await store.redact(idOf(3), { recordedAt: on(11, 11) });
    expect(await monthsWritten()).toEqual(['08', '11']);
    await store.withdraw('sites', [idOf(4)], { recordedAt: on(12) });
    expect(await monthsWritten()).toEqual(['12']);
    const rows = [{ from: recordKey(idOf(9)), to: 'new-key', where: 'line 1' }];
    await renumber(store, 'sites', { name: 'map.csv', rows }, { who: null, now: () => Date.parse(on(12, 12)) });
    expect(await monthsWritten()).toEqual(['12']);
    await store.updateRegister({ ...SITES, title: 'Sites' }, { recordedAt: on(12, 13) });
    expect(await monthsWritten()).toEqual([]);
  });

  it('is completed after a run that ended among them, and nothing of that run is left', async () => {
    const [store, out, fresh] = [await sitesStore(), await folder(), await folder()];
    await publish(store, out, WHOLE);
    await store.redact(idOf(20), { recordedAt: on(11) });
    vi.spyOn(store, 'history').mockRejectedValueOnce(new Error('it ends here'));
    await expect(publish(store, out, WHOLE)).rejects.toThrow('it ends here');
    expect(await readdir(join(out, 'sites'))).toContain('register.csv.gz.tmp');
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', findings: [] });
    await publish(store, out, WHOLE);
    await publish(store, fresh, WHOLE);
    expect(await digests(out)).toEqual(await digests(fresh));
  });

  it('has nothing of a redacted record in any file', async () => {
    const [store, out] = [await sitesStore(), await folder()];
    await say(store, on(11), 'xyzzy', 20);
    await say(store, on(12), 'plugh', 20);
    await publish(store, out, WHOLE);
    /** The files that have what the record said. */
    const holding = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const name of (await digests(out)).keys()) {
        const bytes = await readFile(join(out, name));
        const text = name.endsWith('.gz')
          ? gunzipSync(bytes).toString()
          : name.endsWith('.parquet')
            ? inspect(await parquetReadObjects({ file: new Uint8Array(bytes).buffer }), { maxArrayLength: null })
            : bytes.toString('latin1');
        if (/xyzzy|plugh/.test(text)) found.push(name);
      }
      return found;
    };
    const wholes = ['csv.gz', 'geojson', 'parquet'].map((ending) => `sites/register.${ending}`);
    expect(await holding()).toEqual(expect.arrayContaining([nameOf('11'), nameOf('12'), ...wholes]));
    await store.redact(idOf(20), { recordedAt: on(12, 11) });
    await publish(store, out, WHOLE);
    expect(await holding()).toEqual([]);
    const lines = (await unpacked(join(out, nameOf('11')))).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as RecordVersion).record)).toEqual([null]);
  });

  it('is read over HTTP ranges by hyparquet, from a host that only knows files', async () => {
    const [store, out] = [await sitesStore(), await folder()];
    await publish(store, out, WHOLE);
    const asked: number[] = [];
    const server = createServer((request, response) => {
      void readFile(join(out, request.url!)).then((bytes) => {
        const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
        const head = { 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' };
        if (from === undefined) {
          response.writeHead(200, { ...head, 'content-length': bytes.length }).end(bytes);
          return;
        }
        const part = bytes.subarray(Number(from), to === '' ? undefined : Number(to) + 1);
        asked.push(part.length);
        const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
        response.writeHead(206, { ...head, 'content-range': range, 'content-length': part.length }).end(part);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sites/register.parquet`;
    const file = await asyncBufferFromUrl({ url });
    const rows = await parquetReadObjects({ file, columns: ['id', 'latitude'] });
    expect(rows).toHaveLength(290);
    expect(rows[0]).toEqual({ id: idOf(290), latitude: 29 });
    expect(asked.length).toBeGreaterThan(0);
  });
});

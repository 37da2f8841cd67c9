// A format written outside the package, examples/tsv.ts, at every place that takes formats: nothing in `src` knows it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { format as tsv } from '../../examples/tsv.ts';
import { exportHandler } from '../../src/export/handler.ts';
import { loadFormat } from '../../src/formats/check-formats.ts';

import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import type { Format } from '../../src/formats/format.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { gazette } from '../cli/run.ts';
import { makeStore, serve } from '../cli/served.ts';
import { BASE_URL, world } from '../world.ts';
import { collect } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecords } from '../contracts/sample-register.ts';
import { add, correct, digests, folder, publish, storeOf } from '../snapshot/published.ts';
import { encode } from '../../src/formats/encode.ts';

const MODULE = new URL('../../examples/tsv.ts', import.meta.url);
const FILE = join(import.meta.dirname, '../../examples/tsv.ts');
const FORMATS: readonly Format[] = [...EXPORT_FORMATS, tsv];

const MEDIA_TYPE = 'text/tab-separated-values; charset=utf-8';
const HEADER = 'id\ttitle\tdocument_type\tfacility_id\tpublished_at\tobserved_at\tsource_url\t';

/** The document in lines, the header first. */
const linesOf = (text: string): string[] => text.trimEnd().split('\n');

describe('a format from outside the package', () => {
  it('is served by the embeddable handler, with an entity tag of its bytes', async () => {
    const source = fromRecords(SAMPLE_DEFINITION, sampleRecords(250), { order: 'newest-first' });
    const handle = exportHandler(source, { formats: FORMATS });
    const ask = (tag?: string): Promise<Response> =>
      handle(
        new Request('https://example.org/export.tsv?limit=100', {
          headers: tag === undefined ? {} : { 'if-none-match': tag },
        }),
      );
    const response = await ask();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(MEDIA_TYPE);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="permits-0001.tsv"');
    expect(response.headers.get('link')).toContain('/export.tsv?limit=100&offset=100');
    const lines = linesOf(await response.text());
    expect(lines).toHaveLength(101);
    expect(lines[0]).toBe(`${HEADER}applicant\tamount\tpages\tappealed\tvalid_from\theard_at\tmap_url\tparts`);
    expect(lines[1]).toMatch(/^permits:2026-0250\tPermit 250: Müller & Söhne, "Nordhafen"\t/);
    expect((await ask(response.headers.get('etag')!)).status).toBe(304);
    const old = exportHandler(source, { formats: [{ ...tsv, open: (...given) => xml.open(...given) }] });
    const other = await old(new Request('https://example.org/export.tsv?limit=100'));
    expect(other.headers.get('etag'), 'another writer').not.toBe(response.headers.get('etag'));
  });

  it('is served by the service: its route, its links and openapi.json', async () => {
    const service = await world({ formats: FORMATS });
    const { key } = service;
    const response = await service.get('/feeds/permits/records/export.tsv?limit=10', { key });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, MEDIA_TYPE]);
    expect(linesOf(await response.text())).toHaveLength(11);
    const packed = { key, headers: { 'accept-encoding': 'gzip' } };
    const coded = await service.get('/feeds/permits/records/export.tsv?limit=10', packed);
    expect(coded.headers.get('content-encoding')).toBe('gzip');

    const address = `${BASE_URL}/api/v1/feeds/permits/records/export.tsv`;
    const feed = (await (await service.get('/feeds/permits')).json()) as { links: { exports: Record<string, string> } };
    expect(Object.keys(feed.links.exports)).toEqual(['csv', 'xlsx', 'xml', 'rss', 'atom', 'tsv']);
    expect(feed.links.exports.tsv).toBe(address);

    interface Described {
      readonly paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
      readonly components: { readonly schemas: object; readonly parameters: object };
    }
    const document = (await (await service.get('/openapi.json')).json()) as Described;
    const route = document.paths['/feeds/{feed_id}/records/export.{format}']!.get;
    expect(Object.keys(route.responses['200']!.content)).toContain('text/tab-separated-values');
    const names = { enum: ['csv', 'xlsx', 'xml', 'rss', 'atom', 'tsv'] };
    const parameters = Object.values(document.components.parameters);
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'format', schema: expect.objectContaining(names) as object }),
    );
    const exports = { properties: { tsv: { type: 'string', format: 'uri' } } };
    expect(document.components.schemas).toMatchObject({
      Feed: { properties: { links: { properties: { exports } } } },
    });

    const unknown = await service.problem('/feeds/permits/records/export.ods', { key });
    expect(unknown).toMatchObject({ code: 'unknown_format' });
    expect(unknown.detail).toContain('csv, xlsx, xml, rss, atom, tsv');
  });

  it('is in every page of a snapshot, linked and named to the host', async () => {
    const store = await storeOf(250);
    const out = await folder();
    await publish(store, out, { formats: FORMATS, tier: 'pro' });
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 250, findings: [] });
    expect((await readdir(join(out, 'permits/pages'))).filter((name) => name.endsWith('.tsv'))).toHaveLength(2);
    expect(linesOf(await readFile(join(out, 'permits/pages/000001.tsv'), 'utf8'))).toHaveLength(101);
    expect(await readFile(join(out, 'permits/index.html'), 'utf8')).toContain('permits/index.tsv">TSV</a>');
    expect(await readFile(join(out, '_headers'), 'utf8')).toContain(`/*.tsv\n  Content-Type: ${MEDIA_TYPE}\n`);
  });

  it('comes into a snapshot and leaves it again with the next run', async () => {
    const store = await storeOf(250);
    const out = await folder();
    await publish(store, out);
    const without = await digests(out);
    await publish(store, out, { formats: FORMATS });
    expect([...(await digests(out)).keys()].filter((name) => name.endsWith('.tsv'))).toHaveLength(3);
    expect((await publish(store, out, { formats: FORMATS })).written).toBe(0);
    await publish(store, out);
    expect(await digests(out)).toEqual(without);
  });

  it.each([
    ['the module, by every thread', MODULE, 1],
    ['the object, by the calling thread', tsv, 66],
  ])('is written by the threads of a snapshot, or not: given as %s', async (_, given, callsHere) => {
    // Of one format the calling thread makes but the newest page, of the other all.
    const opened = vi.spyOn(given instanceof URL ? await loadFormat(given) : given, 'open');
    const store = await storeOf(0);
    await add(store, 1, 6550);
    const shared = await folder();
    await publish(store, shared, { formats: [atom, rss, given], threads: 2 });
    expect(opened.mock.calls).toHaveLength(callsHere);
    const alone = await folder();
    await publish(store, alone, { formats: [atom, rss, given], threads: 1 });
    const files = await digests(alone);
    expect([...files.keys()].filter((name) => name.endsWith('.tsv'))).toHaveLength(66);
    expect(await digests(shared)).toEqual(files);
    await correct(store, 5);
    await publish(store, shared, { formats: [atom, rss, given], threads: 2 });
    expect(await verifySnapshot(shared)).toMatchObject({ state: 'whole', findings: [] });
    opened.mockRestore();
  });

  it('reports what it had to change, like any other', async () => {
    const records = [{ ...sampleRecords(1)[0]!, title: 'A\tB' }];
    const document = await collect(encode([{ records, nextOffset: null, asOf: null }], tsv, SAMPLE_HEAD));
    expect(linesOf(document.toString())[1]).toContain('\tA B\t');
  });
});

describe('--format-module', () => {
  it('writes a register of the store, and a file, in the format', async () => {
    const { path } = await makeStore(12);
    const args = ['--format', 'tsv', '--format-module', FILE];
    const stored = await gazette(['export', 'permits', '--store', path, ...args]);
    expect(stored).toMatchObject({ code: 0, stderr: expect.not.stringContaining('gazette:') as string });
    expect(linesOf(stored.stdout.toString())).toHaveLength(13);
    const input = JSON.stringify([
      { id: '1', title: 'One', source_url: 'https://example.org/1', observed_at: '2026-01-01' },
    ]);
    const piped = await gazette(['export', '-', ...args], input);
    expect(piped.stdout.toString()).toBe(
      `${HEADER.trimEnd()}\nrecords:1\tOne\t\t\t\t2026-01-01\thttps://example.org/1\n`,
    );
  });

  it('adds the format to a snapshot', async () => {
    const { path } = await makeStore(120);
    const out = join(await folder(), 'site');
    const args = ['--out', out, '--base-url', 'https://static.example.org', '--format-module', FILE];
    const { code, stderr } = await gazette(['snapshot', '--store', path, ...args]);
    expect([code, stderr]).toEqual([0, 'gazette: permits: 120 records, 19 files written\n']);
    expect(linesOf(await readFile(join(out, 'permits/index.tsv'), 'utf8'))).toHaveLength(121);
  });

  it.each([[[]], [['--workers', '2']]])('adds the format to the service: gazette serve %j', async (more) => {
    const { path, key } = await makeStore(12);
    const { api, child, ended } = await serve(path, '--format-module', FILE, ...more);
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${api}/feeds/permits/records/export.tsv`, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, MEDIA_TYPE]);
    expect(linesOf(await response.text())).toHaveLength(13);
    child.kill('SIGTERM');
    await ended;
  });

  it.each([
    [
      'a module that is not there',
      ['nowhere.ts'],
      /format module file:\S+nowhere\.ts cannot be loaded: .+ \(invalid_option\)/,
    ],
    [
      'a module without a format',
      [join(import.meta.dirname, 'csv-cases.ts')],
      /must export its format as "format", it exports [A-Z]\w+.* \(invalid_option\)/,
    ],
    [
      'a format whose name is taken',
      [FILE, '--format-module', FILE],
      /--format-module: .*there are csv, xlsx, xml, rss, atom(, ndjson, parquet, geojson)?, tsv, and another tsv \(invalid_option\)/,
    ],
  ])('refuses %s, everywhere', async (_, files, message) => {
    const { path } = await makeStore(1);
    const given = ['--store', path, '--format-module', ...files];
    const out = join(await folder(), 'site');
    for (const args of [
      ['export', 'permits', '--format', 'csv', ...given],
      ['snapshot', '--out', out, '--base-url', 'https://static.example.org', ...given],
      ['serve', '--port', '0', ...given],
      ['serve', '--port', '0', '--workers', '2', ...given],
    ]) {
      const { code, stderr } = await gazette(args);
      expect([code, stderr.split('\n').length]).toEqual([2, 2]);
      expect(stderr).toMatch(
        args[0] === 'snapshot' ? new RegExp(message.source.replace('--format-module: .*', '')) : message,
      );
    }
  });

  it('refuses the reference writer of a format that has none', async () => {
    const { path } = await makeStore(1);
    const args = ['--format', 'tsv', '--format-module', FILE, '--writer', 'reference'];
    const { code, stderr } = await gazette(['export', 'permits', '--store', path, ...args]);
    expect([code, stderr]).toEqual([
      2,
      "gazette: --writer reference is for gazette's own formats, not for tsv (usage)\n",
    ]);
  });
});

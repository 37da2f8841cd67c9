// `gazette export -` on a catalogue as publishers ship them: every format, the schema, the definition, the filters.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/formats/index.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { gazette } from './run.ts';
import { readWorkbook } from '../contracts/xlsx-reader.ts';

const NOTICES = join(import.meta.dirname, '../../fixtures/notices');
const INPUT = join(NOTICES, 'notices.json');

const IDS = ['PE-2026-0005', 'PE-2026-0004', 'PE-2025~2F0031', 'PE-2025-0030', 'PE-2024-0007'].map(
  (id) => `records:${id}`,
);

/** What can be written of records that have no places. */
const PLACELESS = FORMAT_NAMES.filter((name) => name !== 'geojson');

/** What the catalogue's entries are to the register. */
const MAIN_JOB = [
  ...['export', '-', '--pick', 'notices', '--observed-at', '2026-03-02T10:00:00Z', '--authority', 'example.org,2026'],
  '--map',
  'id=noticeID,title=noticeName,summary=shortDescription,published_at=dateAdded,document_type=severity,source_url=https://example.org/notices/{noticeID}',
];

const EXPORT = ['export', '-', '--authority', 'example.org,2026'];

/** The record ids in a document, by a reader of its format that is not ours. */
const IDS_IN: Readonly<Record<string, (document: Buffer) => string[] | Promise<string[]>>> = {
  csv: (document) => parse<{ id: string }>(document, { columns: true }).map(({ id }) => id),
  xlsx: (document) =>
    readWorkbook(document)
      .sheets[0]!.rows.slice(1)
      .map((row) => String(row.get('A')!.value)),
  ndjson: (document) =>
    document
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id),
  geojson: (document) =>
    (JSON.parse(document.toString()) as { features: { id: string }[] }).features.map(({ id }) => id),
  xml: (document) => [...document.toString().matchAll(/<record id="([^"]*)"/g)].map((match) => match[1]!),
  rss: (document) =>
    [...document.toString().matchAll(/<guid[^>]*>tag:example\.org,2026:record\/([^<]*)</g)].map((match) => match[1]!),
  parquet: async (document) => {
    const rows = await parquetReadObjects({ file: Uint8Array.from(document).buffer, columns: ['id'] });
    return rows.map(({ id }) => id as string);
  },
  atom: (document) =>
    [...document.toString().matchAll(/<id>tag:example\.org,2026:record\/([^<]*)</g)].map((match) => match[1]!),
};

describe('gazette export -', () => {
  it.each(PLACELESS)(
    'writes every entry of a catalogue as %s, from standard input and from a file alike',
    async (format) => {
      const piped = await gazette([...MAIN_JOB, '--format', format], await readFile(INPUT));
      expect(piped).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(await IDS_IN[format]!(piped.stdout)).toEqual(IDS);
      // Types may differ: those of a file are found from all of its records.
      const { stdout } = await gazette([...MAIN_JOB, '--format', format, '--input', INPUT]);
      expect(await IDS_IN[format]!(stdout)).toEqual(IDS);
    },
  );

  it('prints the schema that its XML is valid by', async () => {
    const xml = await gazette([...MAIN_JOB, '--format', 'xml', '--input', INPUT]);
    const xsd = await gazette([...MAIN_JOB, '--format', 'xml', '--input', INPUT, '--xsd']);
    expect(xsd).toMatchObject({ code: 0, stderr: '' });
    validateXsd(xsd.stdout.toString(), [xml.stdout]);
    expect(xsd.stdout.toString()).toContain('rated_pressure_bar');
  });

  it('prints the schema of a definition without reading any records', async () => {
    const { code, stdout } = await gazette(['export', '-', '--xsd', '--definition', join(NOTICES, 'definition.json')]);
    expect(code).toBe(0);
    expect(stdout.toString()).toContain('pressure_bar');
  });

  it('keeps numbers, texts, lists and nulls as the catalogue has them', async () => {
    const { stdout } = await gazette([...MAIN_JOB, '--format', 'ndjson', '--input', INPUT]);
    const records = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records[2]).toMatchObject({
      feed_id: 'records',
      title: 'Gauge glass – hairline cracks',
      summary: 'Line one\nline two,\twith a tab.',
      document_type: 'Known',
      source_url: 'https://example.org/notices/PE-2025%2F0031',
      published_at: '2025-12-30',
      observed_at: '2026-03-02T10:00:00Z',
      data: {
        manufacturer: '東京熱機',
        due_date: null,
        rated_pressure_bar: 0.5,
        units_sold: 88,
        notes: null,
        standards: ['JIS B 8201'],
      },
    });
  });

  it('fills the fields of a definition and says what it left out', async () => {
    const mapping = MAIN_JOB.at(-1)!;
    const { code, stdout, stderr } = await gazette([
      ...['export', '-', '--format', 'csv', '--pick', 'notices', '--observed-at', '2026-03-02', '--input', INPUT],
      ...['--definition', join(NOTICES, 'definition.json'), '--map', mapping],
      ...[
        '--map',
        'data.pressure_bar=ratedPressureBar,data.units_sold=unitsSold',
        '--map',
        'data.due=dueDate,author=issuer',
      ],
    ]);
    expect(code).toBe(0);
    const [first] = parse<Record<string, string>>(stdout, { columns: true });
    expect(first).toMatchObject({
      id: 'notices:PE-2026-0005',
      manufacturer: 'Kesselwerk Müller',
      pressure_bar: '3.5',
      due: '2026-04-15',
    });
    expect(stderr.split('\n')).toEqual([
      'gazette: warning: left out, because the definition does not declare it: requiredAction (in 5 records)',
      'gazette: warning: left out, because the definition does not declare it: notes (in 5 records)',
      'gazette: warning: --map author=issuer found nothing in any record',
      '',
    ]);
  });

  it('lets the command line name the register and its authority, over the definition', async () => {
    const { stdout } = await gazette([
      ...[...MAIN_JOB, '--format', 'ndjson', '--input', INPUT, '--feed-id', 'boilers'],
      ...['--definition', join(NOTICES, 'definition.json')],
    ]);
    expect(stdout.toString()).toMatch(/^\{"id":"boilers:PE-2026-0005","feed_id":"boilers"/);
  });

  it('writes only the records that pass the filters', async () => {
    const ids = async (...filter: string[]): Promise<string[]> =>
      IDS_IN.csv!((await gazette([...MAIN_JOB, '--format', 'csv', '--input', INPUT, ...filter])).stdout);
    expect(await ids('--filter', 'document_type=Known')).toEqual([IDS[0], IDS[2], IDS[4]]);
    expect(await ids('--filter', 'document_type=Known', '--filter', 'facility_id=F')).toEqual([]);
  });

  it('turns records that run oldest first round, whatever their number', async () => {
    const count = 250;
    const record = (n: number): object => ({
      id: String(n),
      title: `Record ${n}`,
      source_url: `https://example.org/${n}`,
      published_at: new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10),
      ...{ latitude: n / 4, longitude: -n / 2 },
    });
    const input = JSON.stringify(Array.from({ length: count }, (_, n) => record(n + 1)));
    const expected = JSON.stringify(Array.from({ length: count }, (_, n) => record(count - n)));
    for (const format of FORMAT_NAMES) {
      const args = [...EXPORT, '--observed-at', '2027-01-01', '--format', format];
      const turned = await gazette([...args, '--order', 'oldest-first'], input);
      const { stdout } = await gazette([...args, '--order', 'newest-first'], expected);
      expect(turned).toMatchObject({ code: 0, stderr: '' });
      expect(await IDS_IN[format]!(turned.stdout)).toHaveLength(count);
      if (format !== 'xlsx') expect(turned.stdout.toString()).toBe(stdout.toString());
    }
    expect(
      await gazette(['export', '-', '--format', 'csv', '--order', 'oldest-first', '--observed-at', '2026-01-01'], '[]'),
    ).toMatchObject({ code: 0 });
  });

  it('sorts records by date when told, the latest first, those without a date last', async () => {
    const days = ['2026-01-02', null, '2026-01-01T23:59:59.9999999Z', '2026-01-02T00:00:00Z', '2026-01-01'];
    const records = days.map((published_at, id) => ({
      id,
      title: 'A',
      source_url: 'https://example.org/',
      published_at,
    }));
    const args = [...EXPORT, '--observed-at', '2027-01-01', '--format', 'csv', '--order', 'by-date'];
    const { stdout } = await gazette(args, JSON.stringify(records));
    expect((await IDS_IN.csv!(stdout)).map((id) => id.slice(-1))).toEqual(['3', '0', '2', '4', '1']);
  });

  it.each<[string, readonly string[], string]>([
    [
      'rss',
      [],
      'gazette: warning: the dates show that the records run oldest first, but a feed begins with the newest: use --order oldest-first\n',
    ],
    ['atom', ['--order', 'newest-first'], ''],
    ['csv', [], ''],
  ])('says where a feed would show the oldest records first (%s %s)', async (format, order, said) => {
    const records = [1, 2].map((n) => ({
      id: n,
      title: 'A',
      source_url: 'https://example.org/',
      observed_at: `2026-01-0${n}`,
    }));
    const args = [...EXPORT, '--format', format, ...order];
    expect(await gazette(args, JSON.stringify(records))).toMatchObject({ code: 0, stderr: said });
  });

  it('reads NDJSON, by the name of the file or when told', async () => {
    const { stdout } = await gazette([...MAIN_JOB, '--format', 'ndjson', '--input', INPUT]);
    const again = await gazette(['export', '-', '--format', 'ndjson', '--input-format', 'ndjson'], stdout);
    expect(again).toEqual({ code: 0, signal: null, stderr: '', stdout });
  });

  it('writes with the reference writer what the native one writes', async () => {
    const native = await gazette([...MAIN_JOB, '--format', 'csv', '--input', INPUT]);
    const reference = await gazette([...MAIN_JOB, '--format', 'csv', '--input', INPUT, '--writer', 'reference']);
    expect(reference.stdout).toEqual(native.stdout);
  });

  it('tells on standard error what the format had to change', async () => {
    const record = { id: 1, title: 'A \u0001', source_url: 'https://example.org/' };
    const { code, stderr } = await gazette(
      ['export', '-', '--format', 'xml', '--observed-at', '2026-01-01'],
      JSON.stringify([record, { ...record, id: 2 }]),
    );
    expect([code, stderr]).toEqual([
      0,
      'gazette: warning: characters the format cannot carry were replaced by U+FFFD: 2 times, first in records:1 (replaced_characters)\n',
    ]);
  });
});

// The files people get, opened by the programs people use: the whole sample register and the hostile records.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { findFormat } from '../../src/formats/index.ts';
import { registerSchema } from '../../src/formats/xml/xsd.ts';
import { type DefinitionInput, defineRegister } from '../../src/register/definition.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { recordUri } from '../../src/register/identity.ts';
import type { RecordInput } from '../../src/register/record-input.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { missing, program, PYTHON } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'gazette-conformance-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fixture(name: string): { readonly source: RegisterSource; readonly ids: readonly string[] } {
  const read = (file: string): string =>
    readFileSync(new URL(`../../fixtures/${name}/${file}`, import.meta.url), 'utf8');
  const inputs = read('records.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordInput);
  const definition = defineRegister(JSON.parse(read('definition.json')) as DefinitionInput);
  const source = fromRecords(definition, inputs, { order: 'oldest-first' });
  return { source, ids: inputs.map((input) => input.id).reverse() };
}

const REGISTERS = ['permits', 'hostile'] as const;

const file = (name: string, format: string): string => join(folder, `${name}.${format}`);

/** What LibreOffice makes of a format: it opens the files of all registers at once, as it takes seconds to start. */
const tables = new Map<string, Promise<string>>();

/** Has LibreOffice write the files of a format as tables. @returns their folder */
async function asTables(format: 'csv' | 'xlsx'): Promise<string> {
  // The input filter says UTF-8, comma and quotes, as a person would choose in the dialogue.
  const filter = format === 'csv' ? ['--infilter=CSV:44,34,76,1'] : [];
  const out = join(folder, `tables-${format}`);
  await program(
    'soffice',
    `-env:UserInstallation=file://${join(folder, 'profile')}`,
    '--headless',
    ...filter,
    ...['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76', '--outdir', out],
    ...REGISTERS.map((name) => file(name, format)),
  );
  return out;
}

const fixtures = new Map(REGISTERS.map((name) => [name, fixture(name)]));

beforeAll(async () => {
  for (const [name, { source }] of fixtures) {
    for (const format of ['csv', 'xlsx', 'xml', 'rss', 'atom']) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of exportRegister(source, findFormat(format))) chunks.push(chunk);
      writeFileSync(file(name, format), Buffer.concat(chunks));
    }
    writeFileSync(file(name, 'xsd'), registerSchema(source.definition));
  }
});

describe.each(REGISTERS)('the %s register', (name) => {
  const { source, ids } = fixtures.get(name)!;

  const office = missing('soffice', '--version');
  for (const format of ['csv', 'xlsx'] as const) {
    const title = `opens in LibreOffice as ${format} with every record in a row of its own`;
    it.skipIf(office !== null)(office === null ? title : `${title} (skipped: ${office})`, async () => {
      if (!tables.has(format)) tables.set(format, asTables(format));
      const out = (await tables.get(format))!;
      const rows: string[][] = parse(readFileSync(join(out, `${name}.csv`)), { relax_column_count: true });
      expect(rows).toHaveLength(ids.length + 1);
      expect(rows[0]!.slice(0, 4)).toEqual(['id', 'feed_id', 'key', 'title']);
      expect(new Set(rows.slice(1).map((row) => row[0])).size).toBe(ids.length);
    });
  }

  const xmllint = missing('xmllint', '--version');
  it.skipIf(xmllint !== null)(`validates against its own XSD (${xmllint ?? 'xmllint'})`, async () => {
    await program('xmllint', '--noout', '--huge', '--schema', file(name, 'xsd'), file(name, 'xml'));
  });

  const feedparser = missing(PYTHON, '-c', 'import feedparser');
  for (const format of ['rss', 'atom'] as const) {
    it.skipIf(feedparser !== null)(
      `is a well formed ${format} feed with every permanent id once (${feedparser ?? 'feedparser'})`,
      async () => {
        const script =
          'import feedparser, json, sys; f = feedparser.parse(sys.argv[1]); print(json.dumps([bool(f.bozo), [e.id for e in f.entries]]))';
        const [malformed, found] = JSON.parse(await program(PYTHON, '-c', script, file(name, format))) as [
          boolean,
          string[],
        ];
        expect(malformed).toBe(false);
        const all = await allIds(source);
        expect(found).toEqual(all.map((id) => recordUri(source.definition, id)));
      },
    );
  }
});

async function allIds(source: RegisterSource): Promise<string[]> {
  const ids: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page = await source.page({ offset, limit: 100 });
    ids.push(...page.records.map((record) => record.id));
    offset = page.nextOffset;
  }
  return ids;
}

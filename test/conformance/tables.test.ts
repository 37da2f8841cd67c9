// Our CSV in other people's tables: sqlite3's .import, Python's csv and, where it is installed, pandas. Each must give back
// every value of the hostile records.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { csv } from '../../src/formats/csv.ts';
import { type DefinitionInput, defineRegister } from '../../src/register/definition.ts';
import type { RecordInput } from '../../src/register/record-input.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { expectedRows } from '../formats/csv-dialects.ts';
import { missing, program, PYTHON } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'gazette-tables-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const file = join(folder, 'hostile.csv');

/** The rows as a table without null has them: the empty string in its place. */
let expected: (string | null)[][];

beforeAll(async () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../fixtures/hostile/${name}`, import.meta.url), 'utf8');
  const definition = defineRegister(JSON.parse(read('definition.json')) as DefinitionInput);
  const inputs = read('records.ndjson').trimEnd().split('\n');
  const source = fromRecords(
    definition,
    inputs.map((line) => JSON.parse(line) as RecordInput),
    { order: 'newest-first' },
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportRegister(source, csv, { formatOptions: { formulas: 'raw' } })) chunks.push(chunk);
  writeFileSync(file, Buffer.concat(chunks));
  const { records } = await source.page({ offset: 0, limit: 100 });
  expected = expectedRows(definition, records).map((row) => row.map((cell) => cell ?? ''));
});

const sqlite = missing('sqlite3', '--version');
it.skipIf(sqlite !== null)(`is taken whole by sqlite3's .import (${sqlite ?? 'sqlite3'})`, async () => {
  const [header, ...rows] = expected;
  const out = await program(
    'sqlite3',
    ...[':memory:', '-cmd', '.mode csv', '-cmd', `.import ${file} records`, '-cmd', '.mode json'],
    'SELECT * FROM records',
  );
  const found = JSON.parse(out) as Readonly<Record<string, string>>[];
  expect(found.map((row) => header!.map((name) => row[name!]))).toEqual(rows);
});

const python = missing(PYTHON, '--version');
it.skipIf(python !== null)(`is taken whole by Python's csv (${python ?? 'python3'})`, async () => {
  const script =
    'import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], encoding="utf-8", newline=""), strict=True))))';
  expect(JSON.parse(await program(PYTHON, '-c', script, file))).toEqual(expected);
});

// The package weighs a hundred others, so CI does without it.
const hasPandas = spawnSync(PYTHON, ['-c', 'import pandas'], { stdio: 'ignore' }).status === 0;
it.skipIf(!hasPandas)(
  `is taken whole by pandas (${hasPandas ? 'pandas' : 'pandas is not installed here'})`,
  async () => {
    const script = `import json, pandas, sys
table = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False, na_filter=False)
print(json.dumps([list(table.columns)] + table.values.tolist()))`;
    expect(JSON.parse(await program(PYTHON, '-c', script, file))).toEqual(expected);
  },
);

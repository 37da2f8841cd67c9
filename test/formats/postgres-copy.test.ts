// PostgreSQL reads our CSV with COPY, which refuses a whole file for one NUL: the hostile corpus, value for value.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { csv } from '../../src/formats/csv.ts';
import { type DefinitionInput, defineRegister } from '../../src/register/definition.ts';
import { allFields } from '../../src/register/fields.ts';
import type { RecordInput } from '../../src/register/record-input.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { expectedRows } from './csv-dialects.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
afterAll(() => pool.end());

const fixture = (name: string): Promise<string> =>
  readFile(new URL(`../../fixtures/hostile/${name}`, import.meta.url), 'utf8');

it('is taken whole by COPY, null and the empty string kept apart', async () => {
  const definition = defineRegister(JSON.parse(await fixture('definition.json')) as DefinitionInput);
  const inputs = (await fixture('records.ndjson')).trimEnd().split('\n');
  const source = fromRecords(
    definition,
    inputs.map((line) => JSON.parse(line) as RecordInput),
    { order: 'newest-first' },
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportRegister(source, csv, { formatOptions: { formulas: 'raw' } })) chunks.push(chunk);
  const folder = await mkdtemp(join(tmpdir(), 'gazette-copy-'));
  try {
    // The server may run as another user.
    await chmod(folder, 0o755);
    const file = join(folder, 'hostile.csv');
    await writeFile(file, Buffer.concat(chunks));
    const names = allFields(definition).map(({ name }) => pg.escapeIdentifier(name));
    await pool.query(`CREATE TABLE hostile_copy (row bigserial, ${names.map((name) => `${name} text`).join(', ')})`);
    await pool.query(
      `COPY hostile_copy (${names.join(', ')}) FROM ${pg.escapeLiteral(file)} (FORMAT csv, HEADER match, ENCODING 'UTF8')`,
    );
    const { rows } = await pool.query<(string | null)[]>({
      text: `SELECT ${names.join(', ')} FROM hostile_copy ORDER BY row`,
      rowMode: 'array',
    });
    const page = await source.page({ offset: 0, limit: 100 });
    expect(page.nextOffset).toBeNull();
    expect(rows).toEqual(expectedRows(definition, page.records).slice(1));
    expect(JSON.stringify(inputs)).toContain('\\\\u0000');
  } finally {
    await rm(folder, { recursive: true });
  }
});

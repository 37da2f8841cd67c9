// Parquet of arbitrary registers, read by DuckDB: types and values.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../../src/formats/ndjson.ts';
import { parquet } from '../../src/formats/parquet/index.ts';
import { allFields } from '../../src/register/fields.ts';
import type { FieldType, RegisterDefinition } from '../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecords } from '../contracts/sample-register.ts';
import { rowOfColumns, rowOfLine, type StoredRow } from '../formats/parquet-rows.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { loadJudge } from './tools.ts';

/** What is used of the package. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }>;
  };
}

interface DuckDbConnection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): Record<string, unknown>[] }>;
  closeSync(): void;
}

let folder: string;
let connection: DuckDbConnection;
let close: () => void;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-parquet-'));
  const { DuckDBInstance } = await loadJudge<DuckDb>('@duckdb/node-api');
  const instance = await DuckDBInstance.create();
  connection = await instance.connect();
  close = () => {
    connection.closeSync();
    instance.closeSync();
  };
});
afterAll(async () => {
  close();
  await rm(folder, { recursive: true });
});

const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await connection.runAndReadAll(sql)).getRowObjectsJS();

/** A file of its own: what DuckDB has read under a name it does not read again. */
async function fileOf(document: Buffer): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.parquet`);
  await writeFile(file, document);
  return file;
}

/** A column as it is stored, in SQL. */
const STORED: Partial<Record<FieldType, (column: string) => string>> = {
  decimal: (column) => `replace(${column}::VARCHAR, '.', '')`,
  date: (column) => `(${column} - DATE '1970-01-01')::INTEGER`,
  datetime: (column) => `epoch_us(${column})`,
  // As bytes: the package for Node takes U+FEFF off texts.
  text: (column) => `encode(${column})`,
  url: (column) => `encode(${column})`,
  json: (column) => `encode(${column}::VARCHAR)`,
};

async function readRows(definition: RegisterDefinition, document: Buffer): Promise<StoredRow[]> {
  const fields = [...allFields(definition), { name: '_exact', type: 'json' as const }];
  const columns = fields.map(({ name, type }) => `${STORED[type]?.(`"${name}"`) ?? `"${name}"`} AS "${name}"`);
  const rows = await ask(`SELECT ${columns.join(', ')} FROM read_parquet('${await fileOf(document)}')`);
  for (const row of rows) {
    for (const { name, type } of fields) {
      const value = row[name];
      if (value instanceof Uint8Array) {
        const text = Buffer.from(value).toString();
        row[name] = type === 'json' ? JSON.parse(text) : text;
      }
      if (type === 'decimal' && typeof value === 'string') row[name] = BigInt(value);
    }
  }
  return rows;
}

describe('Parquet in DuckDB', () => {
  it('has columns of the types of fields', async () => {
    const fields = [...SAMPLE_DEFINITION.fields, { name: 'fee', label: 'Fee', type: 'decimal' as const }];
    const head = { ...SAMPLE_HEAD, definition: { ...SAMPLE_DEFINITION, fields } };
    const file = await fileOf(await encodeAll(parquet, head, pagesOfSize(sampleRecords(12_000))));
    const columns = await ask(`SELECT column_name, column_type FROM (DESCRIBE FROM '${file}')`);
    expect(Object.fromEntries(columns.map(({ column_name, column_type }) => [column_name, column_type]))).toMatchObject(
      {
        ...{ id: 'VARCHAR', published_at: 'TIMESTAMP WITH TIME ZONE', version: 'BIGINT', position: 'BIGINT' },
        ...{ applicant: 'VARCHAR', amount: 'DOUBLE', pages: 'BIGINT', appealed: 'BOOLEAN', valid_from: 'DATE' },
        ...{ heard_at: 'TIMESTAMP WITH TIME ZONE', map_url: 'VARCHAR', parts: 'JSON', fee: 'DECIMAL(38,18)' },
        _exact: 'JSON',
      },
    );
    const [sums] = await ask(
      `SELECT count(*) AS n, sum(position)::BIGINT AS positions FROM '${file}' WHERE version = 1`,
    );
    expect(sums).toEqual({ n: 4000n, positions: 24_006_000n });
    const groups = await ask(`SELECT DISTINCT row_group_num_rows AS n FROM parquet_metadata('${file}') ORDER BY n`);
    expect(groups).toEqual([{ n: 2000n }, { n: 5000n }]);
  });

  it('has every value that NDJSON has', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, definition, pages }) => {
        const rows = await readRows(definition, await encodeAll(parquet, head, pages));
        const lines = (await encodeAll(ndjson, head, pages)).toString().split('\n').slice(0, -1);
        expect(rows.map((row) => rowOfColumns(definition, row))).toEqual(
          lines.map((line) => rowOfLine(definition, line)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

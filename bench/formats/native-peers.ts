// Writers that are no JavaScript: DuckDB, which npm has, and libxlsxwriter, which Debian has (`libxlsxwriter-dev`, and a C
// compiler). Without these the second is left out. Both write to files, so that no byte of theirs passes through JavaScript.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Contestant, Destination } from '../harness.ts';
import { hasProgram, loadPeer, versionOf } from '../peers.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { Input } from './table.ts';
import { cellsOf, serialOf } from './xlsx-peers.ts';

interface DuckAppender {
  appendNull(): void;
  appendInteger(value: number): void;
  appendVarchar(value: string): void;
  endRow(): void;
  closeSync(): void;
}
interface DuckConnection {
  run(sql: string): Promise<unknown>;
  createAppender(table: string): Promise<DuckAppender>;
}
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<{ connect(): Promise<DuckConnection> }>;
  };
}

/** A folder that goes with the process. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-native-'));
  process.on('exit', () => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** DuckDB's COPY on one thread, from a table in its own memory. */
export function duckDbPeer({ records, names }: Input): Contestant {
  let opened: Promise<DuckConnection> | undefined;
  let size = 0;
  const copyTo = (file: string): string =>
    `COPY (SELECT * EXCLUDE row_number FROM records ORDER BY row_number) TO '${file}' (FORMAT csv, HEADER)`;
  return {
    name: 'DuckDB',
    role: 'peer',
    version: versionOf('@duckdb/node-api'),
    note: 'COPY from its own table to /dev/null, one thread',
    async run(out) {
      const connection = await (opened ??= openDuckDb(records, names));
      if (size > 0) {
        await connection.run(copyTo('/dev/null'));
        out.bytes = size;
        return;
      }
      const file = join(ownFolder(), 'records.csv');
      await connection.run(copyTo(file));
      size = giveFile(out, file);
    },
  };
}

async function openDuckDb(records: readonly RegisterRecord[], names: readonly string[]): Promise<DuckConnection> {
  const { DuckDBInstance } = await loadPeer<DuckDb>('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const columns = names.map((name) => `"${name}" ${name === 'version' || name === 'position' ? 'INTEGER' : 'VARCHAR'}`);
  await connection.run(`CREATE TABLE records (row_number INTEGER, ${columns.join(', ')})`);
  const appender = await connection.createAppender('records');
  for (const [number, record] of records.entries()) {
    appender.appendInteger(number);
    const values = record as unknown as Readonly<Record<string, string | number | null>>;
    for (const name of names) {
      const value = values[name] ?? null;
      if (value === null) appender.appendNull();
      else if (typeof value === 'number') appender.appendInteger(value);
      else appender.appendVarchar(value);
    }
    appender.endRow();
  }
  appender.closeSync();
  return connection;
}

/** The first document passes through, so that it can be checked. */
function giveFile(out: Destination, file: string): number {
  const document = readFileSync(file);
  out.write(document);
  rmSync(file);
  return document.length;
}

/** libxlsxwriter in its mode of constant memory; none where it cannot be compiled. */
export function libxlsxwriterPeers(input: Input): readonly Contestant[] {
  if (!hasProgram('cc') || !hasProgram('pkg-config', '--exists xlsxwriter')) return [];
  let ask: (() => Promise<number>) | undefined;
  let file = '';
  let size = 0;
  return [
    {
      name: 'libxlsxwriter',
      role: 'peer',
      version: null,
      note: 'C, constant memory, level 6, without links',
      async run(out) {
        if (ask === undefined) ({ ask, file } = startLibxlsxwriter(input));
        out.childrenMs = (await ask()) / 1000;
        if (size === 0) size = giveFile(out, file);
        else out.bytes = statSync(file).size;
      },
    },
  ];
}

function startLibxlsxwriter(input: Input): { readonly ask: () => Promise<number>; readonly file: string } {
  const folder = ownFolder();
  const [program, cells, file] = [join(folder, 'write'), join(folder, 'cells'), join(folder, 'records.xlsx')];
  const source = join(import.meta.dirname, 'libxlsxwriter.c');
  execFileSync('cc', ['-O2', '-o', program, source, '-lxlsxwriter'], { stdio: ['ignore', 2, 2] });
  writeFileSync(cells, cellBytes(input));
  const child = spawn(program, [cells, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.unref();
  process.on('exit', () => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    file,
    async ask() {
      child.stdin.write('\n');
      const { value, done } = await lines.next();
      if (done === true) throw new Error('libxlsxwriter ended');
      return Number(value);
    },
  };
}

/**
 * Rows with their header: how many, how many cells each; then of each cell its kind and its value. `s`: a length in bytes,
 * UTF-8, a zero; `n`, `d`, `t`: a double that is a number, a date or a time; `b`: a byte; `0`: nothing. Little-endian.
 */
function cellBytes({ fields, names, records }: Input): Buffer {
  const parts: Buffer[] = [];
  const unsigned = (value: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    parts.push(bytes);
  };
  const text = (value: string): void => {
    parts.push(Buffer.from('s'));
    unsigned(Buffer.byteLength(value));
    parts.push(Buffer.from(`${value}\0`));
  };
  const double = (kind: string, value: number): void => {
    const bytes = Buffer.alloc(9, kind);
    bytes.writeDoubleLE(value, 1);
    parts.push(bytes);
  };
  unsigned(records.length + 1);
  unsigned(names.length);
  for (const name of names) text(name);
  for (const record of records) {
    for (const [column, value] of cellsOf(fields, record).entries()) {
      const field = fields[column]!;
      if (value === null) parts.push(Buffer.from('0'));
      else if (typeof value === 'string') text(value);
      else if (typeof value === 'boolean') parts.push(Buffer.from(value ? 'b\x01' : 'b\0'));
      else if (typeof value === 'number') double('n', value);
      else double(field.type === 'date' ? 'd' : 't', serialOf(value));
    }
  }
  return Buffer.concat(parts);
}

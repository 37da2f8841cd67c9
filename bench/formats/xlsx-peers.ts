// The packages that write XLSX, each as its documentation shows for speed: streams where it has them, strings inline,
// level 1 wherever a level can be chosen, as ours. They write the cells alone: no links, no autofilter, no second sheet.
import { createDeflateRaw } from 'node:zlib';
import { Duplex, type Writable } from 'node:stream';
import type { Contestant, Destination } from '../harness.ts';
import { loadPeer, versionOf } from '../peers.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import type { Input } from './table.ts';

/** What a spreadsheet package takes for a cell. */
export type SheetValue = string | number | boolean | Date | null;

interface HucreWriter {
  addRow(values: readonly SheetValue[]): void;
  finish(): Promise<Uint8Array>;
}
interface Hucre {
  writeXlsxStream(rows: Iterable<readonly SheetValue[]>, options: object): AsyncIterable<Uint8Array>;
  readonly XlsxStreamWriter: new (options: object) => HucreWriter;
}
interface SheetWriter {
  columns: readonly object[];
  addRow(values: readonly SheetValue[]): { commit(): void };
  commit(): void;
}
interface BookWriter {
  addWorksheet(name: string, options: object): SheetWriter;
  commit(): Promise<unknown>;
}
type BookWriterClass = new (options: object) => BookWriter;
interface Exceljs {
  readonly default: {
    readonly stream: { readonly xlsx: { readonly WorkbookWriter: BookWriterClass } };
    readonly Workbook: new () => {
      addWorksheet(name: string, options: object): SheetWriter;
      readonly xlsx: { writeBuffer(options: object): Promise<Uint8Array> };
    };
  };
}
interface Excelts {
  readonly WorkbookWriter: BookWriterClass;
}
interface SheetJs {
  readonly utils: {
    aoa_to_sheet(rows: readonly (readonly SheetValue[])[], options: object): object;
    book_new(): object;
    book_append_sheet(book: object, sheet: object, name: string): void;
  };
  write(book: object, options: object): Buffer;
}
interface WriteExcelFile {
  readonly default: (data: readonly unknown[], options: object) => { toStream(stream: Writable): Promise<void> };
}

/** Records a package can take that holds the sheet's text in one string. */
const IN_MEMORY_UP_TO = 100_000;

/** Which records a document holds. */
export type Select = (index: number) => readonly RegisterRecord[];

const FROZEN = { views: [{ state: 'frozen', ySplit: 1 }] };
const DATE_FORMAT = 'yyyy-mm-dd';
const DATE_TIME_FORMAT = 'yyyy-mm-dd hh:mm:ss';

/** Days from the start of the 1900 date system to 1970-01-01. */
const EPOCH_SERIAL = 25_569;
const MS_PER_DAY = 86_400_000;

/** A time as cells have it: in days of the 1900 date system. */
export function serialOf(time: Date): number {
  return time.getTime() / MS_PER_DAY + EPOCH_SERIAL;
}

/** Whether a field's values stand in cells as dates. */
export function isTime(field: Field): boolean {
  return field.type === 'date' || field.type === 'datetime';
}

/** A record as the cells of a row. */
export function cellsOf(fields: readonly Field[], record: RegisterRecord): SheetValue[] {
  return fields.map((field) => {
    const core = record as unknown as Readonly<Record<string, SheetValue>>;
    const value = field.name in record ? core[field.name]! : (record.data[field.name] as SheetValue);
    return isTime(field) && value !== null ? new Date(value as string) : value;
  });
}

function numberFormat(field: Field): string {
  return field.type === 'date' ? DATE_FORMAT : DATE_TIME_FORMAT;
}

/** hucre's three ways: its stream, its stream at our level, its incremental writer. */
export async function hucrePeers({ fields }: Input, select: Select): Promise<Contestant[]> {
  const hucre = await loadPeer<Hucre>('hucre/xlsx');
  const version = versionOf('hucre');
  const columns = fields.map((field) => ({
    header: field.name,
    ...(isTime(field) ? { numFmt: numberFormat(field) } : {}),
  }));
  const options = { name: 'Records', columns, freezePane: { rows: 1 } };
  const stream = async (out: Destination, index: number): Promise<void> => {
    const rows = select(index)
      .values()
      .map((record) => cellsOf(fields, record));
    for await (const chunk of hucre.writeXlsxStream(rows, options)) out.write(chunk);
  };
  const writer = async (out: Destination, index: number): Promise<void> => {
    const book = new hucre.XlsxStreamWriter(options);
    for (const record of select(index)) book.addRow(cellsOf(fields, record));
    out.write(await book.finish());
  };
  return [
    { name: 'hucre stream', role: 'peer', version, note: 'as it is: level 6', run: stream },
    {
      name: 'hucre stream (level 1)',
      role: 'peer',
      version,
      note: "it has no option for the level: the platform's CompressionStream is replaced",
      run: (out, index) => atLevelOne(() => stream(out, index)),
    },
    {
      name: 'hucre writer',
      role: 'peer',
      version,
      note: 'in memory, shared strings, level 6',
      upTo: IN_MEMORY_UP_TO,
      run: writer,
    },
    {
      name: 'hucre writer (level 1)',
      role: 'peer',
      version,
      note: 'in memory, shared strings, CompressionStream replaced',
      upTo: IN_MEMORY_UP_TO,
      run: (out, index) => atLevelOne(() => writer(out, index)),
    },
  ];
}

/** Node's CompressionStream is this very thing at zlib's default level. */
class LevelOneStream {
  readonly readable: unknown;
  readonly writable: unknown;

  constructor() {
    const pair = Duplex.toWeb(createDeflateRaw({ level: 1 }));
    this.readable = pair.readable;
    this.writable = pair.writable;
  }
}

async function atLevelOne(run: () => Promise<void>): Promise<void> {
  const platform = globalThis.CompressionStream;
  globalThis.CompressionStream = LevelOneStream as unknown as typeof CompressionStream;
  try {
    await run();
  } finally {
    globalThis.CompressionStream = platform;
  }
}

/** The streaming writers of exceljs and of its successor excelts, which share an interface. */
export async function bookWriterPeers({ fields }: Input, select: Select): Promise<Contestant[]> {
  const exceljs = await loadPeer<Exceljs>('exceljs');
  const excelts = await loadPeer<Excelts>('@cj-tech-master/excelts');
  const writers: readonly (readonly [string, string, BookWriterClass])[] = [
    ['exceljs stream', 'exceljs', exceljs.default.stream.xlsx.WorkbookWriter],
    ['excelts stream', '@cj-tech-master/excelts', excelts.WorkbookWriter],
  ];
  return writers.map(([name, packageName, WorkbookWriter]) => ({
    name,
    role: 'peer',
    version: versionOf(packageName),
    note: 'strings inline, level 1',
    async run(out, index) {
      const stream = out.stream();
      const options = { stream, useSharedStrings: false, useStyles: true, zip: { zlib: { level: 1 } } };
      const book = new WorkbookWriter(options);
      const sheet = book.addWorksheet('Records', FROZEN);
      sheet.columns = sheetColumns(fields);
      for (const record of select(index)) sheet.addRow(cellsOf(fields, record)).commit();
      sheet.commit();
      await book.commit();
    },
  }));
}

/** exceljs's workbook in memory, what most people use for a page. */
export async function exceljsBookPeer({ fields }: Input, select: Select): Promise<Contestant> {
  const exceljs = await loadPeer<Exceljs>('exceljs');
  return {
    name: 'exceljs',
    role: 'peer',
    version: versionOf('exceljs'),
    note: 'in memory, level 1',
    async run(out, index) {
      const book = new exceljs.default.Workbook();
      const sheet = book.addWorksheet('Records', FROZEN);
      sheet.columns = sheetColumns(fields);
      for (const record of select(index)) sheet.addRow(cellsOf(fields, record));
      out.write(await book.xlsx.writeBuffer({ zip: { compressionOptions: { level: 1 } } }));
    },
  };
}

function sheetColumns(fields: readonly Field[]): object[] {
  return fields.map((field) => ({
    header: field.name,
    ...(isTime(field) ? { style: { numFmt: numberFormat(field) } } : {}),
  }));
}

/** SheetJS, which has no streaming writer for XLSX. */
export async function sheetJsPeer({ fields, names }: Input, select: Select): Promise<Contestant> {
  const module = await loadPeer<SheetJs & { readonly default?: SheetJs }>('xlsx');
  const sheetJs = module.default ?? module;
  return {
    name: 'SheetJS',
    role: 'peer',
    version: versionOf('xlsx'),
    note: 'in memory, dense',
    upTo: IN_MEMORY_UP_TO,
    run(out, index) {
      const rows = [names, ...select(index).map((record) => cellsOf(fields, record))];
      const sheet = sheetJs.utils.aoa_to_sheet(rows, { dense: true, cellDates: true, UTC: true });
      const book = sheetJs.utils.book_new();
      sheetJs.utils.book_append_sheet(book, sheet, 'Records');
      out.write(sheetJs.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }));
    },
  };
}

/** write-excel-file, which builds the sheet in memory and streams the archive. */
export async function writeExcelFilePeer({ fields, names }: Input, select: Select): Promise<Contestant> {
  const { default: writeExcelFile } = await loadPeer<WriteExcelFile>('write-excel-file/node');
  return {
    name: 'write-excel-file',
    role: 'peer',
    version: versionOf('write-excel-file'),
    note: 'rows in memory, archive streamed',
    upTo: IN_MEMORY_UP_TO,
    async run(out, index) {
      const rows = select(index).map((record) =>
        cellsOf(fields, record).map((value, column) =>
          value instanceof Date ? { value, type: Date, format: numberFormat(fields[column]!) } : value,
        ),
      );
      await writeExcelFile([names, ...rows], { sheet: 'Records', stickyRowsCount: 1 }).toStream(out.stream());
    },
  };
}

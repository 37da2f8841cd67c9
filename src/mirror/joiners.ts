// How a register becomes one file: from its whole as one document, or from pages, and which part of each is written.
import type { ReceivedResponse } from '../client/requester.ts';
import { jsonOf } from '../client/requester.ts';
import { linkTarget } from '../web/link-header.ts';
import { isObject } from '../checks.ts';
import { quote } from '../errors.ts';
import { CORE_FIELDS } from '../register/fields.ts';
import {
  ComingDocument,
  CsvReader,
  invalid,
  lineOf,
  NdjsonReader,
  positionOf,
  type RecordReader,
  XML_END,
  XmlReader,
} from './documents.ts';

/** The formats that can be joined. */
export type JoinedFormat = 'csv' | 'ndjson' | 'xml';

/** One parsed page. */
export interface JoinedPage {
  /** The part to write to the file. */
  readonly text: Uint8Array;
  /** The line with the column names, the same on every page of one copy; null in formats that name each value. */
  readonly columns: string | null;
  /** The positions of its records, from the highest down. */
  readonly positions: readonly number[];
  /** The address of the next page; null after the last. */
  readonly next: URL | null;
}

/** Makes a file of one format. */
export interface Joiner {
  /** The path of pages below the register's address. */
  readonly path: string;
  /** The media type of pages. */
  readonly mediaType: string;
  /** The media type of the whole register. */
  readonly wholeType: string;
  /** The end of the file. */
  readonly end: string;
  /** Reads a page. @throws GazetteError `invalid_answer` */
  read(answer: ReceivedResponse, isFirst: boolean): JoinedPage;
  /**
   * Reads the whole register.
   *
   * @param from where it is read from on: after records that came earlier, whose columns were these. Absent: from its beginning
   */
  reader(url: URL, from?: { readonly columns: string | null }): RecordReader;
}

/** A format whose pages are documents like the whole. */
function documents(name: string, mediaType: string, end: string, reader: Joiner['reader']): Joiner {
  return {
    ...{ path: `records/export.${name}`, mediaType, wholeType: mediaType, end, reader },
    read(answer, isFirst) {
      const { url, body } = answer;
      const records = reader(url);
      const document = new ComingDocument(url, records);
      const { head, text, positions } = document.take(body);
      document.end();
      const { columns } = records;
      return { text: isFirst ? Buffer.concat([head, text]) : text, columns, positions, next: nextOf(answer) };
    },
  };
}

const csv = documents('csv', 'text/csv', '', (url, from) => new CsvReader(url, from?.columns ?? null));
const xml = documents('xml', 'application/xml', XML_END, (url, from) => new XmlReader(url, from !== undefined));

function ndjsonOf(kept: ((record: object) => object) | null): Joiner {
  return {
    ...{ path: 'records', mediaType: 'application/json', wholeType: 'application/x-ndjson', end: '' },
    read: (answer) => readRecords(answer, kept ?? ((record) => record)),
    reader: (url) => new NdjsonReader(url, kept),
  };
}

/** The members of a record that can be proved: those that its versions state. */
export const PROVABLE_MEMBERS: readonly string[] = [...CORE_FIELDS.map(({ name }) => name), 'data'];

const PROVABLE: ReadonlySet<string> = new Set(PROVABLE_MEMBERS);

/** NDJSON of what can be proved, written as it is proved: a proved copy has nothing else. */
export const PROVED_NDJSON: Joiner = ndjsonOf((record) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => PROVABLE.has(name))),
);

function readRecords(answer: ReceivedResponse, kept: (record: object) => object): JoinedPage {
  const body = jsonOf(answer) as { readonly records?: unknown; readonly next_offset?: unknown } | null;
  if (!Array.isArray(body?.records)) throw invalid(answer.url, '{ records, next_offset }');
  const records: readonly unknown[] = body.records;
  if (!records.every(isObject)) throw invalid(answer.url, 'records that are objects');
  const { next_offset: offset } = body;
  if (offset !== null && !Number.isSafeInteger(offset)) throw invalid(answer.url, 'next_offset, a number or null');
  const next = offset === null ? null : new URL(answer.url);
  next?.searchParams.set('offset', String(offset));
  return {
    text: Buffer.from(records.map((record) => `${lineOf(kept(record), answer.url)}\n`).join('')),
    columns: null,
    positions: records.map(({ position }) => positionOf(position, answer.url)),
    next,
  };
}

/** Every format that can be joined, by its name. */
export const JOINERS: Readonly<Record<JoinedFormat, Joiner>> = { csv, ndjson: ndjsonOf(null), xml };

function nextOf(answer: ReceivedResponse): URL | null {
  const target = linkTarget(answer.headers.get('link'), 'next');
  if (target === null) return null;
  const next = URL.parse(target, answer.url.href);
  if (next === null || next.href === answer.url.href) throw invalid(answer.url, `a next page, not ${quote(target)}`);
  return next;
}

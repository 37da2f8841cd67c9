// How pages become one file: which part of each is written, and which positions its records have.
import { parse } from 'csv-parse/sync';
import type { ReceivedResponse } from '../client/requester.ts';
import { jsonOf, where } from '../client/requester.ts';
import { linkTarget } from '../web/link-header.ts';
import { isObject } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';
import { CORE_FIELDS } from '../register/fields.ts';

/** The formats that can be joined. */
export type JoinedFormat = 'csv' | 'ndjson' | 'xml';

/** One parsed page. */
export interface JoinedPage {
  /** The part to write to the file. */
  readonly text: string;
  /** The line with the column names, the same on every page of one copy; null in formats that name each value. */
  readonly columns: string | null;
  /** The positions of its records, from the highest down. */
  readonly positions: readonly number[];
  /** The address of the next page; null after the last. */
  readonly next: URL | null;
}

/** Joins the pages of one format. */
export interface Joiner {
  /** The path below the register's address. */
  readonly path: string;
  readonly mediaType: string;
  /** The end of the file. */
  readonly end: string;
  /** @throws GazetteError `invalid_answer` */
  read(answer: ReceivedResponse, isFirst: boolean): JoinedPage;
}

const csv: Joiner = {
  path: 'records/export.csv',
  mediaType: 'text/csv',
  end: '',
  read(answer, isFirst) {
    const text = textOf(answer);
    // Column names contain no line break, and each row of ours ends with CRLF (RFC 4180 2.1): a row without it was cut
    // off.
    const afterHeader = text.indexOf('\r\n') + 2;
    if (!text.endsWith('\r\n')) throw invalid(answer, 'whole rows of CSV');
    const [header, ...rows] = rowsOf(text, answer);
    const column = header?.indexOf('position') ?? -1;
    if (column < 0) throw invalid(answer, 'a header with the column "position"');
    const positions = rows.map((row) => positionOf(row[column], answer));
    const columns = text.slice(0, afterHeader);
    return { text: isFirst ? text : text.slice(afterHeader), columns, positions, next: nextOf(answer) };
  },
};

const xml: Joiner = {
  path: 'records/export.xml',
  mediaType: 'application/xml',
  end: '</register>\n',
  read(answer, isFirst) {
    const text = textOf(answer);
    const root = /^<\?xml [^>]*\?>\n<register [^>]*>\n/.exec(text)?.[0];
    if (root === undefined || !text.endsWith(xml.end)) throw invalid(answer, 'a document of gazette’s vocabulary');
    const records = text.slice(root.length, -xml.end.length);
    // Every `<` in texts is escaped: a match is really the start of a record.
    const positions = Array.from(records.matchAll(/^<record id="[^"]*" position="(\d+)"/gm), ([, position]) =>
      positionOf(position, answer),
    );
    // The whole document has neither the page's own address nor a next page.
    const head = root.replace(/ (?:self|next)="[^"]*"/g, '');
    return { text: isFirst ? head + records : records, columns: null, positions, next: nextOf(answer) };
  },
};

const ndjson: Joiner = {
  path: 'records',
  mediaType: 'application/json',
  end: '',
  read: (answer) => readRecords(answer, (record) => record),
};

/** The members of a record that can be proved: those that its versions state. */
export const PROVABLE_MEMBERS: readonly string[] = [...CORE_FIELDS.map(({ name }) => name), 'data'];

const PROVABLE: ReadonlySet<string> = new Set(PROVABLE_MEMBERS);

/** NDJSON of what can be proved: a proved copy has nothing else. */
export const PROVED_NDJSON: Joiner = {
  ...ndjson,
  read: (answer) =>
    readRecords(answer, (record) => Object.fromEntries(Object.entries(record).filter(([name]) => PROVABLE.has(name)))),
};

function readRecords(answer: ReceivedResponse, kept: (record: object) => object): JoinedPage {
  const body = jsonOf(answer) as { readonly records?: unknown; readonly next_offset?: unknown } | null;
  if (!Array.isArray(body?.records)) throw invalid(answer, '{ records, next_offset }');
  const records: readonly unknown[] = body.records;
  if (!records.every(isObject)) throw invalid(answer, 'records that are objects');
  const { next_offset: offset } = body;
  if (offset !== null && !Number.isSafeInteger(offset)) throw invalid(answer, 'next_offset, a number or null');
  const next = offset === null ? null : new URL(answer.url);
  next?.searchParams.set('offset', String(offset));
  return {
    text: records.map((record) => `${lineOf(kept(record), answer)}\n`).join(''),
    columns: null,
    positions: records.map(({ position }) => positionOf(position, answer)),
    next,
  };
}

function lineOf(record: object, answer: ReceivedResponse): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    throw invalid(answer, 'records that are not nested deeper than can be written', cause);
  }
}

/** Every format that can be joined, by its name. */
export const JOINERS: Readonly<Record<JoinedFormat, Joiner>> = { csv, ndjson, xml };

function textOf(answer: ReceivedResponse): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(answer.body);
  } catch (cause) {
    throw new GazetteError('invalid_answer', `${where(answer.url)} answered something that is not UTF-8`, { cause });
  }
}

function rowsOf(text: string, answer: ReceivedResponse): string[][] {
  try {
    return parse(text, { bom: false });
  } catch (cause) {
    throw invalid(answer, `whole rows of CSV: ${(cause as Error).message}`, cause);
  }
}

function positionOf(value: unknown, answer: ReceivedResponse): number {
  const position = Number(value);
  if (Number.isSafeInteger(position) && position >= 1) return position;
  throw invalid(answer, `positions from 1, not ${quote(value)}`);
}

function nextOf(answer: ReceivedResponse): URL | null {
  const target = linkTarget(answer.headers.get('link'), 'next');
  if (target === null) return null;
  const next = URL.parse(target, answer.url.href);
  if (next === null || next.href === answer.url.href) throw invalid(answer, `a next page, not ${quote(target)}`);
  return next;
}

function invalid({ url }: ReceivedResponse, expected: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_answer', `${where(url)} must answer ${expected}`, { cause });
}

// What a table of the format benchmarks is: who writes which records, how the documents are checked, what is to be
// reached. The harness knows nothing of formats; the tables know nothing of timing.
import { CORE_DEFINITION, DEFINITION, LAST_CHANGE, benchPages, benchRecords } from '../data.ts';
import type { Contestant, Destination, Goal } from '../harness.ts';
import { encode } from '../../src/formats/encode.ts';
import type { DocumentHead, Format } from '../../src/formats/format.ts';
import { type Page, PAGE_SIZE } from '../../src/register/page.ts';
import { allFields } from '../../src/register/fields.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';

/** The records of a table in every shape somebody may want. */
export interface Input {
  readonly head: DocumentHead;
  readonly definition: RegisterDefinition;
  readonly fields: readonly Field[];
  /** Names of all columns, in the order of every format. */
  readonly names: readonly string[];
  /** Newest first. */
  readonly records: readonly RegisterRecord[];
  /** The same in pages of 100. */
  readonly pages: readonly Page[];
}

/** Records of a table: `whole` writes them all into one document, `pages` makes each page a document of its own. */
export type Shape = 'whole' | 'pages';

/** One comparison. */
export interface Table {
  /** As the command line names it. */
  readonly id: string;
  readonly title: string;
  readonly shape: Shape;
  readonly columns: 'core' | 'all';
  /** Records at the default size, and with `--full`. */
  readonly sizes: { readonly default: readonly number[]; readonly full: readonly number[] };
  readonly goals: readonly Goal[];
  /** What is to be reached by the first documents of a process; only for pages. */
  readonly firstGoals?: readonly Goal[];
  /** At most this part of the whole time may pass before the first byte of ours, from so many records on. */
  readonly firstByte?: { readonly share: number; readonly fromRecords: number };
  /** Ours: the native writer, the bare loop, the reference writer. */
  ours(input: Input): Promise<readonly Contestant[]>;
  /** The packages of `bench/package.json`. */
  peers(input: Input): Promise<readonly Contestant[]>;
  /** Throws unless `document` holds exactly `pages`' records, through a reader that is neither ours nor the writer's. */
  check(document: Buffer, input: Input, contestant: Contestant): void | Promise<void>;
}

/** Records that are checked through a reader before anything is timed. */
export const CHECKED_RECORDS = 1000;

/** Records in a page. */
export const PAGE_RECORDS: number = PAGE_SIZE;

/** Columns of a table's documents. */
export function columnsOf(table: Pick<Table, 'columns'>): number {
  return allFields(definitionOf(table)).length;
}

function definitionOf(table: Pick<Table, 'columns'>): RegisterDefinition {
  return table.columns === 'core' ? CORE_DEFINITION : DEFINITION;
}

/** The input of a table. */
export function inputOf(table: Pick<Table, 'columns'>, count: number): Input {
  const definition = definitionOf(table);
  const records = benchRecords(count, definition);
  const fields = allFields(definition);
  return {
    definition,
    fields,
    names: fields.map(({ name }) => name),
    records,
    pages: benchPages(records),
    head: { definition, lastChange: LAST_CHANGE, asOf: count, links: LINKS },
  };
}

const LINKS = {
  self: 'https://permits.example.org/api/v1/feeds/permits/records/export',
  first: 'https://permits.example.org/api/v1/feeds/permits/records/export',
  alternate: 'https://permits.example.org/',
} as const;

/** One of our own formats, through `encode()`, as everybody uses it. */
export function throughEncode(
  name: string,
  role: 'native' | 'reference',
  format: Format,
  input: Input,
  shape: Shape,
  more: { readonly version?: string; readonly note?: string; readonly options?: object } = {},
): Contestant {
  return {
    name,
    role,
    version: more.version ?? null,
    ...(more.note === undefined ? {} : { note: more.note }),
    async run(out: Destination, index: number) {
      const pages = shape === 'whole' ? input.pages : [pageAt(input, index)];
      // Without a report, since no package makes one. With one, as the command line and the pages over HTTP have it, a
      // tenth of CSV's time and a twentieth of the other texts' comes on top.
      // The destination is done with a chunk when it has it, as a file is: the harness lets everybody use buffers again.
      for await (const chunk of encode(pages, format, input.head, { ...more.options, reusesChunks: true }))
        out.write(chunk);
    },
  };
}

/** The page that the document number `index` holds. */
export function pageAt(input: Input, index: number): Page {
  return input.pages[index % input.pages.length]!;
}

/** @throws Error unless `actual` equals `expected`. `what` names what was compared. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  // Long texts are shown from shortly before the first difference.
  const from = typeof actual === 'string' && typeof expected === 'string' ? firstDifference(actual, expected) - 20 : 0;
  throw new Error(`${what}: expected ${show(expected, from)}, got ${show(actual, from)}`);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function show(value: unknown, from: number): string {
  if (typeof value !== 'string') return String(value);
  const start = Math.max(0, from);
  return JSON.stringify(value.slice(start, start + 100));
}

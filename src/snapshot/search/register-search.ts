// The search of a register: one index or, of a large register, one for each year of publication, in folders of its folder. An
// index is made again only where what it was made of has changed.
import { createHash } from 'node:crypto';
import { SEARCH_FOLDER } from '../../archive/layout.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import type { Filter } from '../../register/finding/filter.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { pages, type RegisterSource } from '../../register/sources/source.ts';
import { type RegisterManifestHead, type SearchIndex, stemOf } from '../folder/manifest.ts';
import type { SnapshotFolder } from '../folder/writer.ts';
import type { SnapshotRegister } from '../pages/content.ts';
import { entryOf, searchLanguage, UNDATED, yearOf } from './entries.ts';
import type { IndexFile, SearchEngine, SearchEntry } from './pagefind.ts';

/** Up to so many records a register has one index: a browser reads what it has of all words before the first result. */
const RECORDS_IN_INDEX = 10_000;

/** The name of the only index. */
const ALL = 'all';

/** What the search of a register is made of. */
export interface SearchRun {
  readonly engine: SearchEngine;
  readonly register: SnapshotRegister;
  readonly source: RegisterSource;
  /** The highest position. */
  readonly top: number;
  readonly signal: AbortSignal | undefined;
}

/** The search of a register as it now is in its folder. */
export interface WrittenSearch {
  /** The newest year first, and what has no date last. */
  readonly indexes: readonly SearchIndex[];
  /** The stems of all its files, for the manifest. */
  readonly stems: readonly string[];
}

/** Brings the indexes of a register to its present state. @throws GazetteError `internal_error`, `output_failed`; errors of the store */
export async function writeSearch(
  folder: SnapshotFolder<RegisterManifestHead>,
  run: SearchRun,
): Promise<WrittenSearch> {
  const indexes = await wantedIndexes(run);
  const before = new Map(folder.previous?.head.search?.map(({ name, digest }) => [name, digest]));
  const written: WrittenSearch[] = [];
  for (const index of indexes) {
    const stems = before.get(index.name) === index.digest ? knownStems(folder, index.name) : [];
    for (const stem of stems) folder.keep(stem);
    written.push(stems.length > 0 ? { indexes: [index], stems } : await write(folder, run, index));
  }
  return { indexes: written.flatMap((one) => one.indexes), stems: written.flatMap(({ stems }) => stems) };
}

/** The indexes that there are to be. */
async function wantedIndexes(run: SearchRun): Promise<readonly SearchIndex[]> {
  const { engine, register, top } = run;
  const isOne = register.total <= RECORDS_IN_INDEX;
  const found = new Map<string, Tally>();
  for await (const record of recordsOf(run, ALL)) {
    const name = isOne ? ALL : yearOf(record);
    const tally = found.get(name) ?? new Tally(engine.version);
    found.set(name, tally);
    tally.add(entryOf(register, top, record));
  }
  const language = searchLanguage(register.definition.language);
  const indexes = Array.from(found, ([name, tally]) => ({ name, language, ...tally.end() }));
  return indexes.sort((a, b) => orderOf(b.name) - orderOf(a.name));
}

/** Counts what an index is made of. */
class Tally {
  readonly #digest: ReturnType<typeof createHash>;
  #records = 0;

  constructor(version: string) {
    this.#digest = createHash('sha256').update(version);
  }

  add(entry: SearchEntry): void {
    this.#records++;
    this.#digest.update(`${canonicalJson(entry as unknown as JsonValue)}\n`);
  }

  end(): Pick<SearchIndex, 'digest' | 'records'> {
    return { digest: this.#digest.digest('hex'), records: this.#records };
  }
}

function orderOf(name: string): number {
  return name === UNDATED ? -Infinity : Number(name);
}

/** The records of an index, the newest first. */
async function* recordsOf(
  { source, top, signal }: SearchRun,
  name: string,
): AsyncGenerator<RegisterRecord, void, undefined> {
  const filter = askedOf(name);
  for await (const { records } of pages(source, { asOf: top, filter, ...(signal === undefined ? {} : { signal }) })) {
    for (const record of records) if (name === ALL || yearOf(record) === name) yield record;
  }
}

/** What a source is asked for an index. No filter finds what has no date, or a year at the ends of what dates can say. */
function askedOf(name: string): Filter {
  const year = Number(name);
  if (!(year >= 1 && year < 9999)) return {};
  const [since, until] = [year, year + 1].map((one) => `${String(one).padStart(4, '0')}-01-01`);
  return { published_since: since!, published_until: until! };
}

/** The stems of an index whose files are certainly those of the complete state; none otherwise. */
function knownStems(folder: SnapshotFolder<RegisterManifestHead>, name: string): readonly string[] {
  const prefix = `${SEARCH_FOLDER}/${name}/`;
  const stems = [...folder.previous!.ranges.keys()].filter((stem) => stem.startsWith(prefix));
  const areKnown = stems.every((stem) => folder.areKnown(stem, Object.keys(folder.previous!.entries(stem))));
  return areKnown ? stems : [];
}

/** Makes an index. What leads to the other files comes last, so that a reader never finds a way to one that is not there yet. */
async function write(
  folder: SnapshotFolder<RegisterManifestHead>,
  run: SearchRun,
  { name, language, records }: SearchIndex,
): Promise<WrittenSearch> {
  // Counted again: records may have changed since, and what is in the index decides whether the next run keeps it.
  const tally = new Tally(run.engine.version);
  const files = await run.engine.index(language, records, entriesIn(run, name, tally));
  const stems = new Set<string>();
  for (const { path, content } of inOrder(files)) {
    const file = `${SEARCH_FOLDER}/${name}/${path}`;
    await folder.put(file, content);
    stems.add(stemOf(file));
  }
  return { indexes: [{ name, language, ...tally.end() }], stems: [...stems] };
}

async function* entriesIn(run: SearchRun, name: string, tally: Tally): AsyncGenerator<SearchEntry, void, undefined> {
  for await (const record of recordsOf(run, name)) {
    const entry = entryOf(run.register, run.top, record);
    tally.add(entry);
    yield entry;
  }
}

/** The ways in, each after what it leads to. Files of one beginning, up to a dot, are not side by side: a manifest would take them for one. */
const LAST = [/^pagefind\.js$/, /\.pagefind$/, /\.pf_meta$/, /^pagefind-entry\.json$/];

function inOrder(files: readonly IndexFile[]): readonly IndexFile[] {
  const rankOf = ({ path }: IndexFile): number => LAST.findIndex((pattern) => pattern.test(path));
  return files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
}

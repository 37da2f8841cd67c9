// A register as a few large files, for those who load it rather than follow it: all records, as `register.csv.gz`,
// `register.parquet` and `register.geojson`; all versions, by the month in which they were recorded, as
// `changes-2026-11.ndjson.gz`. Only where readers see everything. A file is written while the register is read.
import { join } from 'node:path';
import { MONTH_STEM, monthFile, wholeFile } from '../archive/layout.ts';
import { exportRegister } from '../export/register.ts';
import { dropStaged, stageChunks } from '../files/staged-file.ts';
import { csv } from '../formats/csv.ts';
import type { Format } from '../formats/format.ts';
import { geojson } from '../formats/geojson/index.ts';
import { formatsFor } from '../formats/index.ts';
import { canWriteParquet, parquet } from '../formats/parquet/index.ts';
import type { RecordVersion, RegisterDefinition } from '../register/record.ts';
import { type RegisterSource, throwIfAborted } from '../register/sources/source.ts';
import { type Tier, tierIn } from '../register/tier.ts';
import { type RegisterEntry, type RegisterStore, VERSIONS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { compressed, COMPRESSORS } from '../web/coding.ts';
import { type FileEntry, type RegisterManifestHead, stemOf } from './folder/manifest.ts';
import type { FileFacts } from './folder/staged-file.ts';
import type { SnapshotFolder } from './folder/writer.ts';
import type { Place } from './places/place.ts';

/** All records in one file. */
interface WholeFormat {
  /** Its extension, with that of its packing. */
  readonly ending: string;
  readonly format: Format;
}

const GZIP = '.gz';
const WHOLE_STEM = stemOf(wholeFile('gz'));

/** The media types of these files, by the last part of their names. */
export const WHOLE_TYPES: readonly Pick<Format, 'extension' | 'mediaType'>[] = [
  parquet,
  geojson,
  { extension: 'gz', mediaType: 'application/gzip' },
];

/** What is written of the whole of a register. Empty: nothing, because its readers do not see everything, or it was not asked for. */
export function wholesOf(
  definition: RegisterDefinition,
  { tier, whole }: { readonly tier: Tier; readonly whole: boolean },
): readonly WholeFormat[] {
  if (!whole || tierIn(definition, tier) !== 'pro') return [];
  return formatsFor([csv, ...(canWriteParquet() ? [parquet] : []), geojson], definition).map((format) => {
    return { ending: format.extension + (format === csv ? GZIP : ''), format };
  });
}

/** What the files are made of, and where. */
export interface WholeRun {
  readonly store: RegisterStore;
  readonly entry: RegisterEntry;
  readonly source: RegisterSource;
  readonly folder: SnapshotFolder<RegisterManifestHead>;
  readonly place: Place;
  /** The public address of the register's folder. */
  readonly url: string;
  /** The last change in the files of the run before; null: none of them can be kept. */
  readonly since: number | null;
  readonly signal?: AbortSignal;
}

/** Brings the files to the state of the entry. @returns their stems, for the manifest */
export async function writeWhole(run: WholeRun, wholes: readonly WholeFormat[]): Promise<readonly string[]> {
  if (wholes.length === 0) return [];
  for (const one of wholes) await writeRecords(run, one);
  return [WHOLE_STEM, ...(await writeMonths(run))];
}

async function writeRecords(run: WholeRun, { ending, format }: WholeFormat): Promise<void> {
  const { entry, source, url, signal } = run;
  const name = wholeFile(ending);
  if (run.since === entry.change && (await keep(run, name))) return;
  let records = 0;
  const document = exportRegister(source, format, {
    asOf: entry.top,
    self: `${url}/${name}`,
    reusesChunks: true,
    onPage: (count) => (records += count),
    ...(signal === undefined ? {} : { signal }),
  });
  await write(run, name, document, () => ({ records, tier: 'pro', as_of: entry.top }));
}

/** Writes the months that have new versions, or erased ones, and keeps the others. */
async function writeMonths(run: WholeRun): Promise<readonly string[]> {
  const { store, entry, folder, since } = run;
  const stale = since === null ? null : await monthsSince(store, entry, since);
  const stems: string[] = [];
  let last = 0;
  for (const [stem, entries] of stale === null ? [] : monthsOf(folder)) {
    const month = stem.slice(MONTH_STEM.length);
    const kept = entries[monthFile(month)]!.changes![1];
    last = !stale!.has(month) && (await keep(run, monthFile(month))) ? kept : await writeMonth(run, month, last);
    stems.push(stem);
  }
  while (last < entry.change) {
    const { versions } = await store.changes(entry.definition.id, { since: last, log: entry.log, limit: 1 });
    const month = monthOf(versions[0]!);
    last = await writeMonth(run, month, last);
    stems.push(stemOf(monthFile(month)));
  }
  return stems;
}

/** The entries of the months that the last run wrote, by stem, in their order. */
function* monthsOf(folder: WholeRun['folder']): Iterable<readonly [string, Readonly<Record<string, FileEntry>>]> {
  const { previous } = folder;
  for (const stem of previous?.ranges.keys() ?? []) {
    if (stem.startsWith(MONTH_STEM)) yield [stem, previous!.entries(stem)];
  }
}

/** The months of which a version was recorded or erased after a change. */
async function monthsSince(store: RegisterStore, entry: RegisterEntry, since: number): Promise<ReadonlySet<string>> {
  const months = new Set<string>();
  for await (const versions of versionsAfter(store, entry, since)) {
    for (const version of versions) {
      months.add(monthOf(version));
      if (version.cause !== 'redacted') continue;
      for (let offset = 0, more = true; more; offset += VERSIONS_PAGE_SIZE) {
        const erased = (await store.history(version.record_id, { offset, limit: VERSIONS_PAGE_SIZE })) ?? [];
        for (const one of erased) months.add(monthOf(one));
        more = erased.length === VERSIONS_PAGE_SIZE;
      }
    }
  }
  return months;
}

/** Writes the versions of a month, the first of which is the one after a change. @returns its last change */
async function writeMonth(run: WholeRun, month: string, after: number): Promise<number> {
  let last = after;
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const versions of versionsAfter(run.store, run.entry, after)) {
      throwIfAborted(run.signal);
      const own = versions.filter((version) => monthOf(version) === month);
      last = own.at(-1)?.change ?? last;
      yield Buffer.from(own.map((version) => `${JSON.stringify(version)}\n`).join(''));
      if (own.length < versions.length) return;
    }
  };
  await write(run, monthFile(month), lines(), () => ({ tier: 'pro', changes: [after + 1, last] }));
  return last;
}

/** The versions after a change, in pages, as far as the entry goes. */
async function* versionsAfter(
  store: RegisterStore,
  { definition, log, change }: RegisterEntry,
  after: number,
): AsyncGenerator<readonly RecordVersion[]> {
  for (let since = after, more = since < change; more;) {
    const page = await store.changes(definition.id, { since, log, limit: VERSIONS_PAGE_SIZE });
    yield page.versions.filter((version) => version.change <= change);
    since = page.nextSince;
    more = page.more && since < change;
  }
}

/** Times of a log never go back. */
function monthOf({ recorded_at: recordedAt }: RecordVersion): string {
  return new Date(recordedAt).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Keeps a file of the last run as it is. @returns false where it is not certain to be that */
async function keep({ folder }: WholeRun, name: string): Promise<boolean> {
  const entry = folder.previous?.entries(stemOf(name))[name];
  if (entry === undefined || !folder.isKnown(name)) return false;
  await folder.accept(stemOf(name), [{ name, entry, isWritten: false }]);
  return true;
}

async function write(
  { folder, place }: WholeRun,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  factsOf: () => FileFacts,
): Promise<void> {
  const stem = stemOf(name);
  const path = join(place.waiting, name);
  const bytes = await stageChunks(path, name.endsWith(GZIP) ? compressed(chunks, () => COMPRESSORS.gzip()) : chunks);
  const entry = { ...bytes, ...factsOf() };
  const isWritten = folder.knownDigests(stem)[name] !== entry.sha256;
  if (!isWritten) await dropStaged(path);
  await folder.accept(stem, [{ name, entry, isWritten }]);
}

// Brings one register's folder to the register's current state. After the first run it reads and writes only the newest
// page and pages with a changed record; for whole registers and for a search it reads all records whenever something has
// changed. Memory holds one page, one batch of files and the manifest, and the files of one index of a search.
import { showsWhole } from '../archive/content.ts';
import { readRecords } from '../archive/records.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { PAGE_SIZE } from '../register/page.ts';
import { type RegisterSource, throwIfAborted } from '../register/sources/source.ts';
import { publicWindow, seesEntries, tierIn } from '../register/tier.ts';
import { unknownFeed } from '../stores/rows/register.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';
import type { CataloguedDefinition } from '../templates/catalogues/catalog.ts';
import { MONTHS_ASKED } from '../templates/parts/chart.ts';
import { renderChanges } from './pages/changes-feed.ts';
import { SnapshotFolder } from './folder/writer.ts';
import {
  CHANGES_FILE,
  closedPage,
  closedPages,
  DATA_PACKAGE_FILE,
  HEAD_NAME,
  headPage,
  LOG_FOLDER,
  pageNumberOf,
  PAGES_FOLDER,
  SEARCH_FOLDER,
  type PageName,
  type PagePlace,
  PROOF_ENDING,
  SCHEMA_FILE,
} from '../archive/layout.ts';
import { type ManifestBytes, manifestHead, type RegisterManifestHead, stemOf } from './folder/manifest.ts';
import type { StagedFile } from './folder/staged-file.ts';
import { type KnownState, knownState, markOf } from './known-state.ts';
import type { Place } from './places/place.ts';
import { dataPackageOf, schemaOf } from './pages/content.ts';
import type { PageOrder } from './pages/files.ts';
import { encodersOf } from './pages/formats.ts';
import type { PageMaker } from './pages/maker.ts';
import { sideBySide } from './side-by-side.ts';
import { closedEndings, shapeOf, type SnapshotShape, unchangedRegister, type WrittenRegister } from './unchanged.ts';
import type { SearchEngine } from './search/pagefind.ts';
import { writeSearch } from './search/register-search.ts';
import { wholesOf, writeWhole } from './whole.ts';
import type { SignedRegister } from './wing.ts';

/** Options for writing a register. */
export interface RegisterRun {
  readonly maker: PageMaker;
  /** The register as a list had it a moment ago. Null: it is looked up. */
  readonly seen: RegisterEntry | null;
  /** What is signed of it, as it was read before the register; null: nothing. */
  readonly signed: SignedRegister | null;
  /** Makes its search; null: it has none. */
  readonly engine: SearchEngine | null;
  readonly signal?: AbortSignal;
  /** Called after each closed page with the number of records done and the maximum. */
  readonly onPage: (records: number, of: number) => void;
  /** Called before the first file is written, and awaited before it is moved to its place. */
  readonly onBegin: () => Promise<void>;
}

/** Files that may say more than the readers of a later state see. */
const OWN_NAMES =
  /^(?:index\.proof\.ndjson|register\.(?:csv\.gz|parquet|geojson)|changes-\d{4}-\d\d\.ndjson\.gz|pages\/\d{6}\..*|search\/(?:all|\d{4}|undated)\/.*)$/;

/**
 * Brings a register's folder to the register's current state.
 *
 * @throws GazetteError `unknown_feed`, `damaged_snapshot`, `output_failed`, `aborted`; errors of
 *   the store and the formats.
 */
export async function snapshotRegister(
  store: RegisterStore,
  feedId: string,
  place: Place,
  shape: SnapshotShape,
  options: RegisterRun,
): Promise<WrittenRegister> {
  const { signal, maker, seen } = options;
  const first = seen ?? (await registerOf(store, feedId));
  // A register that was removed and created again since that was read gets it with the next run.
  const signedIn = (log: string): SignedRegister | null =>
    options.signed?.uuid.startsWith(log) === true ? options.signed : null;
  const unchanged = await unchangedRegister(first, place, shape, maker, signedIn(first.log));
  if (unchanged !== null) return unchanged;
  // Others were written since it was seen, and it may have changed.
  const entry = seen === null ? first : await registerOf(store, feedId);
  const { definition, change, log, top, total: live, lastChange } = entry;
  const within = [PAGES_FOLDER, SEARCH_FOLDER, LOG_FOLDER];
  const folder = await SnapshotFolder.open<RegisterManifestHead>(place, within, OWN_NAMES);
  const signed = signedIn(log);
  const proofs = signed?.proofs(entry, shape.tier) ?? null;
  const writeSigned = await signed?.plan(folder, seesEntries(definition, shape.tier));
  const digest = shapeOf(definition, shape, maker);
  const known = await knownState(store, entry, folder, digest, closedEndings(maker, proofs));
  const head = headPage(top);
  const schema = schemaOf(definition, maker.endings);

  const source = await store.source(feedId);
  // Changes from here on belong to the next run.
  const frozen: RegisterSource = { definition, page: (query) => source.page({ asOf: top, ...query }) };
  const { tier, tiers, baseUrl } = shape;
  const wholes = wholesOf(definition, shape);
  const window = tierIn(definition, tier) === 'public' ? await publicWindow(frozen, tiers.window, signal) : [];
  const latest = new Set(window.map(({ id }) => id));
  const url = `${baseUrl}/${feedId}`;
  const { endings, mediaTypes } = maker;
  const counted = await store.values.months(feedId, { limit: MONTHS_ASKED });
  const months = counted.map(({ value, records }) => ({ month: value, records }));
  const shown = {
    ...{ definition, tier, tiers, latest, endings, mediaTypes, baseUrl, url, total: live, months },
    wholes: wholes.map(({ ending }) => ending),
    isProved: proofs?.areOnClosed === true,
  };
  const walk = walkOf(head);
  const described = dataPackageOf(shown, maker.formats, walk);
  const single = [
    CHANGES_FILE,
    ...(schema === null ? [] : [SCHEMA_FILE]),
    ...(described === null ? [] : [DATA_PACKAGE_FILE]),
  ];
  const target = { register: shown, path: place.waiting };
  const count = closedPages(top);
  const stale = closedNumbers(count).filter(
    (number) => known === null || number > known.closed || known.changed.has(number),
  );

  try {
    await folder.begin(tier, options.onBegin());
    if (stale.length > 0) await folder.makeFolderOf(closedPage(1).name);
    const orderOf = async (place: PagePlace): Promise<PageOrder> => {
      throwIfAborted(signal);
      const records = await readRecords(source, place, signal);
      return { place, records, known: folder.knownDigests(place.name), lastChange };
    };
    const accept = async ({ place, records }: PageOrder, files: readonly StagedFile[]): Promise<void> => {
      await folder.accept(place.name, files);
      const proof = await proofs?.of(
        place,
        records.filter((record) => showsWhole(shown, place, record)),
      );
      if (proof == null) return;
      const facts = { records: proof.records, positions: [place.from, place.to] as const, tier, as_of: place.to };
      await folder.put(`${place.name}.${PROOF_ENDING}`, proof.bytes, facts);
    };
    const counts = new Map<number, number>();
    let made = 0;
    // New files must never link to files that do not exist yet: first the schema, then the archives.
    if (schema !== null) await folder.put(SCHEMA_FILE, schema);
    maker.open(target, stale.length);
    await sideBySide(stale, maker.capacity, async (number) => {
      const order = await orderOf(closedPage(number));
      counts.set(number, order.records.length);
      await accept(order, await maker.make(order));
      options.onPage((made += order.records.length), stale.length * PAGE_SIZE);
    });
    const kept = known === null ? [] : closedNumbers(known.closed).filter((number) => !counts.has(number));
    for (const number of kept) folder.keep(closedPage(number).name);
    const since = known?.change ?? null;
    const run = { store, entry, source, folder, place, url, since, ...(signal === undefined ? {} : { signal }) };
    const wholeStems = await writeWhole(run, wholes);
    const { engine } = options;
    const search =
      engine === null ? null : await writeSearch(folder, { engine, register: shown, source: frozen, top, signal });
    if (search !== null) maker.open({ ...target, register: { ...shown, search: search.indexes } }, 0);
    const order = await orderOf(head);
    await accept(order, await maker.makeHere(order));
    const changes = await renderChanges(store, shown, entry, maker.atom);
    await folder.put(CHANGES_FILE, changes.bytes, { records: changes.records, tier, as_of: top });
    if (described !== null) await folder.put(DATA_PACKAGE_FILE, described);
    // Never a checkpoint without its versions: the log is behind the pages, and written last.
    const signedNames = (await writeSigned?.(signal)) ?? [];
    const total = order.records.length + archived(folder.previous, head, known, counts);
    // The pages may already lack what was withdrawn since.
    const after = await store.register(feedId);
    const readTo = after?.log === log ? after.change : change;
    const written: RegisterManifestHead = {
      ...manifestHead(tier, baseUrl),
      feed_id: feedId,
      ...cataloguedOf(definition),
      last_change: lastChange,
      as_of: top,
      change,
      ...(readTo === change ? {} : { read_to: readTo }),
      log,
      ...(signed === null ? {} : { checkpoint: signed.checkpoint }),
      ...(proofs === null ? {} : { definition, encoders: encodersOf(maker.formats) }),
      ...(proofs === null || Object.keys(tiers).length === 0 ? {} : { tiers }),
      change_mark: await markOf(store, entry, change),
      shape: digest,
      // Not the register's own count: the register may change while its pages are read, and this counts the pages.
      total,
      ...(search === null ? {} : { search: search.indexes }),
      walk,
    };
    const names = [
      ...closedNumbers(count).map((number) => closedPage(number).name),
      head.name,
      ...single.map(stemOf),
      ...wholeStems,
      ...(search?.stems ?? []),
      ...signedNames,
    ];
    const manifest = folder.manifest(written, new Set(names));
    await folder.finish(manifest);
    const register = { feedId, title: definition.title, records: total, written: folder.written };
    return { register, head: written, manifest: manifest.entry };
  } finally {
    await folder.close();
  }
}

/** What lists say of a register, as far as it says it. */
function cataloguedOf(definition: RegisterDefinition): CataloguedDefinition {
  const { title, description, language, author, rights, homepage, created_at, access, every } = definition;
  return {
    ...{ title, description, language, author, rights, homepage, created_at },
    ...(access === undefined ? {} : { access }),
    ...(every === undefined ? {} : { every }),
  };
}

/** @throws GazetteError `unknown_feed` */
async function registerOf(store: RegisterStore, feedId: string): Promise<RegisterEntry> {
  const entry = await store.register(feedId);
  if (entry === null) throw unknownFeed(feedId);
  return entry;
}

/** The numbers of so many closed pages. */
function closedNumbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The number of records in closed pages of the walk; those written by this run have their own counts. */
function archived(
  previous: ManifestBytes<RegisterManifestHead> | null,
  head: PagePlace,
  known: KnownState | null,
  counts: ReadonlyMap<number, number>,
): number {
  const last = pageNumberOf(head.from) - 1;
  let total = 0;
  for (const [number, records] of counts) if (number <= last) total += records;
  if (previous === null || known === null) return total;
  const before = (name: PageName): number => previous.entries(name)[`${name}.json`]!.records!;
  const lastBefore = pageNumberOf(headPage(previous.head.as_of).from) - 1;
  // Unchanged pages are not counted again: their number is the former total, less the pages that changed and the
  // records that moved out of the head.
  total += previous.head.total - before(HEAD_NAME);
  for (const number of counts.keys()) if (number <= lastBefore) total -= before(closedPage(number).name);
  for (let number = lastBefore + 1; number <= Math.min(last, known.closed); number++) {
    if (!counts.has(number)) total += before(closedPage(number).name);
  }
  return total;
}

/** The pages that together contain every record once, newest first. */
function walkOf(head: PagePlace): readonly PageName[] {
  const walk = [head.name];
  for (let number = pageNumberOf(head.from) - 1; number > 0; number--) walk.push(closedPage(number).name);
  return walk;
}

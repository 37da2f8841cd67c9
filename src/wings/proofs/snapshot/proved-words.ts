// The words of a register's pages in a folder, proved by the lines beside them: the list of a page says what is signed, and where
// readers see everything, each other file of it is what is written again of that.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, type PageContent } from '../../../archive/content.ts';
import {
  closedPage,
  closedPages,
  type Ending,
  HEAD_NAME,
  headPage,
  MANIFEST_FILE,
  type PagePlace,
  PAGES_FOLDER,
  PROOF_ENDING,
  SCHEMA_FILE,
  VIEW_TYPES,
} from '../../../archive/layout.ts';
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { EXPORT_FORMATS } from '../../../formats/index.ts';
import { PAGE_SIZE } from '../../../register/page.ts';
import { defineRegister } from '../../../register/definition.ts';
import type { RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { tierIn } from '../../../register/tier.ts';
import { type Files, ManifestBytes, type RegisterManifestHead, stemOf } from '../../../snapshot/folder/manifest.ts';
import { fileNames, type SnapshotRegister } from '../../../snapshot/pages/content.ts';
import { encodersOf, openPageFormats, type PageWriters } from '../../../snapshot/pages/formats.ts';
import { renderPage } from '../../../snapshot/pages/render.ts';
import { MONTHS_ASKED } from '../../../templates/parts/chart.ts';
import type { LoggedRecords } from './logged-records.ts';
import { linesIn, ProvedWords } from './page-words.ts';
import { unsignedIn } from './proved-pages.ts';

/** What a folder's pages say, as far as that is proved. */
export interface FolderWords {
  /** Of how many records every word is as signed. */
  readonly records: number;
  /** The files that were compared: the extensions of those of all pages, and names of single ones that were not. */
  readonly compared: readonly string[];
  readonly uncompared: readonly string[];
}

/**
 * Proves the words of a register's pages, whose files are those of the manifest.
 *
 * @param logged what the log says of its records, after so many changes
 * @returns null where the folder has nothing that proves them
 * @throws GazetteError `invalid_proof` with the file, and the line or the position; `aborted`
 */
export async function proveWords(
  folder: string,
  feedId: string,
  { logged, size }: { readonly logged: LoggedRecords; readonly size: number },
  signal: AbortSignal | undefined,
): Promise<FolderWords | null> {
  const place = join(folder, feedId);
  const path = join(place, MANIFEST_FILE);
  const manifest = new ManifestBytes<RegisterManifestHead>(await readFile(path), path);
  const { head } = manifest;
  const files = manifest.files();
  if (head.definition === undefined && !Object.keys(files).some((name) => name.endsWith(PROOF_ENDING))) return null;
  const definition = definitionIn(head, feedId, path);
  const isAll = tierIn(definition, head.tier) === 'pro';
  const register = registerOf(manifest, definition, endingsIn(place, head.as_of, files));
  const writers = isAll ? await writersOf(head, register) : new Map<Ending, null>();
  const words = new ProvedWords({
    ...{ logged, size, unsigned: unsignedIn(head, size), fields: definition.fields, isAll },
    tiers: head.tiers ?? {},
  });
  const months = new Map<string, number>();
  const closed = closedPages(head.as_of);
  // The newest page has the months of all records: it comes last.
  for (let number = 1; number <= closed + 1; number++) {
    throwIfAborted(signal);
    const page = number > closed ? headPage(head.as_of) : closedPage(number);
    if (!isAll && !Object.hasOwn(files, `${page.name}.${PROOF_ENDING}`)) continue;
    const records = await recordsOf(place, page, files, words);
    for (const { position, published_at: at } of records)
      if (typeof at === 'string' && (page.isClosed || position! > closed * PAGE_SIZE)) count(months, at.slice(0, 7));
    // What the newest page says of all records is of another moment where the register changed while its pages were read.
    const isOfOneMoment = page.isClosed || head.read_to === undefined;
    const written = new Map([...writers].filter(([ending]) => ending !== 'html' || isOfOneMoment));
    const content = contentOf(register, page, records, head.last_change);
    await compareFiles(place, { ...register, months: newestOf(months) }, content, written);
  }
  if (!isAll && words.proved > 0) {
    for (let number = 1; number <= closed + 1; number++) {
      const page = number > closed ? headPage(head.as_of) : closedPage(number);
      words.compareAgain(await listOf(place, page, files), page, listFile(place, page));
    }
  }
  const compared = register.endings.flatMap((ending) => {
    if (writers.has(ending)) return [ending];
    return ending === 'json' ? ['json (its records)'] : [];
  });
  const uncompared = register.endings.filter((ending) => ending !== 'json' && !writers.has(ending));
  if (head.read_to !== undefined && writers.has('html')) uncompared.push(`${HEAD_NAME}.html`);
  return { records: words.proved, compared, uncompared };
}

/** The records of a page, compared with its lines. @throws GazetteError `invalid_proof` */
async function recordsOf(
  place: string,
  page: PagePlace,
  files: Files,
  words: ProvedWords,
): Promise<readonly RegisterRecord[]> {
  const { name, from, to } = page;
  const [file, proofFile] = [listFile(place, page), join(place, `${name}.${PROOF_ENDING}`)];
  const lines = Object.hasOwn(files, `${name}.${PROOF_ENDING}`)
    ? linesIn(await readFile(proofFile, 'utf8'), proofFile)
    : [];
  const listed = await listOf(place, page, files);
  const shown = listed.filter((record) => !isObject(record) || record.preview !== true);
  return words.compare({ from, to, file, proofFile, shown, lines });
}

/** The records of a page's list. @throws GazetteError `invalid_proof` for a text that is no list as gazette writes it, or none */
async function listOf(place: string, page: PagePlace, files: Files): Promise<readonly unknown[]> {
  const file = listFile(place, page);
  const text = Object.hasOwn(files, `${page.name}.json`) ? await readFile(file, 'utf8') : '';
  const list = parsed(text);
  const { records } = isObject(list) ? list : {};
  // Who reads it otherwise than by JSON.parse(), such as a member that is there twice, reads the same.
  if (Array.isArray(records) && `${JSON.stringify(list)}\n` === text) return records as readonly unknown[];
  throw new GazetteError('invalid_proof', `${file} must be a list of records`);
}

function listFile(place: string, { name }: PagePlace): string {
  return join(place, `${name}.json`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws GazetteError `invalid_proof` for a file that is not what these writers write */
async function compareFiles(
  place: string,
  register: SnapshotRegister,
  content: PageContent,
  writers: PageWriters,
): Promise<void> {
  const names = fileNames(writers.keys(), content.place.name);
  let at = 0;
  const wrong = (cause?: unknown): GazetteError => {
    const path = join(place, names[Math.max(at - 1, 0)]!);
    return new GazetteError('invalid_proof', `${path} must be what is written of the signed records`, { cause });
  };
  try {
    for await (const { bytes } of renderPage(register, content, writers))
      if (!(await readFile(join(place, names[at++]!))).equals(bytes)) throw wrong();
  } catch (cause) {
    // Records that changed since the log was signed are as the folder has them: they may be none.
    throw isGazetteError(cause, 'invalid_proof') ? cause : wrong(cause);
  }
}

function count(months: Map<string, number>, month: string): void {
  months.set(month, (months.get(month) ?? 0) + 1);
}

/** As a store tells them. */
function newestOf(months: ReadonlyMap<string, number>): SnapshotRegister['months'] {
  const all = Array.from(months, ([month, records]) => ({ month, records }));
  return all.sort((a, b) => (a.month < b.month ? 1 : -1)).slice(0, MONTHS_ASKED);
}

/** The definition that the pages were made by. @throws GazetteError `invalid_proof` */
function definitionIn({ definition }: RegisterManifestHead, feedId: string, path: string): RegisterDefinition {
  try {
    const defined = defineRegister(definition!);
    if (defined.id === feedId) return defined;
  } catch (cause) {
    if (!isGazetteError(cause)) throw cause;
  }
  throw new GazetteError('invalid_proof', `${path} must have the definition of the register ${feedId}`);
}

/**
 * The extensions of the files of all pages.
 *
 * @param asOf the highest position, as the manifest says
 * @throws GazetteError `invalid_proof` for a file that may be taken for one of a page
 */
function endingsIn(place: string, asOf: number, files: Files): readonly Ending[] {
  if (!isWhole(asOf, 0))
    throw new GazetteError('invalid_proof', `${join(place, MANIFEST_FILE)} must say its highest position`);
  const [newest, others] = [new Set<Ending>(), new Set<Ending>()];
  for (const file of Object.keys(files)) {
    if (!/^(?:index|pages)/i.test(file)) continue;
    const name = stemOf(file);
    const number = Number(name.slice(PAGES_FOLDER.length + 1));
    const isPage = name === HEAD_NAME || (isWhole(number, 1, closedPages(asOf)) && closedPage(number).name === name);
    const ending = file.slice(name.length + 1);
    if (!isPage || ending === '')
      throw new GazetteError('invalid_proof', `${join(place, file)} must be a file of a page of the register`);
    (name === HEAD_NAME ? newest : others).add(ending);
  }
  // The newest page has them in the order of writing; where it lacks one that another has, that is found.
  return [...new Set([...newest, ...others])].filter((ending) => ending !== PROOF_ENDING);
}

/** The register as its pages have it, but for the months. */
function registerOf(
  manifest: ManifestBytes<RegisterManifestHead>,
  definition: RegisterDefinition,
  endings: readonly Ending[],
): Omit<SnapshotRegister, 'months'> {
  const { tier, base_url: baseUrl, total, search } = manifest.head;
  const schema = stemOf(SCHEMA_FILE);
  const besideSchema = Object.keys(manifest.entries(schema)).map((name) => name.slice(schema.length + 1));
  const types = EXPORT_FORMATS.map(({ extension, mediaType }) => [extension, mediaType] as const);
  return {
    ...{ definition, tier, tiers: {}, latest: new Set(), isProved: true, baseUrl, total },
    url: `${baseUrl}/${definition.id}`,
    endings,
    mediaTypes: { ...VIEW_TYPES, ...Object.fromEntries(types) },
    wholes: besideSchema.filter((ending) => !SCHEMA_FILE.endsWith(`.${ending}`)),
    ...(search === undefined ? {} : { search }),
  };
}

/** What writes the files of a page again, to the byte: as far as the same writers made them. */
async function writersOf(
  { encoders = {} }: RegisterManifestHead,
  { endings, mediaTypes }: Pick<SnapshotRegister, 'endings' | 'mediaTypes'>,
): Promise<PageWriters> {
  const own = encodersOf(await openPageFormats());
  const isOwn = (ending: Ending): boolean => own[ending] !== undefined && own[ending] === encoders[ending];
  // A page for people names the others.
  const areAllKnown = endings.every((ending) => Object.hasOwn(mediaTypes, ending));
  const written = endings.filter((ending) => isOwn(ending) && (ending !== 'html' || areAllKnown));
  return new Map(
    written.map((ending) => [ending, EXPORT_FORMATS.find(({ extension }) => extension === ending) ?? null]),
  );
}

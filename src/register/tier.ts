// What each tier may see. Every surface that serves a tier uses this file; formats do not know tiers.
import { compileFilter } from './finding/filter.ts';
import { checkWhole } from '../checks.ts';
import { counted } from './counted.ts';
import { GazetteError } from '../errors.ts';
import { CORE_AT, CORE_FIELDS } from './fields.ts';
import { type AsOf, type Page, PAGE_SIZE, type PageQuery } from './page.ts';
import { checkLimit, checkOffset, viewName } from './query.ts';
import {
  type CoreFieldName,
  type CoreValue,
  coreValues,
  recordOfValues,
  type RegisterDefinition,
  type RegisterRecord,
} from './record.ts';
import { pages, type RegisterSource } from './sources/source.ts';

/** `public`: no credentials. `pro`: a valid key. */
export type Tier = 'public' | 'pro';

/** How much the public tier shows. */
export interface TierOptions {
  /** How many of the latest live records the public sees in full. Default 3. */
  readonly window?: number;
  /** How many characters of an older record's summary a preview shows. Default 280. */
  readonly previewSummaryLength?: number;
  /** The page where people get a key, for the notes. Default: none is named. */
  readonly keysUrl?: string;
}

/** What a reader of this tier may see of a register: of an open one, everybody sees everything. */
export function tierIn({ access }: Pick<RegisterDefinition, 'access'>, tier: Tier): Tier {
  return access === 'open' ? 'pro' : tier;
}

/** Whether a reader of this tier gets the entries of a register's log: they tell how often and when versions were made. */
export function seesEntries(definition: Pick<RegisterDefinition, 'access' | 'log'>, tier: Tier): boolean {
  return definition.log !== 'pro' || tierIn(definition, tier) === 'pro';
}

/** The latest records the public sees in full (specification 1.5, section 8). */
export const PUBLIC_WINDOW = 3;

/** How to get the rest, for people. */
function withKey({ keysUrl }: TierOptions): string {
  const where = keysUrl === undefined ? '' : ` Get one at ${keysUrl}`;
  return `need an API key: send Authorization: Bearer <API_KEY>.${where}`;
}

/** What a public list says of itself, so that it does not pass for a complete register. */
export function publicNote(options: TierOptions = {}): string {
  const { window = PUBLIC_WINDOW } = options;
  return `The public sees the latest ${counted(window, 'record')} of the register. All records, exports and histories ${withKey(options)}`;
}

/** Characters (code points) of the summary in a preview. */
export const PREVIEW_SUMMARY_LENGTH = 280;

/**
 * What the public sees of an older record at its direct URL (specification 1.5): the fields of the tier `preview`, and of the
 * summary the beginning, {@link PREVIEW_SUMMARY_LENGTH} characters at most.
 */
export interface RecordPreview extends Pick<
  RegisterRecord,
  'id' | 'feed_id' | 'key' | 'title' | 'document_type' | 'source_url' | 'published_at' | 'observed_at' | 'summary'
> {
  /** Tells that this is not the whole record. */
  readonly preview: true;
  /** How to get the rest, for people. */
  readonly note: string;
}

/**
 * The register as a tier sees it. `pro` is the source itself. `public` contains only its latest live records: paging
 * and filters work inside them, `as_of` is refused because it would open older windows, and pages have none.
 *
 * @throws GazetteError `invalid_option` for a window that is not an integer; from `page()`: `invalid_parameter` for
 *   `asOf` in the public tier.
 */
export function tierSource(source: RegisterSource, tier: Tier, options: TierOptions = {}): RegisterSource {
  if (tier === 'pro') return source;
  const window = checkWhole('window', options.window ?? PUBLIC_WINDOW, 0);
  const revision = source.revision?.bind(source);
  const lastChange = source.lastChange?.bind(source);
  const lastModified = source.lastModified?.bind(source);
  return {
    definition: source.definition,
    page: (query) => publicPage(source, query, window),
    matched: async ({ filter, signal }) => {
      const latest = await publicWindow(source, window, signal);
      const asked = compileFilter(filter, source.definition.fields);
      const found = asked === null ? latest : latest.filter((record) => asked.matches(record));
      return { matched: found.length, isAtLeast: false };
    },
    // With the same revision, the tiers have different pages.
    ...(revision === undefined ? {} : { revision: async () => `${tier} ${window} ${await revision()}` }),
    ...(lastChange === undefined ? {} : { lastChange }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

/**
 * One record as a tier sees it: in full for `pro` and inside the public window, otherwise a preview.
 *
 * @param inWindow whether the record is one of the register's latest live ones, see {@link publicWindow}.
 * @throws GazetteError `invalid_option` for a length that is not an integer.
 */
export function tierRecord(
  record: RegisterRecord,
  tier: Tier,
  inWindow: boolean,
  options: TierOptions = {},
): RegisterRecord | RecordPreview {
  if (tier === 'pro' || inWindow) return record;
  const shown = fieldsOf(record, PREVIEW_FIELDS) as Omit<RecordPreview, 'summary' | 'preview' | 'note'>;
  const note = `The full record and its history ${withKey(options)}`;
  return { ...shown, summary: previewSummary(record, options), preview: true, note };
}

function previewSummary({ summary }: RegisterRecord, options: TierOptions): string | null {
  const length = checkWhole('previewSummaryLength', options.previewSummaryLength ?? PREVIEW_SUMMARY_LENGTH, 0);
  return summary === null ? null : firstCharacters(summary, length);
}

/** The fields of previews, without the summary, which comes last and is cut short. */
const PREVIEW_FIELDS = CORE_FIELDS.filter(({ name, tier }) => tier === 'preview' && name !== 'summary').map(
  ({ name }) => name,
);
const LATEST_FIELDS = CORE_FIELDS.filter(({ tier }) => tier !== 'key').map(({ name }) => name);

/** A loop, because `Object.fromEntries` takes three times as long. */
function fieldsOf(record: RegisterRecord, names: readonly CoreFieldName[]): Partial<RegisterRecord> {
  const fields: Partial<Record<CoreFieldName, CoreValue>> = {};
  for (const name of names) fields[name] = record[name];
  return fields as Partial<RegisterRecord>;
}

/**
 * One record in a tier's files: like {@link tierRecord}, but a preview is a record whose other fields are empty. As in
 * a source without versions, it has no `updated_at` and the version 1.
 */
export function tierFileRecord(
  record: RegisterRecord,
  tier: Tier,
  inWindow: boolean,
  options: TierOptions = {},
): RegisterRecord {
  if (tier === 'pro' || inWindow) return record;
  const values = coreValues(record);
  for (const { at, instead } of HIDDEN) values[at] = instead;
  values[CORE_AT.summary] = previewSummary(record, options);
  return recordOfValues(values, {});
}

/** The fields that a preview in a file does not have, each with what is written instead of its value. */
const HIDDEN = CORE_FIELDS.filter(({ name, tier }) => tier !== 'preview' && name !== 'position').map(
  ({ name, values }) => ({ at: CORE_AT[name], instead: name === 'version' ? 1 : (values?.[0] ?? null) }),
);

/** The members that agents see only with a key; `history_url` comes with them (specification 1.6). */
export const AGENT_PRO_FIELDS: readonly string[] = [
  ...CORE_FIELDS.filter(({ tier }) => tier === 'key').map(({ name }) => name),
  'data',
];

/** Whether agents see a field only with a key. @param name as `fields` and figures name it: `author`, `data.country`, `updated_at:year` */
export function isKeyField(name: string): boolean {
  return name === 'history_url' || AGENT_PRO_FIELDS.includes(/^[^.:]*/.exec(name)![0]);
}

/** A record for agents: without a key only the fields that everybody sees in the latest records. */
export interface AgentRecord extends Pick<RegisterRecord, 'id'>, Partial<Omit<RegisterRecord, 'id'>> {
  /** The address of the record's versions. */
  readonly history_url?: string;
}

/**
 * A record as a tier's agents see it: in full for `pro`; the core fields inside the public window; null for an older
 * one, of which the public sees nothing here.
 *
 * @param inWindow as in {@link tierRecord}
 */
export function tierAgentRecord(
  record: RegisterRecord,
  tier: Tier,
  inWindow: boolean,
  historyUrl: string,
): AgentRecord | null {
  if (tier === 'pro') return { ...record, history_url: historyUrl };
  return inWindow ? { id: record.id, ...fieldsOf(record, LATEST_FIELDS) } : null;
}

/** The first characters (code points) of a text. */
export function firstCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** The register's latest live records, newest first: at most `window`, found through empty pages. */
export async function publicWindow(
  source: RegisterSource,
  window: number = PUBLIC_WINDOW,
  signal?: AbortSignal,
): Promise<readonly RegisterRecord[]> {
  const latest: RegisterRecord[] = [];
  if (window === 0) return latest;
  const limit = Math.min(window, PAGE_SIZE);
  for await (const page of pages(source, { limit, ...(signal === undefined ? {} : { signal }) })) {
    latest.push(...page.records);
    if (latest.length >= window) break;
  }
  // Cut here as well: a source that returns too many records must not reveal older ones.
  return latest.slice(0, window);
}

async function publicPage(source: RegisterSource, query: PageQuery, window: number): Promise<Page> {
  const limit = checkLimit(query.limit);
  const offset = checkOffset(query.offset);
  if (query.asOf !== undefined) throw viewOfOthers(query.asOf);
  const filter = compileFilter(query.filter, source.definition.fields);
  const latest = await publicWindow(source, window, query.signal);
  const matches = latest
    .map((record, index) => ({ record, index }))
    .filter(({ record, index }) => index >= offset && (filter?.matches(record) ?? true));
  const shown = matches.slice(0, limit);
  return {
    records: shown.map(({ record }) => record),
    nextOffset: matches.length > limit ? shown.at(-1)!.index + 1 : null,
    asOf: null,
  };
}

/** The error for a view that opens other records than the latest. */
export function viewOfOthers(asOf: AsOf): GazetteError {
  const parameter = viewName(asOf);
  return new GazetteError(
    'invalid_parameter',
    `${parameter} needs an API key: the public sees the latest records only`,
    { details: { parameter } },
  );
}

/** Whether a record is among those of {@link publicWindow}. */
export async function isInPublicWindow(
  source: RegisterSource,
  recordId: string,
  window?: number,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await publicWindow(source, window, signal)).some(({ id }) => id === recordId);
}

// Records as the agents' tools show them: within the caller's tier, with the fields that were chosen, and with a note that says
// what is missing.
import type { RegisterRecord } from '../../register/record.ts';
import { PUBLIC_WINDOW, tierAgentRecord, tierRecord, type Tier, type TierOptions } from '../../register/tier.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import type { JsonObject } from '../protocol.ts';
import { chooseFields, type FieldChoice } from './arguments.ts';
import type { ToolCall } from './tool.ts';

/** The address of a record over REST. */
export function recordUrl(api: string, id: string): string {
  return `${api}/records/${id}`;
}

/** A record as the caller sees it, with the chosen fields; null if the caller may not see it. */
export function sight(
  record: RegisterRecord,
  { api }: Pick<ToolCall, 'api'>,
  [tier, isInWindow]: readonly [tier: Tier, isInWindow: boolean],
  choice: FieldChoice,
): JsonObject | null {
  const historyUrl = `${recordUrl(api, record.id)}/history`;
  const seen = tierAgentRecord(record, tier, isInWindow, historyUrl);
  return seen === null ? null : chooseFields(seen as unknown as JsonObject, choice);
}

/** What a preview says of itself over REST. */
const OF_PREVIEWS: readonly string[] = ['preview', 'note'];

/** A record that a buyer has not bought, with the chosen fields that a preview shows. */
export function previewSight(record: RegisterRecord, choice: FieldChoice, tiers: TierOptions): JsonObject {
  const seen = Object.entries(tierRecord(record, 'public', false, tiers));
  const shown = seen.filter(([name]) => !OF_PREVIEWS.includes(name));
  return { ...chooseFields(Object.fromEntries(shown), choice), preview: true };
}

/** The address of a record in a result. */
export function fullUrlOf({ api }: Pick<ToolCall, 'api'>): (record: JsonObject) => string {
  return (record) => recordUrl(api, record.id as string);
}

/** What the caller is told of the records. @param isShort whether they are fewer than asked for */
export function noteOf(
  records: readonly JsonObject[],
  tier: Tier | 'buyer',
  isShort: boolean,
  tiers: TierOptions,
): { readonly note?: string } {
  const shortened = records.filter((record) => record.shortened !== undefined).length;
  const notes = [
    tier === 'pro'
      ? null
      : tier === 'buyer'
        ? 'preview: the beginning of a record, which read_record buys for price. Filters and words look at what is shown here alone.'
        : `Without an API key: core fields of the latest ${windowOf(tiers)} records. A key, sent as Authorization: Bearer <API_KEY>, adds content, data, author, versions and all older records.`,
    isShort ? 'Fewer records than asked for, to keep the answer short: continue with cursor.' : null,
    shortened === 0 ? null : `Long fields of ${shortened} shown here are shortened: full_url has them whole.`,
  ].filter((note) => note !== null);
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

/** What a tool says of callers without a key. */
export function withoutKey(registers: readonly RegisterEntry[], text: string): string {
  return whereClosed(registers, 'Without an API key', `: ${text} `);
}

/** What a tool says that answers nobody else. */
export function keyNeeded(registers: readonly RegisterEntry[]): string {
  return whereClosed(registers, 'Needs an API key', '. ');
}

/** A sentence on keys: none where everybody sees everything. */
function whereClosed(registers: readonly RegisterEntry[], begin: string, end: string): string {
  const isOpen = ({ definition }: RegisterEntry): boolean => definition.access === 'open';
  if (registers.length > 0 && registers.every(isOpen)) return '';
  return `${begin}${registers.some(isOpen) ? ', but in open registers' : ''}${end}`;
}

/** How many of the latest records the public sees. */
export function windowOf({ window = PUBLIC_WINDOW }: TierOptions): number {
  return window;
}

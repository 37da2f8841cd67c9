// How long an answer may be. What a model reads it pays for and has little room for, so that an answer is counted before
// it is sent, and what is too long is shortened, with a word on where the rest is.
//
// Tokens are counted as four bytes of UTF-8 each, of the whole body: both forms of the result, the structured one and the
// same as text, because clients differ in which of the two a model gets to read, and some give it both. For English that
// is about what tokenizers find; for most other writing they find fewer.
import { GazetteError } from '../errors.ts';
import { isHttpUrl } from '../register/url.ts';
import { isObject, type JsonObject } from './protocol.ts';

/** How many tokens an answer may have unless configured otherwise. */
export const BUDGET_TOKENS = 20_000;

/** Bytes of UTF-8 that are counted as one token. */
export const BYTES_PER_TOKEN = 4;

/** The least budget: what stands around the records has to fit as well. */
export const MIN_BUDGET_TOKENS = 2_000;

/** Into how many parts the room is divided at most: no record may leave less than its share to the next ones. */
const SHARES = 8;

/** What one UTF-16 unit of JSON takes at most: three bytes in each of the two forms. */
const MAX_UNIT_BYTES = 6;

/** What is never shortened: what a record is called by, and when it happened. */
const WHOLE: ReadonlySet<string> = new Set([
  'id',
  'feed_id',
  'record_id',
  'source_url',
  'history_url',
  'records_url',
  'published_at',
  'observed_at',
  'updated_at',
  'recorded_at',
  'sha256',
]);

/** The same but for the source, which alone may be of any length. */
const NAMES: ReadonlySet<string> = new Set([...WHOLE].filter((name) => name !== 'source_url'));

/** How many bytes a value takes: once as JSON and once more as JSON in a text. */
export function costOf(value: unknown): number {
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json));
}

/**
 * As many of `items`, from the first, as there is room for. One that is longer than its share of the room is shortened:
 * it then names what was, in `shortened`, and in `full_url` where it is whole.
 *
 * @throws GazetteError `invalid_parameter` where there is no room even for the first.
 */
export function fit(
  items: readonly JsonObject[],
  room: number,
  fullUrl: (item: JsonObject) => string,
): readonly JsonObject[] {
  if (JSON.stringify(items).length * MAX_UNIT_BYTES <= room) return items;
  const share = Math.floor(room / Math.max(1, Math.min(items.length, SHARES)));
  const shown: JsonObject[] = [];
  let left = room;
  for (const item of items) {
    const isLong = isSurelyOver(item, share) || costOf(item) > share;
    const fitted = isLong ? shorten(item, share, room, fullUrl(item)) : item;
    left -= costOf(fitted);
    if (left < 0) break;
    shown.push(fitted);
  }
  if (shown.length === 0 && items.length > 0) {
    throw new GazetteError(
      'invalid_parameter',
      `this is too long to be answered here: choose fewer fields, or read ${fullUrl(items[0]!)}`,
    );
  }
  return shown;
}

/** Whether its texts alone take more than that: cheaper than counting, where there is a megabyte of them. */
function isSurelyOver(item: JsonObject, bytes: number): boolean {
  let length = 0;
  for (const value of Object.values(item)) {
    if (typeof value === 'string') length += value.length;
    else if (isObject(value) && isSurelyOver(value, bytes)) return true;
  }
  return length * 2 > bytes;
}

/**
 * An item as short as its share, or as short as what it is called and cited by leaves it. Its source goes only where it
 * would fill the whole room.
 */
function shorten(item: JsonObject, share: number, room: number, fullUrl: string): JsonObject {
  const called = only(WHOLE, item, fullUrl);
  const cost = costOf(called);
  if (cost <= room) return cutTexts(item, WHOLE, roomOf(cost, share, room), fullUrl) ?? called;
  const named = only(NAMES, item, fullUrl);
  return cutTexts(item, NAMES, roomOf(costOf(named), share, room), fullUrl) ?? named;
}

/** How much an item may take that takes `cost` without any of its texts. */
function roomOf(cost: number, share: number, room: number): number {
  return Math.max(share, Math.min(room, cost + Math.floor(share / 2)));
}

function only(whole: ReadonlySet<string>, item: JsonObject, fullUrl: string): JsonObject {
  const kept = Object.entries(item).filter(([name]) => whole.has(name));
  return { ...Object.fromEntries(kept), shortened: ['*'], full_url: fullUrl };
}

/** An item with its long texts cut, all at the same length, so that it takes no more than `bytes`; null: it has too many. */
function cutTexts(item: JsonObject, whole: ReadonlySet<string>, bytes: number, fullUrl: string): JsonObject | null {
  let fitting: JsonObject | null = null;
  const lengths: Lengths = new Map();
  // Every character costs two bytes at least.
  for (let low = 0, high = Math.floor(bytes / 2); low <= high;) {
    const length = Math.floor((low + high) / 2);
    const names: string[] = [];
    const cut = {
      ...cutObject(item, { length, whole, path: '', names, lengths }),
      shortened: names,
      full_url: fullUrl,
    };
    if (costOf(cut) <= bytes) {
      fitting = cut;
      low = length + 1;
    } else {
      high = length - 1;
    }
  }
  return fitting;
}

/** How long the JSON of a value is: counted once, however often it is tried. */
type Lengths = Map<object, number>;

/** How an object is cut. */
interface Cut {
  /** The longest text that stays whole. */
  readonly length: number;
  /** What is never shortened. */
  readonly whole: ReadonlySet<string>;
  /** Where in the item the object stands. */
  readonly path: string;
  /** What was cut or left out: added to. */
  readonly names: string[];
  readonly lengths: Lengths;
}

function cutObject(object: JsonObject, cut: Cut): JsonObject {
  const { length, whole, path, names, lengths } = cut;
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const where = path + name;
    if (whole.has(name) && path !== 'data.' && path !== 'record.data.') kept.push([name, value]);
    else if (typeof value === 'string') {
      if (value.length <= length) kept.push([name, value]);
      else {
        names.push(where);
        // Half an address leads somewhere else.
        if (!isHttpUrl(value)) kept.push([name, cutText(value, length)]);
      }
    } else if ((where === 'data' || where === 'record' || where === 'record.data') && isObject(value)) {
      kept.push([name, cutObject(value, { ...cut, path: `${where}.` })]);
    } else if (typeof value !== 'object' || value === null || jsonLength(value, lengths) <= length)
      kept.push([name, value]);
    else names.push(where);
  }
  return Object.fromEntries(kept);
}

/** A text that is no longer than that and one character more, which says that it was; never half a character. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

function jsonLength(value: object, lengths: Lengths): number {
  const known = lengths.get(value);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(value);
  lengths.set(value, length);
  return length;
}

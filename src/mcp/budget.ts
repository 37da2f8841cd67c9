// Limits the length of an answer. A model pays for what it reads and has little room, so the length of an answer is
// counted before it is sent, and a long answer is shortened, with a note on where to find the rest.
//
// Four bytes of UTF-8 count as one token, over the whole body. It contains the result twice, structured and as text,
// because clients differ in which of the two they pass to the model, and some pass both. For English this is about what
// tokenizers count; for most other languages they count fewer.
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { isHttpUrl } from '../register/url.ts';
import { escapeInvisible } from '../invisible.ts';
import type { JsonObject } from './protocol.ts';

/** The default maximum number of tokens in an answer. */
export const BUDGET_TOKENS = 20_000;

/** How many bytes of UTF-8 count as one token. */
export const BYTES_PER_TOKEN = 4;

/** The smallest budget: the text around the records must fit as well. */
export const MIN_BUDGET_TOKENS = 2_000;

/** The maximum number of shares of the room: no record may leave less than its share to the next ones. */
const SHARES = 8;

/** The maximum size of one UTF-16 unit of JSON: three bytes in each of the two forms. */
const MAX_UNIT_BYTES = 6;

/** The fields that are never shortened: names and dates of a record. */
const WHOLE: ReadonlySet<string> = new Set([
  'id',
  'feed_id',
  'key',
  'record_id',
  'source_url',
  'history_url',
  'records_url',
  'published_at',
  'observed_at',
  'updated_at',
  'recorded_at',
]);

/** The same without the source, the only one of unlimited length. */
const NAMES: ReadonlySet<string> = new Set([...WHOLE].filter((name) => name !== 'source_url'));

/** How many bytes a value takes: once as JSON and once more as JSON in a text, where invisible characters are marked. */
export function costOf(value: unknown): number {
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(escapeInvisible(json)));
}

/** How the room that an item takes is counted. */
export interface FitOptions {
  readonly beside?: (item: JsonObject) => number;
  readonly cost?: (item: JsonObject) => number;
}

/**
 * As many of `items`, from the first, as fit. An item longer than its share of the room is shortened: `shortened` then
 * names its shortened fields, and `full_url` is the address of the whole item.
 *
 * @param options `beside`: how many bytes an item takes besides, wherever in the answer; `cost`: how many it takes itself, if not
 *   as an object
 * @throws GazetteError `invalid_parameter` if not even the first fits.
 */
export function fit(
  items: readonly JsonObject[],
  room: number,
  fullUrl: (item: JsonObject) => string,
  { beside = () => 0, cost = costOf }: FitOptions = {},
): readonly JsonObject[] {
  const besideAll = items.reduce((sum, item) => sum + beside(item), 0);
  if (escapeInvisible(JSON.stringify(items)).length * MAX_UNIT_BYTES + besideAll <= room) return items;
  const share = Math.floor(room / Math.max(1, Math.min(items.length, SHARES)));
  const shown: JsonObject[] = [];
  let left = room;
  for (const item of items) {
    const extra = beside(item);
    const isLong = isSurelyOver(item, share - extra) || costOf(item) > share - extra;
    const fitted = isLong ? shorten(item, share - extra, room - extra, fullUrl(item)) : item;
    left -= cost(fitted) + extra;
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

/** Whether its texts alone take more than that: cheaper than counting a megabyte of text. */
function isSurelyOver(item: JsonObject, bytes: number): boolean {
  let length = 0;
  for (const value of Object.values(item)) {
    if (typeof value === 'string') length += value.length;
    else if (isObject(value) && isSurelyOver(value, bytes)) return true;
  }
  return length * 2 > bytes;
}

/**
 * An item reduced to its share, or to the fields that are never shortened. Its source is left out only if it would fill
 * the whole room.
 */
function shorten(item: JsonObject, share: number, room: number, fullUrl: string): JsonObject {
  const called = only(WHOLE, item, fullUrl);
  const cost = costOf(called);
  if (cost <= room) return cutTexts(item, WHOLE, roomOf(cost, share, room), fullUrl) ?? called;
  const named = only(NAMES, item, fullUrl);
  return cutTexts(item, NAMES, roomOf(costOf(named), share, room), fullUrl) ?? named;
}

/** The limit for an item that takes `cost` without any of its texts. */
function roomOf(cost: number, share: number, room: number): number {
  return Math.max(share, Math.min(room, cost + Math.floor(share / 2)));
}

function only(whole: ReadonlySet<string>, item: JsonObject, fullUrl: string): JsonObject {
  const kept = Object.entries(item).filter(([name]) => whole.has(name));
  return { ...Object.fromEntries(kept), shortened: ['*'], full_url: fullUrl };
}

/**
 * An item with its long texts cut, all at the same length, so that it takes at most `bytes`; null if that is
 * impossible.
 */
function cutTexts(item: JsonObject, whole: ReadonlySet<string>, bytes: number, fullUrl: string): JsonObject | null {
  let fitting: JsonObject | null = null;
  const lengths: Lengths = new Map();
  // Every character costs at least two bytes.
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

/** The length of a value's JSON: counted once, however often it is tried. */
type Lengths = Map<object, number>;

/** How to cut an object. */
interface Cut {
  /** The length up to which texts are not cut. */
  readonly length: number;
  /** The fields that are never shortened. */
  readonly whole: ReadonlySet<string>;
  /** The path of the object in the item. */
  readonly path: string;
  /** Collects the names of fields that were cut or left out. */
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
        // A truncated address would lead somewhere else.
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

/** A text cut to this length plus one character that marks the cut; characters are never split. */
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

// Texts without what was drawn at random: each such value is replaced by its kind and a number, in the order in which the
// values appear. Equal values get equal numbers, so it still shows what belongs together.

import { realNow } from './still.ts';

/** No recording takes as long. */
const LONGEST_RUN_MS = 6 * 3_600_000;

const MOST_AHEAD_MS = 60_000;

/** The kinds of values, by what they look like. The first that fits counts. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['request', /(?<="request_id":"|x-request-id: )[^"\s]+/],
  // Before those whose beginnings one may have by chance.
  ['tag', /(?<=etag: (?:W\/)?")[\w-]{22}(?=(?:[;-](?:gzip|br|zstd))?")/],
  ['end', /(?<="last_four":"|…|ending in |ended in )[0-9A-Za-z]{4,5}(?![0-9A-Za-z])/],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4,12}(?![0-9a-f])/],
  ['secret', /\bwhsec_[\w+/]+=*/],
  ['id', /\b(?:ep|evt|dlv|gzr|key)_[0-9A-Za-z_-]+/],
  ['key', /\bgz_[\w-]+/],
  ['cursor', /(?<=cursor(?:\\?":\\?"|=))[\w-]{8,}/],
  ['tag', /(?<=")[\w-]{22}(?=(?:[;-](?:gzip|br|zstd))?\\?")/],
  ['token', /(?<![\w-])[\w-]{43}(?![\w+/=-])/],
  ['hash', /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/],
  ['signature', /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{60,}={0,2}/],
  ['hex', /\b(?!900719925474099\d\b)(?:[0-9a-f]{12}|[0-9a-f]{16,})\b/],
  ['log', /\b[0-9a-f]{8}(?=[._]\d)/],
  ['cut', /(?<=\/)[0-9a-f]{8}(?=…)/],
  ['keyid', /(?<=\+)[0-9a-f]{8}(?=\+)/],
];

const ANY = new RegExp(KINDS.map(([, { source }]) => `(${source})`).join('|'), 'g');

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Replaces values by numbers, the same for the same value as long as it lives. */
export class Numbered {
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #known: readonly (readonly [text: string, name: string])[];

  /** @param known texts that differ from run to run, such as folders, and what stands for them */
  constructor(known: readonly (readonly [text: string, name: string])[] = []) {
    this.#known = known;
  }

  /** The text with its values replaced. */
  text(text: string): string {
    const plain = this.#known.reduce((left, [known, name]) => left.replaceAll(known, name), text);
    const still = plain
      .replace(TIME, withoutNow)
      .replace(/(?<=datetime="<now>">)[^<]*/g, '<now>')
      .replace(/(?<="spent_day":")[\d-]{10}/g, '<today>')
      // What an attempt took is measured, whatever the clock says.
      .replace(/(?<=T12:00:00)\.0\d\dZ/g, '.<ms>Z')
      .replace(/(?<="duration_ms":)\d{1,2}\b/g, '<ms>');
    return still.replace(ANY, (value: string, ...groups: unknown[]) => {
      const kind = KINDS[groups.findIndex((group) => group !== undefined)]![0];
      return kind === 'request' ? '<request>' : this.#name(kind, value);
    });
  }

  #name(kind: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const name = `<${kind} ${number}>`;
    this.#names.set(value, name);
    return name;
  }
}

/** A time that was read from a clock that does not stand still: that of the database. */
function withoutNow(time: string): string {
  const age = realNow() - Date.parse(time);
  return age > -MOST_AHEAD_MS && age < LONGEST_RUN_MS ? '<now>' : time;
}

// Reads what a register recorded, and proves each version before it hands it on: the entries of its log are made again of what
// was answered, and compared with the root that the log signed.
import { addressOf } from '../../../client/address.ts';
import type { ClientOptions } from '../../../client/client-options.ts';
import { jsonOf, Requester, where } from '../../../client/requester.ts';
import { checkWhole, isObject } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { HASH_LENGTH, rootOf, sameHash } from '../tlog/hashes.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import { TILE_WIDTH } from '../tlog/tiles.ts';
import { changeToken, readChangeToken } from '../../../register/parameters.ts';
import { logOf } from '../../../mirror/changes.ts';
import {
  hashAt,
  hashesBefore,
  keptHead,
  type LogHead,
  readBundle,
  readHead,
  rootBefore,
  stale,
  type WatchedLog,
} from './head.ts';
import { keptText, readKept } from './last-checkpoint.ts';
import type { Listing } from '../../../mirror/prover.ts';
import { readListedHead, registerPlace } from './listed-head.ts';
import { entriesIn } from './log.ts';
import { type ProvedChange, readVersion, type ReadVersion } from './version.ts';

/** Options of {@link provedChanges}. */
export interface ProvedChangesOptions extends Omit<ClientOptions, 'cache'> {
  /** The key of the register's log, from somebody whom you trust. */
  readonly vkey: string;
  /** What was given to {@link ProvedChangesOptions.onProved} to keep the last time. Default: nothing was seen before. */
  readonly kept?: string | null;
  /** Which witnesses must have signed the log of logs (C2SP tlog-policy). Default: nobody need. */
  readonly policy?: Uint8Array | string | undefined;
  /** The change after which to begin. Default: the last one of {@link ProvedChangesOptions.kept}, or 0. */
  readonly since?: number;
  /** Called at the end, when all is proved. */
  readonly onProved?: (proved: Proved) => void;
}

/** What was proved of a register. */
export interface Proved {
  /** The number of the last change that is signed. */
  readonly size: number;
  /** What to keep: the checkpoints of the log and of the log of logs. */
  readonly kept: string;
  /** What the log of logs says of the register's log; null: there is none. */
  readonly listing: Listing | null;
}

/** How often a redaction that is not signed yet is waited for, and how long, in milliseconds. */
const [REDACTION_TRIES, REDACTION_PAUSE_MS] = [5, 2000];

/**
 * The versions of a register up to the last one that its log has signed, oldest first, each proved: that it was recorded as it
 * is, where it is, and that nothing is missing; of one that was erased, that a redaction is signed. Nothing is handed on that is not
 * proved.
 *
 * @param register its address: `https://example.org/api/v1/feeds/permits`
 * @throws GazetteError `invalid_proof` for an answer that is not what was signed, or that the policy asks for more than signed;
 *   `log_stale` when the service shows an old state, by the log of logs, by `since`, by what was kept or by its witnesses; `log_forked` for two
 *   roots that cannot be of one log: `details` has the evidence, `kept` and `served`; `invalid_option`, `invalid_log_key`,
 *   `invalid_input` for a policy, `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 * @example
 * for await (const { position, statement } of provedChanges(url, { key, vkey, kept, onProved: (proved) => (kept = proved.kept) }))
 *   if (statement === null) copy.delete(position);
 *   else copy.set(position, statement);
 */
export async function* provedChanges(
  register: string | URL,
  options: ProvedChangesOptions,
): AsyncGenerator<ProvedChange, void, undefined> {
  for await (const { read } of provedBatches(register, options)) for (const { version } of read) yield version;
}

/** Versions that are proved together, and what to keep with them. */
export interface ProvedVersions {
  readonly read: readonly ReadVersion[];
  readonly kept: string;
}

/**
 * The same, in batches.
 *
 * @param begins is told the root that the log had at the change after which they begin
 */
export async function* provedBatches(
  register: string | URL,
  options: ProvedChangesOptions,
  begins: (root: Uint8Array) => Promise<void> = () => Promise.resolve(),
): AsyncGenerator<ProvedVersions, void, undefined> {
  const { vkey, kept = null, policy, since: given, onProved, ...client } = options;
  const feed = addressOf(register);
  feed.pathname = feed.pathname.replace(/\/+$/, '');
  const requester = new Requester(feed, client);
  const key = parseVerifierKey(vkey);
  const before = readKept(kept, key.name);
  let since = checkWhole('since', given ?? keptHead({ kept: before.checkpoint, key })?.size ?? 0, 0);
  const sleep = client.sleep ?? pause;
  const watched = await readListedHead(registerPlace(feed, vkey, requester), {
    ...{ vkey, kept, policy, now: client.now ?? Date.now },
    pause: (ms) => sleep(ms, client.signal),
  });
  const { log } = watched;
  let { head } = watched;
  if (since > head.size)
    throw stale(
      `the log ${key.name} has ${head.size} changes that are signed, and ${since} were taken in: it is older`,
    );
  await begins(await rootBefore(log, head, since));
  // The name by which the changes are counted, which is not that of the signed log.
  const name = since === 0 ? null : await logOf(feed, requester);
  const redactions = new SignedRedactions(log);
  const source = new Answers(feed, requester, name, since);
  while (since < head.size) {
    const read = await provedTile(log, head, since, source);
    const erased = read.filter(({ version }) => version.isErased);
    for (const { version } of erased) {
      for (let tried = 0; !(await redactions.follows(version, head)); tried++) {
        if (tried === REDACTION_TRIES) {
          const { position } = version;
          throw new GazetteError('invalid_proof', `what position ${position} said is withheld: no redaction is signed`);
        }
        await sleep(REDACTION_PAUSE_MS, client.signal);
        head = await readHead({ ...log, kept: head.checkpoint });
      }
    }
    yield { read, kept: keptText({ checkpoint: head.checkpoint, ofLogs: watched.ofLogs }) };
    since += read.length;
  }
  const { listing, ofLogs } = watched;
  const grown = head.size - watched.head.size;
  onProved?.({
    size: head.size,
    kept: keptText({ checkpoint: head.checkpoint, ofLogs }),
    listing: listing === null ? null : { ...listing, newer: listing.newer + grown },
  });
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The versions after `since`, up to the end of the tile that they are in, compared with its hashes. */
async function provedTile(log: WatchedLog, head: LogHead, since: number, source: Answers): Promise<ReadVersion[]> {
  const index = Math.floor(since / TILE_WIDTH);
  const end = Math.min((index + 1) * TILE_WIDTH, head.size);
  const before = await hashesBefore(log, head, since);
  const read: ReadVersion[] = [];
  while (since + read.length < end) read.push(readVersion(await source.next(), since + read.length + 1));
  const hashes = Buffer.concat([before, ...read.map(({ leaf }) => leaf)]);
  const isFull = hashes.length === TILE_WIDTH * HASH_LENGTH;
  if (isFull ? sameHash(rootOf(hashes), hashAt(head.roots, index)) : sameHash(hashes, head.rest)) return read;
  throw new GazetteError('invalid_proof', `changes ${since + 1} to ${end} must be those that the log has signed`);
}

/** The versions that a service answers, one by one. */
class Answers {
  readonly #feed: URL;
  readonly #requester: Requester;
  #log: string | null;
  #since: number;
  #page: unknown[] = [];

  /** @param log the name by which the changes are counted; null, from the first one on: the first answer says it */
  constructor(feed: URL, requester: Requester, log: string | null, since: number) {
    this.#feed = feed;
    this.#requester = requester;
    this.#log = log;
    this.#since = since;
  }

  /** @throws GazetteError `invalid_proof` when there is none */
  async next(): Promise<unknown> {
    if (this.#page.length === 0) {
      const url = new URL(`${this.#feed.href}/changes?limit=100&proof=1`);
      const [log, since] = [this.#log, this.#since];
      url.searchParams.set('since', log === null ? String(since) : changeToken({ log, since }));
      const body = jsonOf(await this.#requester.get(url, 'application/json'), 'request_failed');
      const { versions, next_since: next }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
      this.#log ??= typeof next === 'string' ? (readChangeToken(next).log ?? null) : null;
      if (!Array.isArray(versions) || versions.length === 0) {
        throw new GazetteError('invalid_proof', `${where(url)} must answer change ${this.#since + 1}, which is signed`);
      }
      this.#page = versions.toReversed();
    }
    this.#since++;
    return this.#page.pop();
  }
}

/**
 * The redactions that a log has signed after the changes that are asked for, which are asked for in their order. Whoever answers a
 * version may say that it was erased, and its entry is right without what it said: only a redaction of its record that is signed after
 * it shows that this is true. Entries are read ahead for them, since a redaction may come a million changes behind what it erased; what
 * was proved need not be held back till then.
 */
class SignedRedactions {
  readonly #log: WatchedLog;
  /** The change of the last one that was read of each position. */
  readonly #last = new Map<number, number>();
  /** Up to which change entries were read, or need not be. */
  #read = 0;

  constructor(log: WatchedLog) {
    this.#log = log;
  }

  /** Whether one follows a version. */
  async follows({ position, change }: ProvedChange, head: LogHead): Promise<boolean> {
    const isThere = (): boolean => (this.#last.get(position) ?? 0) > change;
    this.#read = Math.max(this.#read, change);
    while (!isThere() && this.#read < head.size) {
      const index = Math.floor(this.#read / TILE_WIDTH);
      const entries = entriesIn(this.#log, await readBundle(this.#log, head, index), index);
      for (const [at, { position: one, cause }] of entries.entries())
        if (cause === 'redacted') this.#last.set(one, index * TILE_WIDTH + at + 1);
      this.#read = index * TILE_WIDTH + entries.length;
    }
    return isThere();
  }
}

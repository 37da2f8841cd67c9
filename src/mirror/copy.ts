// The copy itself: writes the register into one file, from its whole or from its pages, and checks that it is complete.
import { isWhole } from '../checks.ts';
import { jsonOf, where } from '../client/requester.ts';
import { type ErrorCode, GazetteError, isGazetteError, quote } from '../errors.ts';
import { Gaps } from './gaps.ts';
import { type JoinedPage, type Joiner, JOINERS, PROVED_NDJSON } from './joiners.ts';
import { advanced, type PullState } from './state.ts';
import { hasHistory, originOf, removeWithdrawn } from './changes.ts';
import { byPages, copyWhole, type WholeCopy } from './whole.ts';
import type { CopyProved, CopyProver, Listing } from './prover.ts';

/** A copy to make, or to continue. */
export interface CopyOptions extends Omit<WholeCopy, 'joiner' | 'begin'> {
  /** Waits this many milliseconds before a page is requested again. */
  readonly pause: (ms: number) => Promise<void>;
  /** Proves the copy, of NDJSON. Absent: it is not proved. */
  readonly prover?: CopyProver;
}

/** A copy that is complete. */
export interface PullResult {
  /** The view of the copy: the register's highest position when the copy began. */
  readonly asOf: number;
  /** Records in the file. */
  readonly records: number;
  /** Positions without a record, because it was withdrawn. */
  readonly withdrawn: number;
  /** The number of the change to which the register's log proves that the copy is complete and unrewritten. Absent: not asked for. */
  readonly provedTo?: number;
  /** What the log of logs says of the register's log; null: there is none. Absent as {@link PullResult.provedTo}. */
  readonly listing?: Listing | null;
}

/**
 * How often a page is requested when it arrives incomplete: a page that was cut off in transit is complete the next
 * time.
 */
const PAGE_ATTEMPTS = 3;
const PAGE_PAUSE_MS = 500;

/** The errors after which a further run starts from the beginning. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['incomplete_copy', 'register_changed', 'invalid_proof', 'log_forked']);

/** The errors of a copy that has not what the service has to have. */
const LACKING: ReadonlySet<ErrorCode> = new Set(['incomplete_copy', 'invalid_proof']);

/** How many gaps a message names. */
const MAX_NAMED = 5;

/**
 * Makes a copy, or continues the one in the file. If it fails, a further run can continue it, except after
 * `incomplete_copy`, `register_changed`, `invalid_proof` and `log_forked`: then the further run starts from the beginning.
 *
 * @throws GazetteError `usage` for the copy of another register or format, `incomplete_copy`, `register_changed`,
 *   `invalid_proof`, `log_forked`, `invalid_answer`, `output_failed`, `credentials_required`, `request_refused`, `request_failed`,
 *   `body_too_large`, `aborted`.
 */
export async function copyRegister(options: CopyOptions): Promise<PullResult> {
  const { file } = options;
  try {
    return await copy(options);
  } catch (error) {
    await file.leave(!isGazetteError(error) || !FINAL.has(error.code));
    if (!isGazetteError(error, 'incomplete_copy') && !isGazetteError(error, 'register_changed')) throw error;
    const { code, message, cause } = error;
    throw new GazetteError(code, `${message}; what came lies in ${file.partPath}, and a further run begins anew`, {
      cause,
    });
  }
}

async function copy(options: CopyOptions): Promise<PullResult> {
  const { feed, format, file, onPage, onRestart } = options;
  let state = file.state ?? (await begin(options));
  if (state.url !== feed.href || state.format !== format) {
    throw new GazetteError(
      'usage',
      `--resume: ${file.partPath} was begun as ${state.format} of ${state.url}; ${file.beginAnew}`,
    );
  }
  if ((state.signed === undefined) !== (options.prover === undefined)) {
    const how = state.signed === undefined ? 'without' : 'with';
    throw new GazetteError('usage', `--resume: ${file.partPath} was begun ${how} --prove; ${file.beginAnew}`);
  }
  if (file.state !== null) await checkOrigin(options, state);
  // Who began with pages goes on with them: they stay what they are when the register changes.
  if (file.state === null || state.whole !== undefined) {
    state = await copyWhole({ ...options, joiner: joinerOf(options), begin: () => begin(options) }, state);
    if (state.next === null) {
      try {
        return await complete(options, state);
      } catch (error) {
        // A cache may have answered what the whole was a while ago; a page names its view.
        if (!isGazetteError(error) || !LACKING.has(error.code)) throw error;
        onRestart?.(byPages(error));
        await file.restart();
        state = await begin(options);
      }
    }
  }
  const asked = new Set<string>();
  while (state.next !== null) {
    const url = new URL(state.next);
    // Pages without records could form an endless circle.
    if (asked.has(url.href)) throw new GazetteError('invalid_answer', `${where(url)} leads back to itself`);
    asked.add(url.href);
    const page = await readPage(url, options);
    if (state.columns !== null && page.columns !== state.columns) throw changed(options, 'has other columns');
    const next = page.next === null ? null : page.next.href;
    state = { ...advanced(state, page.positions, url), columns: page.columns, next };
    await file.append(page.text, state);
    onPage(state);
  }
  return complete(options, state);
}

/** Proves what came, and gives the file its name. */
async function complete(options: CopyOptions, state: PullState): Promise<PullResult> {
  const withdrawn = await prove(options, state);
  const proved = await proveContent(options, state);
  await options.file.finish(JOINERS[options.format].end);
  const erased = proved?.erased ?? 0;
  return {
    ...{ asOf: state.asOf, records: state.records - erased, withdrawn: withdrawn + erased },
    ...(proved === null ? {} : { provedTo: proved.to, listing: proved.listing }),
  };
}

/** An empty copy of the register's current state. */
async function begin({ feed, format, requester, prover }: CopyOptions): Promise<PullState> {
  // First: all that is signed now has to be in the copy.
  const signed = prover === undefined ? {} : { signed: await prover.begin() };
  const list = new URL(`${feed.href}/records?limit=1`);
  const { as_of: asOf, tier } = (jsonOf(await requester.get(list, 'application/json')) ?? {}) as {
    readonly as_of?: unknown;
    readonly tier?: unknown;
  };
  if (tier === 'public') {
    throw new GazetteError(
      'credentials_required',
      `a whole copy of ${where(feed)} needs an API key: it is no open register`,
    );
  }
  if (!isWhole(asOf, 0)) {
    throw new GazetteError(
      'invalid_answer',
      `${where(list)} must answer as_of, a position: without it nothing can be proved, got ${quote(asOf)}`,
    );
  }
  const origin = await originOf(feed, requester);
  const next = new URL(`${feed.href}/${JOINERS[format].path}`);
  next.searchParams.set('limit', '100');
  next.searchParams.set('as_of', String(asOf));
  return {
    url: feed.href,
    format,
    asOf,
    origin,
    columns: null,
    next: next.href,
    records: 0,
    lastPosition: asOf + 1,
    gaps: null,
    ...signed,
  };
}

function joinerOf({ format, prover }: CopyOptions): Joiner {
  return prover === undefined ? JOINERS[format] : PROVED_NDJSON;
}

async function readPage(url: URL, options: CopyOptions): Promise<JoinedPage> {
  const { file, requester, pause } = options;
  const joiner = joinerOf(options);
  for (let attempt = 1; ; attempt++) {
    const answer = await requester.getPage(url, joiner.mediaType);
    try {
      return joiner.read(answer, file.isEmpty);
    } catch (error) {
      if (attempt === PAGE_ATTEMPTS || !isGazetteError(error, 'invalid_answer')) throw error;
    }
    await pause(PAGE_PAUSE_MS * attempt);
  }
}

/** Checks that every position was returned or withdrawn. @returns how many were withdrawn */
async function prove(options: CopyOptions, state: PullState): Promise<number> {
  const { feed, requester } = options;
  await checkOrigin(options, state);
  const missing = new Gaps(state.lastPosition, state.gaps);
  const withdrawn = await removeWithdrawn(feed, state.origin, missing, requester).catch((error: unknown) => {
    if (isGazetteError(error, 'request_refused') && error.details.code === 'log_restarted') throw restarted(options);
    throw error;
  });
  const left = missing.ranges;
  if (left.length === 0) return withdrawn;
  const shown = left.slice(0, MAX_NAMED).map(([high, low]) => (high === low ? `${high}` : `${high}–${low}`));
  throw new GazetteError(
    'incomplete_copy',
    `${where(feed)} answered neither a record nor a withdrawal at the positions ${shown.join(', ')}${left.length > MAX_NAMED ? ' and others' : ''}`,
  );
}

/** Compares the records with the register's log, and removes what was erased meanwhile. */
async function proveContent(
  { file, prover }: CopyOptions,
  { asOf, records, signed }: PullState,
): Promise<CopyProved | null> {
  if (prover === undefined || signed === undefined) return null;
  const proved = await prover.prove({ asOf, signed, records, lines: file.lines() });
  if (proved.erased > 0) await file.keepLines((index) => !proved.isErased(index));
  return proved;
}

/** Pages of two registers must not be mixed, nor of two histories of one. */
async function checkOrigin(options: CopyOptions, { origin }: PullState): Promise<void> {
  if (!(await hasHistory(options.feed, origin, options.requester))) throw restarted(options);
}

function restarted(options: CopyOptions): GazetteError {
  return changed(options, 'was removed and created again, or restored from a backup,');
}

function changed({ feed }: CopyOptions, how: string): GazetteError {
  return new GazetteError('register_changed', `${where(feed)} ${how} since the copy was begun`);
}

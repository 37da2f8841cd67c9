// Signs the logs of registers beside other work, with the key in GAZETTE_LOG_KEY or that of a program. One process at a time does: the one that has
// the file of what was signed last.
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, isGazetteError, quote } from '../../../../errors.ts';
import { LogCosigner } from '../../operate/cosigner.ts';
import { LOG_KEY_VARIABLE, type LogKey, readLogKeys } from '../../operate/log-key.ts';
import { logPlace, LogSigner } from '../../operate/signer.ts';
import { FileLogState } from '../../operate/state.ts';
import { checkWitnessUrl, type LogWitness, LogWitnesses } from '../../operate/witnesses.ts';
import { parseVerifierKey } from '../../tlog/keys.ts';
import type { ServiceStore } from '../../../../stores/contract/accounts.ts';
import type { Io } from '../../../../cli/io/io.ts';
import { say } from '../../../../cli/io/say.ts';
import type { LogOptions } from '../signing-options.ts';
import { programKey } from './log-program.ts';
import { PROOFS } from '../../stores/plugin.ts';

/** How often to try whether the process that signed has ended, in milliseconds. */
const TRY_EVERY_MS = 5000;

/** Signing that goes on beside other work. */
export interface Signing {
  /** Ends it, after the signature in work. */
  stop(): Promise<void>;
}

/**
 * Starts to sign logs, if there is a key and a file of what was signed last.
 *
 * @returns null when logs are not signed
 * @throws GazetteError `invalid_log_key`, `usage`
 */
export function keepSigning(
  io: Io,
  store: ServiceStore,
  {
    logState,
    logSigner,
    origin,
    logWitness = [],
    baseUrl,
    tryEveryMs = TRY_EVERY_MS,
  }: Partial<LogOptions> & { readonly baseUrl?: string; readonly tryEveryMs?: number },
): Signing | null {
  const key = io.env[LOG_KEY_VARIABLE] ?? '';
  const witnesses = logWitness.map(witnessOf);
  const program = logSigner === undefined ? null : programAt(logSigner);
  if (key === '' && program === null && logState === undefined && witnesses.length === 0) return null;
  if (key === '' && program === null)
    throw new GazetteError(
      'usage',
      `signing logs needs the key in ${LOG_KEY_VARIABLE}, made by gazette log key, or --log-signer`,
    );
  const own = key === '' ? [] : readLogKeys(key);
  if (own.length > 1 && program !== null)
    throw new GazetteError('invalid_log_key', `${LOG_KEY_VARIABLE} must have one key beside --log-signer`);
  if (logState === undefined)
    throw new GazetteError('usage', `${key === '' ? '--log-signer' : LOG_KEY_VARIABLE} needs --log-state`);
  if (origin !== undefined && !/^[^\s+/:]+(?::\d+)?(?:\/[^\s+/]+)*$/.test(origin))
    throw new GazetteError('usage', `--origin must be a host and a path, got ${quote(origin)}`);
  const place = origin ?? (baseUrl === undefined ? null : logPlace(baseUrl));
  const why =
    store.isReadOnly === true ? 'the store can only be read' : 'they need --base-url or --origin for their names';
  if (store.isReadOnly === true || place === null) {
    say(io, `logs are not signed: ${why}`);
    return null;
  }
  const stopping = new AbortController();
  const { signal } = stopping;
  const onError = (error: unknown, feedId: string | null): void => {
    const reason = reasonOf(error);
    say(io, feedId === null ? `logs are not signed at the moment: ${reason}` : reason);
  };
  const ended = (async () => {
    const waiting = { signal, tryEveryMs, onError };
    const keys = await keysOf(program, own, io, waiting);
    if (keys === null) return;
    const state = await openWhenFree(logState, waiting);
    if (state === null) return;
    const cosigner = new LogCosigner(store.part(PROOFS).logs, {
      witnesses: new LogWitnesses(witnesses, { publicUrl: baseUrl?.replace(/\/+$/, '') }),
      keepEvidence: (ours, theirs) => state.keepEvidence(ours, theirs),
      onWarning: (message) => {
        say(io, message);
      },
    });
    const signer = new LogSigner(store.part(PROOFS).logs, { keys, place, state, cosigner, onError });
    signer.start();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else
        signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
    });
    await signer.close();
    state.close();
  })().catch((error: unknown) => {
    say(io, `logs are not signed: ${reasonOf(error)}`);
  });
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** @throws GazetteError `usage`, `invalid_option`, `invalid_log_key` */
function witnessOf(text: string): LogWitness {
  const [url = '', key = '', ...more] = text.trim().split(/\s+/);
  const witness = { url: checkWitnessUrl(url), key: parseVerifierKey(key) };
  if (more.length === 0 && witness.key.role === 'witness') return witness;
  throw new GazetteError('usage', '--log-witness must be the URL of a witness and its key, with a space between them');
}

/** What is tried again until it can be done. */
interface Waiting {
  readonly signal: AbortSignal;
  readonly tryEveryMs: number;
  readonly onError: (error: unknown, feedId: null) => void;
}

/** The path of a program that can be run. @throws GazetteError `usage` */
function programAt(path: string): string {
  try {
    accessSync(path, constants.X_OK);
    return resolve(path);
  } catch (cause) {
    throw new GazetteError('usage', `--log-signer must be the path of a program, got ${quote(path)}`, { cause });
  }
}

/** The keys that sign, that of the program first, once it answers; null when it is stopped before. */
function keysOf(
  program: string | null,
  own: readonly LogKey[],
  { env }: Io,
  waiting: Waiting,
): Promise<readonly LogKey[] | null> {
  return program === null
    ? Promise.resolve(own)
    : untilDone(async () => [await programKey(program, env), ...own], waiting);
}

/** The file of what was signed last, once no other process has it and it can be opened; null when it is stopped before. */
function openWhenFree(path: string, waiting: Waiting): Promise<FileLogState | null> {
  return untilDone(() => FileLogState.open(path), waiting);
}

/** Tries until it comes to something; null when it is stopped before. */
async function untilDone<Done>(
  attempt: () => Promise<Done | null>,
  { signal, tryEveryMs, onError }: Waiting,
): Promise<Done | null> {
  let said = '';
  while (!signal.aborted) {
    try {
      const done = await attempt();
      if (done !== null) return done;
    } catch (error) {
      // A file of something else becomes none of ours by waiting.
      if (isGazetteError(error, 'invalid_option')) throw error;
      if (reasonOf(error) !== said) onError(error, null);
      said = reasonOf(error);
    }
    await sleep(tryEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Signs the logs of registers beside other work, with the key in GAZETTE_LOG_KEY. One process at a time does: the one that has
// the file of what was signed last.
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { LogCosigner } from '../../operate/logs/cosigner.ts';
import { LOG_KEY_VARIABLE, logPlace, LogSigner, readLogSeeds } from '../../operate/logs/signer.ts';
import { FileLogState } from '../../operate/logs/state.ts';
import { checkWitnessUrl, type LogWitness, LogWitnesses } from '../../operate/logs/witnesses.ts';
import { parseVerifierKey } from '../../proofs/keys.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { Io } from '../io/io.ts';
import { say } from '../io/say.ts';
import { repeatable } from '../options/collect.ts';

/** What is said of logs, as commander gives it. */
export interface LogOptions {
  readonly logState?: string;
  readonly logOrigin?: string;
  readonly logWitness?: readonly string[];
}

/** Adds the options of a service that signs the logs of its registers. */
export function addLogOptions(command: Command): Command {
  return command
    .option(
      '--log-state <file>',
      'sign the logs of the registers with the key in GAZETTE_LOG_KEY, and keep what was signed last in this file, outside the store',
    )
    .option(
      '--log-origin <host and path>',
      'with what the names of new logs begin, which never change (default: host and path of --base-url)',
    )
    .addOption(
      repeatable(
        '--log-witness <address and key>',
        'have this witness sign the logs too: its URL and its key, with a space between them',
        'none',
      ),
    );
}

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
    logOrigin,
    logWitness = [],
    baseUrl,
    tryEveryMs = TRY_EVERY_MS,
  }: LogOptions & { readonly baseUrl?: string; readonly tryEveryMs?: number },
): Signing | null {
  const key = io.env[LOG_KEY_VARIABLE] ?? '';
  const witnesses = logWitness.map(witnessOf);
  if (key === '' && logState === undefined && witnesses.length === 0) return null;
  if (key === '') throw new GazetteError('usage', `signing logs needs the key in ${LOG_KEY_VARIABLE}: gazette log key`);
  const seeds = readLogSeeds(key);
  if (logState === undefined) throw new GazetteError('usage', `${LOG_KEY_VARIABLE} needs --log-state`);
  if (logOrigin !== undefined && !/^[^\s+/:]+(?::\d+)?(?:\/[^\s+/]+)*$/.test(logOrigin))
    throw new GazetteError('usage', `--log-origin must be a host and a path, got ${quote(logOrigin)}`);
  const place = logOrigin ?? (baseUrl === undefined ? null : logPlace(baseUrl));
  const why =
    store.isReadOnly === true ? 'the store can only be read' : 'they need --base-url or --log-origin for their names';
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
    const state = await openWhenFree(logState, { signal, tryEveryMs, onError });
    if (state === null) return;
    const cosigner =
      witnesses.length === 0 ? undefined : cosignerOf(store, new LogWitnesses(witnesses), { onError, io });
    const signer = new LogSigner(store.logs, {
      ...{ seeds, place, state, onError },
      ...(cosigner === undefined ? {} : { cosigner }),
    });
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

function cosignerOf(
  { logs }: ServiceStore,
  witnesses: LogWitnesses,
  { onError, io }: { readonly onError: (error: unknown, feedId: string | null) => void; readonly io: Io },
): LogCosigner {
  const onWarning = (message: string): void => {
    say(io, message);
  };
  return new LogCosigner(logs, { witnesses, onWarning, onError });
}

/** @throws GazetteError `usage`, `invalid_option`, `invalid_log_key` */
function witnessOf(text: string): LogWitness {
  const [url = '', key = '', ...more] = text.trim().split(/\s+/);
  const witness = { url: checkWitnessUrl(url), key: parseVerifierKey(key) };
  if (more.length === 0 && witness.key.role === 'witness') return witness;
  throw new GazetteError('usage', '--log-witness must be the URL of a witness and its key, with a space between them');
}

/** The file of what was signed last, once no other process has it and it can be opened; null when it is stopped before. */
async function openWhenFree(
  path: string,
  {
    signal,
    tryEveryMs,
    onError,
  }: {
    readonly signal: AbortSignal;
    readonly tryEveryMs: number;
    readonly onError: (error: unknown, feedId: null) => void;
  },
): Promise<FileLogState | null> {
  let said = '';
  while (!signal.aborted) {
    try {
      const state = await FileLogState.open(path);
      if (state !== null) return state;
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

// How a service signs the logs of its registers.
import { list, type Options, settings, text } from '../../../cli/command.ts';

/** What is said of logs. */
export interface LogOptions {
  readonly logState?: string;
  readonly logSigner?: string;
  readonly origin?: string;
  readonly logWitness: readonly string[];
}

/** A service that signs the logs of its registers. */
export const LOG_OPTIONS: Options<LogOptions> = settings({
  logState: text(
    '<file>',
    'sign the logs of the registers with the key in GAZETTE_LOG_KEY, and keep what was signed last in this file, outside the store',
  ),
  logSigner: text(
    '<program>',
    'have a program sign the logs: started with the word public-key or sign, it answers in base 64; with GAZETTE_LOG_KEY, both sign',
  ),
  origin: text(
    '<host and path>',
    'with what the names of new logs begin, which never change (default: host and path of --base-url)',
  ),
  logWitness: list(
    '<address and key>',
    'have this witness sign the log of logs too: its URL and its key, with a space between them',
    'none',
  ),
});

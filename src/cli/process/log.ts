// The log of `gazette serve`: one JSON object a line, with the members that pino writes (level, time, fields, msg), so
// that viewers made for pino read it. sonic-boom writes: it waits for a slow reader and never holds up an answer.
import { err as describeError } from 'pino-std-serializers';
import sonicBoom from 'sonic-boom';
import type { Logger } from '../../service/create-gazette.ts';

/** pino's numbers for its levels. */
const INFO = 30;
const ERROR = 50;

/** A log that writes its lines asynchronously. */
export interface Log extends Logger {
  /** Writes the waiting lines at once and closes the log. */
  close(): void;
}

/**
 * Opens the log on a file descriptor; a process opens only one. Waiting lines are written when the process exits.
 *
 * @param descriptor default 1, standard output
 */
export function openLog(descriptor = 1): Log {
  const out = new sonicBoom.SonicBoom({ dest: descriptor, sync: false });
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    process.removeListener('exit', close);
    out.flushSync();
  };
  process.on('exit', close);
  // The log's reader has gone (EPIPE) or its disk is full. The service continues; the lines are lost.
  out.on('error', () => {
    isOpen = false;
    process.removeListener('exit', close);
  });
  const write = (level: number, fields: object, message: string): void => {
    if (!isOpen) return;
    const { err: error, ...rest } = fields as { readonly err?: unknown };
    const described = error instanceof Error ? describeError(error) : error;
    out.write(`${JSON.stringify({ level, time: Date.now(), ...rest, err: described, msg: message })}\n`);
  };
  return {
    info(fields, message) {
      write(INFO, fields, message);
    },
    error(fields, message) {
      write(ERROR, fields, message);
    },
    close,
  };
}

// What a command of this process is run with, and what it says.
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../src/cli/io/io.ts';

/** A run's surroundings, and what it said to either output. */
export function surroundings(env: Io['env']): { readonly io: Io; readonly said: () => string } {
  let text = '';
  const sink = (): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        done();
      },
    });
  return { io: { stdin: Readable.from([]), stdout: sink(), stderr: sink(), env }, said: () => text };
}

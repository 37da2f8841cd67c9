// The destination of a command's data: standard output, or a file that appears only once it is complete.
import { outputFailed } from '../../files/output-failed.ts';
import { WholeFile } from '../../files/whole-file.ts';
import type { Io } from './io.ts';

/** Writes a command's data, one chunk after the other. */
export interface Destination {
  /**
   * Writes a chunk. False when the reader has closed the output and the command can stop.
   *
   * @throws GazetteError `output_failed`
   */
  write(chunk: Uint8Array): Promise<boolean>;
  /** Keeps what was written. @throws GazetteError `output_failed` */
  commit(): Promise<void>;
  /** Removes everything that was written, if possible. */
  discard(): Promise<void>;
}

/** @param path of a file; undefined or `-` for standard output */
export async function openDestination(path: string | undefined, io: Io): Promise<Destination> {
  return isStandardOutput(path) ? standardOutput(io) : openFile(path);
}

/** Whether a command's `--output` is standard output. */
export function isStandardOutput(path: string | undefined): path is undefined | '-' {
  return path === undefined || path === '-';
}

function standardOutput({ stdout }: Io): Destination {
  // Without a listener a reader that leaves early (`| head`) would end the process with a stack trace. The callback of
  // each write reports the same error.
  stdout.on('error', () => undefined);
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stdout.write(chunk, (error) => {
          if (error === null || error === undefined) resolve(true);
          else if ('code' in error && error.code === 'EPIPE') resolve(false);
          else reject(outputFailed('standard output', error));
        });
      }),
    commit: async () => undefined,
    discard: async () => undefined,
  };
}

async function openFile(path: string): Promise<Destination> {
  const file = await WholeFile.open(path);
  return {
    write: async (chunk) => {
      await file.write(chunk);
      return true;
    },
    commit: () => file.commit(),
    discard: () => file.discard(),
  };
}

// Where a command's data goes: standard output, or a file that appears whole or not at all.
import { outputFailed } from '../../files/output-failed.ts';
import { WholeFile } from '../../files/whole-file.ts';

/** Takes a command's data, one chunk after the other. */
export interface Destination {
  /**
   * Takes a chunk; false when nobody reads any more and there is no use in going on.
   *
   * @throws GazetteError `output_failed`
   */
  write(chunk: Uint8Array): Promise<boolean>;
  /** Keeps what was written. @throws GazetteError `output_failed` */
  commit(): Promise<void>;
  /** Leaves nothing of what was written, where that can be. */
  discard(): Promise<void>;
}

/** @param path of a file; undefined or `-` for standard output */
export async function openDestination(path: string | undefined): Promise<Destination> {
  return isStandardOutput(path) ? standardOutput() : openFile(path);
}

/** Whether a command's `--output` is standard output. */
export function isStandardOutput(path: string | undefined): path is undefined | '-' {
  return path === undefined || path === '-';
}

function standardOutput(): Destination {
  // Without a listener a reader who leaves early (`| head`) would end the process with a stack trace. The callback of
  // each write says the same.
  process.stdout.on('error', () => undefined);
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(chunk, (error) => {
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

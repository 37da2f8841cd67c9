// How a service stages what editors upload: each file in a thread of its own, read as gazette.json says.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, GazetteError } from '../../../errors.ts';
import type { PlannedUpload, StagedUpload, UploadReading } from '../../../operate/desk/upload-work.ts';
import type { FileOptions } from '../../../import/from-file/file-options.ts';
import type { Configuration } from '../../command.ts';
import { FILE_OPTIONS } from '../../commands/import/file-options.ts';
import { valuesIn } from '../../configuration/values.ts';
import { isPostgres, pathOf } from '../../options/store.ts';

/** What a thread is told: to stage a file, or to find out what a register of it would be. */
export type StageOrder =
  | {
      readonly upload: StagedUpload;
      readonly usual: FileOptions | null;
      /** The URL of the store. */
      readonly store: string;
    }
  | { readonly planned: PlannedUpload };

/** What a thread says: how far it is, and at last what came of it, or what failed. */
export type StageAnswer<T = unknown> =
  | { readonly records: number }
  | { readonly done: T }
  | { readonly code: ErrorCode | null; readonly message: string; readonly stack: string | undefined };

/** The size of a thread's young generation, in MiB: what an import takes (memory-flags.ts), three times. */
const YOUNG_GENERATION_MIB = 24;

// The extension is `.ts` in the sources and another one in the build.
const THREAD = new URL(`./stage-thread${extname(import.meta.url)}`, import.meta.url);

/** Where what editors upload lies, and how it is read. */
export function uploadsOf(
  store: string,
  configuration: Configuration | null,
): { readonly uploads: { readonly folder: string }; readonly uploadReading: UploadReading } {
  const uploadReading: UploadReading = {
    stage: async (upload, { signal, onProgress }) => {
      const order: StageOrder = { upload, usual: readingOf(configuration, upload.feedId), store };
      return inThread<number>(order, signal, onProgress);
    },
    plan: (planned, { signal }) => inThread({ planned }, signal, () => undefined),
  };
  return { uploads: { folder: folderOf(store) }, uploadReading };
}

/** Beside a store in a file, else where temporary files are: the same for all processes that serve it on this machine. */
function folderOf(store: string): string {
  const place = isPostgres(store) ? store : resolve(pathOf(store));
  const name = `gazette-uploads-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  return join(isPostgres(store) ? tmpdir() : dirname(place), name);
}

/** A register that gazette.json only describes says nothing of its files. */
function readingOf(configuration: Configuration | null, feedId: string): FileOptions | null {
  const register = configuration?.registers.find(({ definition }) => definition.id === feedId);
  if (register === undefined || register.reading.size === 0) return null;
  return valuesIn(FILE_OPTIONS, register.reading, `${configuration!.path}: ${feedId}`);
}

async function inThread<T>(order: StageOrder, signal: AbortSignal, onProgress: (records: number) => void): Promise<T> {
  const thread = new Worker(THREAD, {
    workerData: order,
    // The options of the process may not be valid for a thread.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
  });
  const stop = (): void => {
    thread.postMessage('stop');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      thread.on('message', (answer: StageAnswer<T>) => {
        if ('records' in answer) onProgress(answer.records);
        else if ('done' in answer) resolve(answer.done);
        else reject(failureOf(answer));
      });
      thread.once('error', reject);
      thread.once('exit', () => {
        reject(new Error('the thread that staged a file ended without an answer'));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function failureOf({ code, message, stack }: Extract<StageAnswer, { readonly message: string }>): Error {
  if (code !== null) return new GazetteError(code, message);
  return Object.assign(new Error(message), { stack });
}

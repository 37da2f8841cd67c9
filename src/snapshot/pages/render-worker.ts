// A thread that creates pages for render-pool.ts: one register at a time, as many pages as it is sent.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { isGazetteError } from '../../errors.ts';
import { makePageFiles } from './files.ts';
import { formatAt, type PageWriters } from './formats.ts';
import type { PageMessage, PoolAnswer, PoolMessage, SharedWriter, TargetMessage } from './render-pool.ts';

work(parentPort!);

function work(port: MessagePort): void {
  let current: Current | null = null;
  port.on('message', (message: PoolMessage) => {
    if ('target' in message) {
      current = { ...message, opened: openWriters(message.writers) };
      // Reported by every page that needs them.
      current.opened.catch(() => undefined);
    } else
      void answer(current!, message).then((result) => {
        port.postMessage(result);
      });
  });
}

/** The current register, and its writers once they are loaded. */
interface Current extends TargetMessage {
  readonly opened: Promise<PageWriters>;
}

async function openWriters(writers: readonly SharedWriter[]): Promise<PageWriters> {
  const opened = writers.map(
    async ([ending, origin]) => [ending, origin === null ? null : await formatAt(origin)] as const,
  );
  return new Map(await Promise.all(opened));
}

async function answer({ target, opened }: Current, { id, order }: PageMessage): Promise<PoolAnswer> {
  try {
    return { id, files: await makePageFiles(target, order, await opened) };
  } catch (error) {
    const { message, stack } = error as Error;
    // An error's class does not cross threads.
    const known = isGazetteError(error) ? { code: error.code, details: error.details } : null;
    return { id, failure: { message, known, stack: stack ?? message } };
  }
}

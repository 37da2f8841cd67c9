// A thread that makes pages for render-pool.ts: one register at a time, as many pages as it is sent.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { isGazetteError } from '../../errors.ts';
import { makePageFiles, type PageTarget } from './files.ts';
import type { PageMessage, PoolAnswer, PoolMessage } from './render-pool.ts';

work(parentPort!);

function work(port: MessagePort): void {
  let target: PageTarget | null = null;
  port.on('message', (message: PoolMessage) => {
    if ('target' in message) target = message.target;
    else
      void answer(target!, message).then((result) => {
        port.postMessage(result);
      });
  });
}

async function answer(target: PageTarget, { id, order }: PageMessage): Promise<PoolAnswer> {
  try {
    return { id, files: await makePageFiles(target, order) };
  } catch (error) {
    const { message, stack } = error as Error;
    // An error's class does not cross threads.
    const known = isGazetteError(error) ? { code: error.code, details: error.details } : null;
    return { id, failure: { message, known, stack: stack ?? message } };
  }
}

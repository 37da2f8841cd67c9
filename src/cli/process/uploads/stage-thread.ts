// The thread in which one file is staged, on a connection of its own to the store: the service answers meanwhile.
import { parentPort, workerData } from 'node:worker_threads';
import { isGazetteError } from '../../../errors.ts';
import { planUpload, stageUpload } from '../../../operate/desk/stage-upload.ts';
import { openStore } from '../../options/store.ts';
import { hushExperiments } from '../node/warnings.ts';
import type { StageAnswer, StageOrder } from './staging.ts';

hushExperiments(process);
const order = workerData as StageOrder;
const stopping = new AbortController();
parentPort!.once('message', () => {
  stopping.abort();
});
parentPort!.postMessage(await answer());
// Its listener would keep the thread alive.
parentPort!.close();

async function answer(): Promise<StageAnswer> {
  const { signal } = stopping;
  try {
    if ('planned' in order) return { done: await planUpload(order.planned, { signal }) };
    const { upload, usual, store: url } = order;
    const { store, close } = await openStore(url, false, { bulk: true });
    try {
      const onProgress = (records: number): void => {
        parentPort!.postMessage({ records } satisfies StageAnswer);
      };
      return { done: await stageUpload(store, upload, { usual, signal, onProgress }) };
    } finally {
      await close();
    }
  } catch (error) {
    const { message, stack } = error as Error;
    return { code: isGazetteError(error) ? error.code : null, message, stack };
  }
}

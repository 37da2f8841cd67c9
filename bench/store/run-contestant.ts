// A process of one contestant of a store's table; see run-store.ts.
import { localRunner } from '../harness.ts';
import { serveRunner } from '../serve-runner.ts';
import type { Stage } from './contestants.ts';
import { STORE_TABLES } from './tables.ts';

/** What the process is to run. */
export interface StoreOrder {
  readonly table: string;
  readonly contestant: string;
  readonly stage: Stage;
}

const { table, contestant, stage } = JSON.parse(process.argv[2]!) as StoreOrder;
const contestants = await STORE_TABLES.find(({ id }) => id === table)!.contestants(stage, contestant);
serveRunner(localRunner(contestants.find(({ name }) => name === contestant)!));

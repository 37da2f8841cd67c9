// A process of one contestant of a table of finding; see run-find.ts.
import { localRunner } from '../harness.ts';
import { serveRunner } from '../serve-runner.ts';
import { FIND_TABLES, type FindStage } from './tables.ts';

/** What the process is to run. */
export interface FindOrder {
  readonly table: string;
  readonly contestant: string;
  readonly stage: FindStage;
}

const { table, contestant, stage } = JSON.parse(process.argv[2]!) as FindOrder;
const contestants = await FIND_TABLES.find(({ id }) => id === table)!.contestants(stage);
serveRunner(localRunner(contestants.find(({ name }) => name === contestant)!));

// A process of one contestant, so that no package warms or litters another's heap, or changes what V8 knows of shared
// functions. It either checks every contestant's documents and lists them, or runs one whenever the parent asks.
import { loadTable } from './formats.ts';
import { checkDocuments } from './formats/check.ts';
import { CHECKED_RECORDS, inputOf, type Input, type Table } from './formats/table.ts';
import { type Contestant, localRunner, type Role } from './harness.ts';
import { serveRunner } from './serve-runner.ts';

/** What the parent wants of the process. */
export interface Order {
  readonly table: string;
  readonly size: number;
  /** The contestant to run; null to check them all. */
  readonly contestant: string | null;
}

/** What the parent knows of a contestant. */
export interface Entry {
  readonly name: string;
  readonly role: Role;
  readonly version: string | null;
  readonly note?: string;
  readonly upTo?: number;
}

async function contestantsOf(table: Table, input: Input): Promise<readonly Contestant[]> {
  return [...(await table.ours(input)), ...(await table.peers(input))];
}

async function check(table: Table): Promise<Entry[]> {
  const input = inputOf(table, CHECKED_RECORDS);
  const contestants = await contestantsOf(table, input);
  await checkDocuments(table, input, contestants);
  return contestants.map(({ name, role, version, note, upTo }) => ({
    name,
    role,
    version,
    ...(note === undefined ? {} : { note }),
    ...(upTo === undefined ? {} : { upTo }),
  }));
}

async function serve(table: Table, size: number, name: string): Promise<void> {
  const contestants = await contestantsOf(table, inputOf(table, size));
  const contestant = contestants.find((candidate) => candidate.name === name);
  if (contestant === undefined) throw new RangeError(`table ${table.id} has no contestant ${name}`);
  serveRunner(localRunner(contestant));
}

const order = JSON.parse(process.argv[2]!) as Order;
const table = await loadTable(order.table);
if (order.contestant !== null) {
  await serve(table, order.size, order.contestant);
} else {
  // A package may keep a process alive.
  process.send!({ entries: await check(table) }, () => process.exit());
}

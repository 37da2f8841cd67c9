// A process of one contestant, so that no package warms or litters another's heap, or changes what V8 knows of shared
// functions. It either checks every contestant's documents and lists them, or runs one whenever the parent asks.
import { documentOf, localRunner, type Role } from './harness.ts';
import { loadTable } from './formats.ts';
import { serveRunner } from './serve-runner.ts';
import { CHECKED_RECORDS, expectEqual, inputOf, type Table } from './formats/table.ts';

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

async function check(table: Table): Promise<Entry[]> {
  const input = inputOf(table, CHECKED_RECORDS);
  const contestants = await table.contestants(input);
  const native = contestants.find(({ role }) => role === 'native')!;
  for (const index of table.shape === 'whole' ? [0] : [0, 7]) {
    const own = await documentOf(native, index);
    for (const contestant of contestants) {
      const document = await documentOf(contestant, index);
      if (contestant.role === 'bare loop') {
        expectEqual('the bare loop writes the same bytes', document.equals(own), true);
      }
      const pages = table.shape === 'whole' ? input.pages : [input.pages[index]!];
      await table.check(document, { ...input, pages, records: pages.flatMap(({ records }) => records) }, contestant);
    }
  }
  return contestants.map(({ name, role, version, note, upTo }) => ({
    name,
    role,
    version,
    ...(note === undefined ? {} : { note }),
    ...(upTo === undefined ? {} : { upTo }),
  }));
}

async function serve(table: Table, size: number, name: string): Promise<void> {
  const contestants = await table.contestants(inputOf(table, size));
  const contestant = contestants.find((candidate) => candidate.name === name);
  if (contestant === undefined) throw new RangeError(`table ${table.id} has no contestant ${name}`);
  serveRunner(localRunner(contestant));
}

const order = JSON.parse(process.argv[2]!) as Order;
const table = await loadTable(order.table);
if (order.contestant !== null) {
  await serve(table, order.size, order.contestant);
} else {
  process.send!({ entries: await check(table) });
  process.disconnect();
}

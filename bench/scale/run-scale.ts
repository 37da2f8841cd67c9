// `npm run bench:scale`: measures what the simulation needs, checks what it says on a part of the target, and reckons the
// target. docs/scale.md tells what came of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { describeMachine, thisMachine } from '../machine.ts';
import { Asker, type Site } from './asked.ts';
import { type Checked, checkPart } from './check.ts';
import { measureInputs } from './inputs.ts';
import { CHECKED_PART, type Inputs, type Outcome, partOf, TARGET } from './model.ts';
import { fewestNodes } from './simulate.ts';
import { fillRegisters, makeKey, MeterReader, startNode, storeSize } from './site.ts';

/** The server's settings: as on a machine that is its own. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB' } as const;

/** How busy machines are planned to be, and how far apart they are. */
const UTILISATION = 0.7;
const NETWORK_MS = 0.25;

/** How much of the target's time is simulated. */
const TARGET_SECONDS = 10;

const USAGE = `usage: npm run bench:scale -- [options]

Fills a PostgreSQL server from npm, measures, and checks the simulation. Needs Linux.
  --part n      the part of the target to check on (default 0.02, which fills 10,000,000 records: 25 GB of disk)
  --seconds n   how long the check takes (default 60)
  --store url   a store that was filled before, with as many registers
  --help        this
`;

/** Everything that came of it. */
interface ScaleResult {
  readonly measuredAt: string;
  readonly machine: ReturnType<typeof thisMachine>;
  readonly inputs: Inputs;
  readonly bytes: {
    readonly tables: number;
    readonly indexes: number;
    readonly log: number | null;
    readonly node: number;
  };
  readonly checked: Checked;
  readonly target: { readonly nodes: number; readonly postgresCores: number; readonly outcome: Outcome };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      part: { type: 'string', default: String(CHECKED_PART) },
      seconds: { type: 'string', default: '60' },
      store: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [part, seconds] = [Number(values.part), Number(values.seconds)];
  if (values.help || !(part > 0 && part <= 1) || !(seconds >= 1)) {
    (values.help ? process.stdout : process.stderr).write(USAGE);
    return values.help ? 0 : 2;
  }
  const server = values.store === undefined ? await startPostgres(SETTINGS) : null;
  try {
    const result = await measureSite(values.store ?? server!.url, server !== null, part, seconds);
    const folder = join(import.meta.dirname, '../results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'scale.json'), `${JSON.stringify(result, null, 2)}\n`);
    process.stdout.write(markdownOf(result));
    return result.checked.figures.every(({ met }) => met) ? 0 : 1;
  } finally {
    await server?.stop();
  }
}

async function measureSite(url: string, isNew: boolean, part: number, seconds: number): Promise<ScaleResult> {
  const load = partOf(part);
  const log = isNew ? await fillRegisters(url, load.registers, load.records, progress) : null;
  const pool = new pg.Pool({ connectionString: url });
  const store = await PostgresStore.open(pool);
  const node = await startNode(url);
  const recordsEach = Math.floor(load.records / load.registers);
  const site: Site = { port: node.port, key: await makeKey(store), registers: load.registers, recordsEach };
  const asker = new Asker(site);
  try {
    const { records, tables, indexes } = await storeSize(pool);
    const meters = await MeterReader.open(pool, node);
    const given = { asker, site, meters, store, recordsACommit: load.recordsACommit, onProgress: progress };
    const inputs = await measureInputs(given);
    const checked = await checkPart({ ...given, inputs, load, seconds });
    progress('scale: simulating the target');
    return {
      measuredAt: new Date().toISOString(),
      machine: thisMachine(),
      inputs,
      bytes: { tables: tables / records, indexes: indexes / records, log, node: meters.residentBytes() },
      checked,
      target: reckonTarget(inputs),
    };
  } finally {
    progress('');
    asker.close();
    await node.stop();
    await store.close();
    await pool.end();
  }
}

/** The machines that the target needs. */
function reckonTarget(inputs: Inputs): ScaleResult['target'] {
  for (let postgresCores = 4; ;) {
    const machines = { postgresCores, networkMs: NETWORK_MS };
    const options = { inputs, load: TARGET, machines, seconds: TARGET_SECONDS, utilisation: UTILISATION };
    const { nodes, outcome } = fewestNodes(options);
    const wanted = Math.ceil(outcome.postgresCores / UTILISATION);
    if (wanted <= postgresCores) return { nodes, postgresCores, outcome };
    postgresCores = wanted;
  }
}

function markdownOf({ machine, inputs, bytes, checked, target }: ScaleResult): string {
  const { costs, look, commit, idle, questions } = inputs;
  const rows = Object.entries({ ...costs, look, commit }).map(
    ([kind, { nodeMs, postgresMs, transactions }]) =>
      `| ${kind} | ${nodeMs.toFixed(3)} | ${postgresMs.toFixed(3)} | ${transactions.toFixed(2)} |`,
  );
  const figures = checked.figures.map(
    ({ name, measured, simulated, met }) =>
      `| ${name} | ${measured.toPrecision(4)} | ${simulated.toPrecision(4)} | ${met ? 'holds' : 'FAILS'} |`,
  );
  const { outcome } = target;
  return `
| one request | node, ms | PostgreSQL, ms | transactions |
|---|---|---|---|
${rows.join('\n')}

idle: ${JSON.stringify(idle)} questions: ${JSON.stringify(questions)}
bytes a record: ${JSON.stringify(bytes)}

The check: ${checked.requests} requests, ${checked.failed} failed; measured ${JSON.stringify(checked.times)}, simulated ${JSON.stringify(checked.simulated)}.

| | measured | simulated | |
|---|---|---|---|
${figures.join('\n')}

The target, reckoned: ${target.nodes} nodes, PostgreSQL with ${target.postgresCores} cores: ${JSON.stringify(outcome)}

${describeMachine(machine)}
`;
}

/** The current step, on a terminal's one line; nothing when standard error is a file. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
}

process.exitCode = await main();

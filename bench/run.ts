// `npm run bench`: runs suites, each table in a process of its own, prints Markdown tables, writes bench/results. See
// README.md beside this file for how to read the figures.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toSvg } from './chart.ts';
import { loadTable, TABLE_IDS } from './formats.ts';
import { FIND_TABLE_IDS, runFind } from './find/run-find.ts';
import { runCrowd } from './http/run-crowd.ts';
import { runHttp } from './http/run-http.ts';
import { HTTP_TABLES } from './http/tables.ts';
import { thisMachine } from './machine.ts';
import { runMcp } from './mcp/run-mcp.ts';
import { MCP_TABLES } from './mcp/tables.ts';
import { measureMemory } from './memory.ts';
import { installPeers } from './peers.ts';
import { checksMarkdown, failures, memoryMarkdown, pageWith, tableMarkdown, toMarkdown } from './report.ts';
import type { CheckResult, MemoryResult, RunResult, TableResult } from './result.ts';
import { runProofs } from './proofs/run-proofs.ts';
import { runRegisters } from './registers/run-registers.ts';
import { runTable } from './run-table.ts';
import { runSnapshot } from './snapshot/run-snapshot.ts';
import { runStore, STORE_TABLE_IDS } from './store/run-store.ts';
import { runBacklogged } from './webhooks/run-backlogged.ts';
import { runMany } from './webhooks/run-many.ts';
import { runWebhooks } from './webhooks/run-webhooks.ts';
import { VERSION } from '../src/version.ts';

const SUITES = [
  'formats',
  'memory',
  'http',
  'store',
  'find',
  'snapshot',
  'registers',
  'proofs',
  'mcp',
  'webhooks',
] as const;

const ALL_TABLES: readonly string[] = [
  ...TABLE_IDS,
  ...HTTP_TABLES.map(({ id }) => id),
  'crowd',
  ...STORE_TABLE_IDS,
  ...FIND_TABLE_IDS,
  'snapshot',
  'registers',
  'proofs',
  ...MCP_TABLES.map(({ id }) => id),
  'webhooks',
  'webhooks-many',
  'webhooks-backlogged',
];

/** Records in the register of the HTTP tables. */
const HTTP_SIZES = { default: 100_000, full: 1_000_000 } as const;

/** How long the crowd stays. */
const CROWD_SECONDS = 30;

const USAGE = `usage: npm run bench -- [${SUITES.join('|')}] [options]

Without a suite, all of them.
  --full           the sizes of the published figures, instead of those that fit into a few minutes
  --size n         so many records instead, in the tables of whole files and in the register of the others; at most so many
                   registers
  --only a,b       these tables: ${ALL_TABLES.join(', ')}
  --without a,b    leave these contestants out
  --rounds n       rounds that count, at least 5 (default 7)
  --docs           make these figures those of docs/benchmarks.md; for a run of all tables, of any size, in a clone without changes
  --assert         exit with 1 when a goal is not met
  --help           this
`;

/** The page for people. */
const DOCS = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');

const DEFAULT_ROUNDS = 7;

/** Deliveries in a run. */
const WEBHOOK_EVENTS = { default: 2000, full: 10_000 } as const;

/** Deliveries in the backlog that two senders drain. */
const BACKLOGS = { default: 20_000, full: 100_000 } as const;

/** Deliveries that are due to one account, while another one's events are timed. */
const DUE = { default: 100_000, full: 1_000_000 } as const;

/** Records in the register of the tables of the store, of finding and of proofs. */
const STORE_SIZES = { default: 100_000, full: 1_000_000 } as const;

/** Records in the register of the snapshot, and how often it is written from nothing. */
const SNAPSHOT_RUNS = { default: { size: 100_000, rounds: 3 }, full: { size: 1_000_000, rounds: 1 } } as const;

/** Registers of the store that is held against few. */
const REGISTERS = { default: 1000, full: 10_000 } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: 'boolean', default: false },
      size: { type: 'string' },
      only: { type: 'string' },
      without: { type: 'string', default: '' },
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      docs: { type: 'boolean', default: false },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const size = values.size === undefined ? null : Number(values.size);
  const only = values.only?.split(',') ?? ALL_TABLES;
  const unknown = [
    ...positionals.filter((suite) => !SUITES.includes(suite as (typeof SUITES)[number])),
    ...only.filter((id) => !ALL_TABLES.includes(id)),
  ];
  const commit = commitOf();
  const isPart = positionals.length > 0 || values.only !== undefined || values.without !== '';
  if (values.docs && (isPart || !/^[\da-f]+$/.test(commit))) {
    process.stderr.write(`--docs takes a run of all tables at one commit, without changes; this is ${commit}\n`);
    return 2;
  }
  if (values.help || unknown.length > 0 || !Number.isInteger(rounds) || rounds < 5 || !isSize(size)) {
    (values.help ? process.stdout : process.stderr).write(
      `${unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n` : ''}${USAGE}`,
    );
    return values.help ? 0 : 2;
  }
  const wants = (suite: (typeof SUITES)[number]): boolean => positionals.length === 0 || positionals.includes(suite);

  const tables: TableResult[] = [];
  const memory: MemoryResult[] = [];
  const checks: CheckResult[] = [];
  const onTable = (table: TableResult): void => {
    tables.push(table);
    process.stdout.write(`${tableMarkdown(table)}\n`);
  };
  const onMemory = (table: MemoryResult): void => {
    memory.push(table);
    process.stdout.write(`${memoryMarkdown(table)}\n`);
  };
  if (wants('formats')) {
    installPeers();
    for (const id of TABLE_IDS.filter((id) => only.includes(id))) {
      const { sizes, shape } = await loadTable(id);
      const chosen = values.full ? sizes.full : sizes.default;
      for (const records of size === null || shape === 'pages' ? chosen : [size]) {
        const without = values.without.split(',');
        (await runTable({ table: id, size: records, rounds, without, onProgress: progress })).forEach(onTable);
      }
    }
  }
  if (wants('memory')) {
    (await measureMemory({ full: values.full, onProgress: progress })).forEach(onMemory);
  }
  if (wants('http')) {
    const registerSize = size ?? (values.full ? HTTP_SIZES.full : HTTP_SIZES.default);
    await runHttp({ size: registerSize, rounds, only, onProgress: progress, onTable });
    if (only.includes('crowd')) {
      const result = await runCrowd({ size: registerSize, seconds: CROWD_SECONDS, onProgress: progress });
      checks.push(result);
      process.stdout.write(`${checksMarkdown(result)}\n`);
    }
  }
  if (wants('store')) {
    const registerSize = size ?? (values.full ? STORE_SIZES.full : STORE_SIZES.default);
    await runStore({ size: registerSize, rounds, only, onProgress: progress, onTable, onMemory });
  }
  if (wants('find')) {
    const registerSize = size ?? (values.full ? STORE_SIZES.full : STORE_SIZES.default);
    const onChecks = (result: CheckResult): void => {
      checks.push(result);
      process.stdout.write(`${checksMarkdown(result)}\n`);
    };
    await runFind({ size: registerSize, rounds, only, onProgress: progress, onTable, onChecks });
  }
  if (wants('snapshot') && only.includes('snapshot')) {
    const chosen = values.full ? SNAPSHOT_RUNS.full : SNAPSHOT_RUNS.default;
    const result = await runSnapshot({ ...chosen, size: size ?? chosen.size, onProgress: progress });
    checks.push(result.checks);
    process.stdout.write(`${checksMarkdown(result.checks)}\n`);
    onMemory(result.memory);
  }
  if (wants('registers') && only.includes('registers')) {
    const onChecks = (result: CheckResult): void => {
      checks.push(result);
      process.stdout.write(`${checksMarkdown(result)}\n`);
    };
    const registers = Math.min(size ?? Infinity, values.full ? REGISTERS.full : REGISTERS.default);
    await runRegisters({ size: registers, rounds, onProgress: progress, onChecks });
  }
  if (wants('proofs') && only.includes('proofs')) {
    const result = await runProofs({
      size: size ?? (values.full ? STORE_SIZES.full : STORE_SIZES.default),
      onProgress: progress,
    });
    checks.push(result);
    process.stdout.write(`${checksMarkdown(result)}\n`);
  }
  if (wants('mcp')) {
    installPeers();
    await runMcp({ rounds, only, onProgress: progress, onTable });
  }
  if (wants('webhooks') && only.includes('webhooks')) {
    const events = values.full ? WEBHOOK_EVENTS.full : WEBHOOK_EVENTS.default;
    const result = await runWebhooks({ events, rounds, onProgress: progress });
    checks.push(result);
    process.stdout.write(`${checksMarkdown(result)}\n`);
  }
  if (wants('webhooks') && only.includes('webhooks-many')) {
    const backlog = values.full ? BACKLOGS.full : BACKLOGS.default;
    const result = await runMany({ backlog, rounds, onProgress: progress });
    checks.push(result);
    process.stdout.write(`${checksMarkdown(result)}\n`);
  }
  if (wants('webhooks') && only.includes('webhooks-backlogged')) {
    const result = await runBacklogged({ due: values.full ? DUE.full : DUE.default, onProgress: progress });
    checks.push(result);
    process.stdout.write(`${checksMarkdown(result)}\n`);
  }

  const run: RunResult = {
    suite: positionals.length === 0 ? 'all' : positionals.join('-'),
    measuredAt: new Date().toISOString(),
    machine: thisMachine(),
    gazette: VERSION,
    commit,
    rounds,
    full: values.full,
    tables,
    memory,
    checks,
  };
  writeResults(run);
  if (values.docs) writeFileSync(DOCS, pageWith(readFileSync(DOCS, 'utf8'), run));
  const failed = failures(run);
  if (failed.length > 0) process.stdout.write(`\nnot reached:\n${failed.join('\n')}\n`);
  return failed.length > 0 && values.assert ? 1 : 0;
}

/** The commit that is measured. */
function commitOf(): string {
  const said = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude', '*'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return said.status === 0 ? said.stdout.trim() : 'unknown';
}

function isSize(size: number | null): boolean {
  return size === null || (Number.isSafeInteger(size) && size >= 1000);
}

/** The current step, on a terminal's one line; nothing when standard error is a file. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
}

function writeResults(run: RunResult): void {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${run.suite}.json`), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folder, `${run.suite}.md`), toMarkdown(run));
  for (const table of run.tables) writeFileSync(join(folder, `${table.id}.svg`), toSvg(table));
}

process.exitCode = await main();

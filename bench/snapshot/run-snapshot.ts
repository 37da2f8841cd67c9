// Measures snapshots: a first run, further runs after a few changes, the same pages one format at a time, and the memory of
// a large one against a small one. Each contestant is a process of its own; they take turns.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFlags } from '../../src/cli/process/node/memory-flags.ts';
import { nextMessage } from '../next-message.ts';
import type { CheckResult, MemoryPeak, MemoryResult } from '../result.ts';
import { median, ratiosOf, type Spread } from '../statistics.ts';
import { fillStore } from './data.ts';
import type { SnapshotAction, SnapshotOrder, SnapshotRun } from './run-contestant.ts';

/** The part of the first run's time that a further one may take. */
const MAX_SHARE = 0.02;

/** Pages that a further run may write: ten corrected, two that filled up, the newest; the changes, the list of registers. */
const MAX_WRITTEN = 13 * 7 + 2;

/** Records of the small snapshot whose memory the large one is held against: enough for all threads. */
const FEW = 10_000;

/** How much higher the peak of the large one may be, in MiB. */
const LIMIT_MIB = 64;

/** Further runs in a round: each is short. */
const FURTHER_RUNS = 5;

/** What is measured. */
export interface SnapshotBenchOptions {
  /** Records in the register. */
  readonly size: number;
  /** First runs, and as many of each format by itself. */
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}

/** @throws Error when a process ends. */
export async function runSnapshot(
  options: SnapshotBenchOptions,
): Promise<{ readonly checks: CheckResult; readonly memory: MemoryResult }> {
  const { size, rounds, onProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  const children: ChildProcess[] = [];
  const start = async (order: SnapshotOrder): Promise<(action: SnapshotAction) => Promise<SnapshotRun>> => {
    const flags = { execArgv: [...memoryFlags(['snapshot'], []), '--disable-warning=ExperimentalWarning'] };
    const child = fork(join(import.meta.dirname, 'run-contestant.ts'), [JSON.stringify(order)], flags);
    children.push(child);
    await nextMessage(child, 'a snapshot');
    return (action) => {
      child.send(action);
      return nextMessage<SnapshotRun>(child, action);
    };
  };
  try {
    onProgress(`snapshot: filling stores with ${size} records`);
    const [store, small] = [join(folder, 'store.db'), join(folder, 'small.db')];
    await fillStore(store, size);
    await fillStore(small, FEW);
    const few = await peakOf(await start({ store: small, out: join(folder, 'few') }), 1);

    const ours = await start({ store, out: join(folder, 'site') });
    const theirs = await start({ store, out: join(folder, 'formats') });
    const times: Times = { first: [], further: [], reopened: [], formats: [] };
    for (let round = 1; round <= rounds; round++) {
      onProgress(`snapshot: round ${round}/${rounds}, first run`);
      times.first.push(await ours('first'));
      onProgress(`snapshot: round ${round}/${rounds}, further runs`);
      for (const action of ['further', 'reopened'] as const) {
        const runs: SnapshotRun[] = [];
        while (runs.length < FURTHER_RUNS) runs.push(await ours(action));
        times[action].push(middleOf(runs));
      }
      onProgress(`snapshot: round ${round}/${rounds}, one format at a time`);
      times.formats.push(await theirs('formats'));
    }
    const many = await peakOf(await start({ store, out: join(folder, 'again') }), 1);
    const growthMiB = many - few;
    const peak = (records: number, residentMiB: number): MemoryPeak => ({
      ...{ records, residentMiB },
      ...{ bytes: null, heapMiB: null, runs: 1 },
    });
    return {
      checks: judge(size, times),
      memory: {
        id: 'snapshot-memory',
        title: `Peak memory of a snapshot and a further run, ${availableParallelism()} threads`,
        rows: [
          {
            name: 'all formats',
            small: peak(FEW, few),
            large: peak(size, many),
            growthMiB,
            limitMiB: LIMIT_MIB,
            met: growthMiB <= LIMIT_MIB,
          },
        ],
      },
    };
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

/** The runs of each round. */
type Times = Readonly<Record<SnapshotAction, SnapshotRun[]>>;

/** The peak of a process that writes a snapshot, and brings it up to date. */
async function peakOf(run: (action: SnapshotAction) => Promise<SnapshotRun>, further: number): Promise<number> {
  let { residentMiB } = await run('first');
  for (let nth = 0; nth < further; nth++) ({ residentMiB } = await run('further'));
  return residentMiB;
}

/** Several runs as one: the median of everything. */
function middleOf(runs: readonly SnapshotRun[]): SnapshotRun {
  const of = (name: keyof SnapshotRun): number => median(runs.map((run) => run[name]));
  return { ms: of('ms'), cpuMs: of('cpuMs'), written: of('written'), residentMiB: of('residentMiB') };
}

function judge(size: number, { first, further, reopened, formats }: Times): CheckResult {
  const share = shareOf(further, first);
  const again = shareOf(reopened, first);
  const written = Math.max(...timesOf(further, 'written'));
  const apart = ratiosOf(timesOf(formats, 'ms'), timesOf(first, 'ms'));
  const best = (runs: readonly SnapshotRun[]): string => `${Math.min(...timesOf(runs, 'ms')).toFixed(0)} ms`;
  return {
    id: 'snapshot',
    title: `Snapshot of ${size} records from SQLite, tier pro, ${availableParallelism()} threads; the call in a running process, without Node's start`,
    checks: [
      {
        label: `a further run of the same writer after 100 new and 10 corrected records takes ${percent(share.time)} of the first run's time, by processor time ${percent(share.processor)}; at best ${best(further)} and ${best(first)}; wanted < ${MAX_SHARE * 100} %`,
        met: share.time.median < MAX_SHARE,
      },
      {
        label: `for information: one that is opened for it, whose threads would only have to be started, takes ${percent(again.time)}, by processor time ${percent(again.processor)}; at best ${best(reopened)}`,
        met: true,
      },
      {
        label: `it writes ${written} files, those of the pages concerned and of the newest; the first run wrote ${first[0]!.written}`,
        met: written <= MAX_WRITTEN,
      },
      {
        label: `for information: five of the formats and JSON, each in a walk of its own, without pages for people, manifest and waiting for the disk, take ${spread(apart)} × the time of the whole snapshot; at best ${best(formats)}`,
        met: true,
      },
    ],
  };
}

/** How large a part of others' time some runs take, and of their processor time. */
function shareOf(
  runs: readonly SnapshotRun[],
  others: readonly SnapshotRun[],
): { readonly time: Spread; readonly processor: Spread } {
  return {
    time: ratiosOf(timesOf(runs, 'ms'), timesOf(others, 'ms')),
    processor: ratiosOf(timesOf(runs, 'cpuMs'), timesOf(others, 'cpuMs')),
  };
}

function timesOf(runs: readonly SnapshotRun[], name: 'ms' | 'cpuMs' | 'written'): number[] {
  return runs.map((run) => run[name]);
}

function percent({ median: middle, min, max }: Spread): string {
  return `${(middle * 100).toFixed(2)} % (${(min * 100).toFixed(2)}–${(max * 100).toFixed(2)})`;
}

function spread({ median: middle, min, max }: Spread): string {
  return `${middle.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

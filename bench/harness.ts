// The stop-watch of all benchmarks. Contestants run in turns, round by round, each round beginning with another one, so
// that neither drift of the machine nor order favours anybody. Each pays for the garbage it makes.
import { Writable } from 'node:stream';
import { median, ratiosOf, type Spread, spreadOf } from './statistics.ts';

/** What a contestant is to the table: ours, ours through a package, a package used directly, or the bare loop. */
export type Role = 'native' | 'reference' | 'peer' | 'bare loop';

/** Somebody who writes the table's documents. */
export interface Contestant {
  readonly name: string;
  readonly role: Role;
  /** The package's version; null for our own. */
  readonly version: string | null;
  /** What a reader of the table must know to judge fairly. */
  readonly note?: string;
  /** The most records it can take: what it builds in memory outgrows V8's longest string, or the machine. */
  readonly upTo?: number;
  /** Writes the document number `index` to `out`, all of it. Documents repeat after the last one. */
  run(out: Destination, index: number): void | Promise<void>;
}

/** A contestant as the stop-watch sees it, wherever it runs. */
export interface Runner extends Pick<Contestant, 'name' | 'role' | 'version' | 'note'> {
  /** Writes `repeats` documents. */
  run(repeats: number): Promise<Run>;
}

/** One timed run, per document. */
export interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly firstByteMs: number;
  readonly bytes: number;
}

/** How often and how long to measure. */
export interface MeasureOptions {
  /** Rounds that count. At least five. */
  readonly rounds: number;
  /** Rounds before them that only warm up. */
  readonly warmUps: number;
  /** Short documents are repeated until a run takes about this long; 0 runs each once. */
  readonly minRunMs: number;
  /** Told before each run. */
  readonly onRun?: (runner: Runner, round: number) => void;
}

/** What was measured of one contestant. Times are milliseconds per document. */
export interface Timing {
  readonly name: string;
  readonly role: Role;
  readonly version: string | null;
  readonly note: string | null;
  /** Processor time of the whole process, all threads: what goals are judged by. */
  readonly cpu: Spread;
  /** By the clock: less than \`cpu\` where threads work side by side, more where somebody waits. */
  readonly time: Spread;
  /** From the start to the first byte, median. */
  readonly firstByteMs: number;
  /** Bytes of a document, the mean where documents differ. */
  readonly bytes: number;
  /** Documents written in one timed run. */
  readonly repeats: number;
  /** Every round that counts, in order. */
  readonly runs: readonly Run[];
}

/** Where a contestant's bytes go: counted, and kept only on request. */
export class Destination {
  bytes = 0;
  /** When the first byte arrived, by `performance.now()`. */
  firstByteAt: number | null = null;
  /** The processor time of the processes a contestant started, which is no part of its own. */
  childrenMs = 0;
  readonly #kept: Uint8Array[] | null;

  constructor(keep = false) {
    this.#kept = keep ? [] : null;
  }

  write(chunk: Uint8Array): void {
    this.firstByteAt ??= performance.now();
    this.bytes += chunk.length;
    // A copy: some packages use their buffers again.
    this.#kept?.push(Uint8Array.from(chunk));
  }

  /** Text as UTF-8. */
  text(text: string): void {
    this.write(Buffer.from(text, 'utf8'));
  }

  /** The destination as a Node stream that is always ready. */
  stream(): Writable {
    return new Writable({
      highWaterMark: 262_144,
      write: (chunk: Uint8Array, _encoding, done) => {
        this.write(chunk);
        done();
      },
    });
  }

  /** Everything written. Only when keeping. */
  document(): Buffer {
    return Buffer.concat(this.#kept ?? []);
  }
}

/** A contestant's document, kept. */
export async function documentOf(contestant: Contestant, index = 0): Promise<Buffer> {
  const out = new Destination(true);
  await contestant.run(out, index);
  return out.document();
}

/** A contestant in this process. */
export function localRunner(contestant: Contestant): Runner {
  const { name, role, version, note } = contestant;
  return {
    name,
    role,
    version,
    ...(note === undefined ? {} : { note }),
    async run(repeats) {
      let bytes = 0;
      let firstByteMs = 0;
      let childrenMs = 0;
      const processor = process.cpuUsage();
      const start = performance.now();
      for (let index = 0; index < repeats; index++) {
        const began = performance.now();
        const out = new Destination();
        const pending = contestant.run(out, index);
        if (pending !== undefined) await pending;
        childrenMs += out.childrenMs;
        bytes += out.bytes;
        firstByteMs += (out.firstByteAt ?? performance.now()) - began;
      }
      const ms = performance.now() - start;
      const { user, system } = process.cpuUsage(processor);
      return {
        ms: ms / repeats,
        cpuMs: ((user + system) / 1000 + childrenMs) / repeats,
        firstByteMs: firstByteMs / repeats,
        bytes: Math.round(bytes / repeats),
      };
    },
  };
}

/** Measures all runners against each other, in interleaved rounds. */
export async function measure(runners: readonly Runner[], options: MeasureOptions): Promise<Timing[]> {
  const states = runners.map((runner) => ({ runner, repeats: 1, runs: [] as Run[] }));
  for (let round = -options.warmUps; round < options.rounds; round++) {
    const start = (round + options.warmUps) % states.length;
    for (const state of [...states.slice(start), ...states.slice(0, start)]) {
      options.onRun?.(state.runner, round);
      const run = await state.runner.run(state.repeats);
      if (round >= 0) state.runs.push(run);
      // The last warm-up is the fastest so far: it decides how often a timed run repeats.
      else state.repeats = Math.max(1, Math.ceil(options.minRunMs / run.ms));
    }
  }
  return states.map(({ runner, repeats, runs }) => timingOf(runner, repeats, runs));
}

function timingOf({ name, role, version, note }: Runner, repeats: number, runs: readonly Run[]): Timing {
  return {
    name,
    role,
    version,
    note: note ?? null,
    cpu: spreadOf(runs.map(({ cpuMs }) => cpuMs)),
    time: spreadOf(runs.map(({ ms }) => ms)),
    firstByteMs: median(runs.map(({ firstByteMs }) => firstByteMs)),
    bytes: runs.at(-1)!.bytes,
    repeats,
    runs,
  };
}

/** What is to be reached, and against whom: how often our processor time goes into theirs, or which part of theirs ours may be. */
export type Goal = {
  /** As the table shows it: `>= 1.4 × the best peer`. */
  readonly label: string;
  /** Names of the contestants it is measured against; of several, the best. */
  readonly against: readonly string[];
  /** The contestant that is judged. Default: the first native one. */
  readonly of?: string;
} & ({ readonly atLeast: number } | { readonly atMost: number });

/** What came of a goal. */
export interface GoalResult {
  readonly label: string;
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  /** The contestant it was measured against; null when it is about our own writer alone. */
  readonly against: string | null;
  /** Against somebody: their processor time as a multiple of ours, within the same round; at most: ours as a part of theirs. */
  readonly measured: Spread;
  /** The same by the clock, for information; null when the goal is about our own writer alone. */
  readonly clock: number | null;
  readonly met: boolean;
}

/**
 * Judges the goals by the medians of the ratios.
 *
 * @throws RangeError when nobody was measured whom a goal names or is about, or no native writer.
 */
export function judge(goals: readonly Goal[], timings: readonly Timing[]): GoalResult[] {
  return goals.map((goal) => {
    const { label, against, of } = goal;
    const ours = of === undefined ? nativeOf(timings) : timings.find(({ name }) => name === of);
    if (ours === undefined) throw new RangeError(`goal ${label} is about ${of}, who was not measured`);
    const rivals = timings.filter(({ name }) => against.includes(name));
    if (rivals.length === 0) throw new RangeError(`goal ${label} is against ${against.join(', ')}: none was measured`);
    const best = rivals.reduce((a, b) => (b.cpu.median < a.cpu.median ? b : a));
    const compare = (over: Timing, under: Timing): Pick<GoalResult, 'against' | 'measured' | 'clock'> => ({
      against: best.name,
      measured: ratiosOf(timesOf(over, 'cpuMs'), timesOf(under, 'cpuMs')),
      clock: ratiosOf(timesOf(over, 'ms'), timesOf(under, 'ms')).median,
    });
    if ('atLeast' in goal) {
      const result = compare(best, ours);
      return { label, bound: 'at least', limit: goal.atLeast, ...result, met: result.measured.median >= goal.atLeast };
    }
    const result = compare(ours, best);
    return { label, bound: 'at most', limit: goal.atMost, ...result, met: result.measured.median <= goal.atMost };
  });
}

/** Judges how soon our own first byte comes by the clock, as a share of the whole time. */
export function judgeFirstByte(label: string, atMost: number, timings: readonly Timing[]): GoalResult {
  const ours = nativeOf(timings);
  const measured = spreadOf(ours.runs.map(({ ms, firstByteMs }) => firstByteMs / ms));
  return {
    label,
    bound: 'at most',
    limit: atMost,
    against: null,
    measured,
    clock: null,
    met: measured.median <= atMost,
  };
}

function timesOf({ runs }: Timing, clock: 'ms' | 'cpuMs'): number[] {
  return runs.map((run) => run[clock]);
}

function nativeOf(timings: readonly Timing[]): Timing {
  const ours = timings.find(({ role }) => role === 'native');
  if (ours === undefined) throw new RangeError('a table needs a native writer');
  return ours;
}

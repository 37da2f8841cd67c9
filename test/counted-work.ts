// How much work something takes, counted and not timed: how often each block of the sources ran, and how many bytes or
// characters single calls moved. Only what is compiled after this file was imported is counted: import it first.
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCES = pathToFileURL(join(import.meta.dirname, '..', 'src/')).href;

/** What is read of the answer of `Profiler.takePreciseCoverage`. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Bytes, or a text. */
type Moved = Uint8Array | string;

/** The calls that move much at once, and how much each does. */
const MOVES: readonly (readonly [
  owner: object,
  name: string,
  moved: (on: Moved, given: readonly unknown[]) => number,
])[] = [
  [Uint8Array.prototype, 'copyWithin', ({ length }, [, from, to]) => Number(to ?? length) - Number(from)],
  [Uint8Array.prototype, 'set', (_, [from]) => (from as Moved).length],
  [Buffer.prototype, 'write', (_, [text]) => (text as Moved).length],
  [String.prototype, 'replace', ({ length }) => length],
  [String.prototype, 'replaceAll', ({ length }) => length],
];

/** The runs of blocks of the sources since it was asked last. */
function runsOfBlocks(): number {
  let runs = 0;
  // Its answer comes at once.
  session.post('Profiler.takePreciseCoverage', (error, { result }: Coverage) => {
    if (error !== null) throw new Error(error.message);
    for (const { functions } of result.filter(({ url }) => url.startsWith(SOURCES)))
      for (const { ranges } of functions) for (const { count } of ranges) runs += count;
  });
  return runs;
}

/** The work of a run. */
export async function workOf(run: () => Promise<unknown>): Promise<number> {
  let moved = 0;
  const natives = MOVES.map(([owner, name, movedBy]) => {
    const native = (owner as Record<string, (...given: unknown[]) => unknown>)[name]!;
    const value = function (this: Moved, ...given: unknown[]): unknown {
      moved += movedBy(this, given);
      return native.apply(this, given);
    };
    const isOwn = Object.hasOwn(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    return (): void => {
      if (isOwn) Object.defineProperty(owner, name, { value: native, configurable: true, writable: true });
      else Reflect.deleteProperty(owner, name);
    };
  });
  try {
    runsOfBlocks();
    await run();
    return runsOfBlocks() + moved;
  } finally {
    for (const restore of natives) restore();
  }
}

// Peak memory of whole-register exports at two sizes, each export in a fresh process. The records are made as they are
// read, so what is measured is the writer, the driver and V8, not the data.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FORMATS, formatsFor } from '../src/formats/index.ts';
import { DEFINITION } from './data.ts';
import { EXPORT_FLAGS } from './remote-runner.ts';
import type { MemoryPeak, MemoryResult, MemoryRow } from './result.ts';
import { median } from './statistics.ts';

const execute = promisify(execFile);

const CHILD = join(import.meta.dirname, 'run-memory.ts');

/** How much higher the peak may be at the large size, in MiB. */
const LIMIT_MIB = 64;

/** Processes per format and size: the operating system's own figure varies by a few MiB. */
const RUNS = 3;

/** What a child answers on standard output. */
export interface MemorySample {
  readonly bytes: number;
  readonly residentMiB: number;
  readonly heapMiB: number;
}

/** How V8 is told to run. */
interface Setting {
  readonly id: string;
  readonly title: string;
  readonly flags: readonly string[];
}

/**
 * By default V8 lets the young generation grow to 64 MiB and more as a process goes on, whatever the program holds; with
 * the flag of `gazette export` the figure shows what the export holds. The writers are not slower with it.
 */
const SETTINGS: readonly Setting[] = [
  { id: 'memory', title: `V8 with ${EXPORT_FLAGS.join(' ')}`, flags: EXPORT_FLAGS },
  { id: 'memory-default', title: 'V8 as it is', flags: [] },
];

/** One export at two sizes. */
interface Export {
  readonly name: string;
  readonly format: string;
  readonly shape: 'document' | 'pages';
  readonly few: number;
  readonly many: number;
}

/** Measures every native format; with `full` also a million rows of XLSX against ten thousand. */
export async function measureMemory(options: {
  readonly full: boolean;
  readonly onProgress: (text: string) => void;
}): Promise<MemoryResult[]> {
  const { full, onProgress } = options;
  const exports: Export[] = formatsFor(Object.values(FORMATS), DEFINITION).map(({ name: format }) => ({
    name: `${format}, one document`,
    format,
    shape: 'document',
    few: 1000,
    many: 100_000,
  }));
  exports.push({ name: 'atom, page by page', format: 'atom', shape: 'pages', few: 1000, many: 100_000 });
  if (full) {
    exports.push({ name: 'xlsx, one document', format: 'xlsx', shape: 'document', few: 10_000, many: 1_000_000 });
  }
  const results: MemoryResult[] = [];
  for (const { id, title, flags } of SETTINGS) {
    const rows: MemoryRow[] = [];
    for (const one of exports) rows.push(await compare(one, flags, onProgress));
    results.push({ id, title: `Peak memory of an export, ${title}`, rows });
  }
  onProgress('');
  return results;
}

async function compare(
  { name, format, shape, few, many }: Export,
  flags: readonly string[],
  onProgress: (text: string) => void,
): Promise<MemoryRow> {
  const peakOf = async (records: number): Promise<MemoryPeak> => {
    const samples: MemorySample[] = [];
    for (let run = 1; run <= RUNS; run++) {
      onProgress(`memory: ${format}, ${shape}, ${records} records, run ${run}/${RUNS}`);
      samples.push(await sampleOf([...flags, CHILD, format, shape, String(records)]));
    }
    return {
      records,
      bytes: samples[0]!.bytes,
      residentMiB: median(samples.map(({ residentMiB }) => residentMiB)),
      heapMiB: median(samples.map(({ heapMiB }) => heapMiB)),
      runs: RUNS,
    };
  };
  const small = await peakOf(few);
  const large = await peakOf(many);
  const growthMiB = large.residentMiB - small.residentMiB;
  return { name, small, large, growthMiB, limitMiB: LIMIT_MIB, met: growthMiB <= LIMIT_MIB };
}

async function sampleOf(args: readonly string[]): Promise<MemorySample> {
  const { stdout } = await execute(process.execPath, ['--disable-warning=ExperimentalWarning', ...args]);
  return JSON.parse(stdout) as MemorySample;
}

// One export in a process of its own: writes a register that is made as it is read, drops the bytes, answers the peaks
// as JSON on standard output. Started by memory.ts: `run-memory.ts <format> document|pages <records>`.
import { walkExportPages } from '../src/export/walk.ts';
import { exportRegister } from '../src/export/register.ts';
import { findFormat } from '../src/formats/index.ts';
import { benchSource, benchStream } from './data.ts';
import type { MemorySample } from './memory.ts';

const MIB = 2 ** 20;

/** Chunks between two looks at the heap: a look costs more than a small chunk. */
const SAMPLE_EVERY = 8;

const [, , name, shape, records] = process.argv;
const format = findFormat(name!);
const count = Number(records);

async function* chunks(): AsyncGenerator<Uint8Array> {
  if (shape === 'pages') {
    const url = new URL(`https://permits.example.org/api/v1/feeds/permits/records/export.${format.extension}`);
    for await (const { body } of walkExportPages(benchSource(count), format, { url })) yield body;
  } else {
    yield* exportRegister(benchStream(count), format);
  }
}

let bytes = 0;
let heap = 0;
let chunk = 0;
for await (const { length } of chunks()) {
  bytes += length;
  if (chunk++ % SAMPLE_EVERY === 0) {
    const usage = process.memoryUsage();
    heap = Math.max(heap, usage.heapUsed + usage.external);
  }
}
// The operating system counts in KiB on every platform Node runs on.
const residentMiB = process.resourceUsage().maxRSS / 1024;
const sample: MemorySample = { bytes, residentMiB, heapMiB: heap / MIB };
process.stdout.write(JSON.stringify(sample));

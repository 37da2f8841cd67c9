// One import in a process of its own, through the command line itself, with the flags it gives itself: answers the
// peak of its memory as the last line of standard output. `run-import.ts <store> <file>`.
import { main } from '../../src/cli/main.ts';
import type { MemorySample } from '../memory.ts';
import { STORE_DEFINITION } from './data.ts';

const [, , store, file] = process.argv;
await main(['import', STORE_DEFINITION.id, file!, '--store', store!, '--order', 'newest-first']);
const { heapUsed, external } = process.memoryUsage();
// The operating system counts in KiB on every platform Node runs on.
const residentMiB = process.resourceUsage().maxRSS / 1024;
const sample: MemorySample = { bytes: 0, residentMiB, heapMiB: (heapUsed + external) / 2 ** 20 };
process.stdout.write(`${JSON.stringify(sample)}\n`);

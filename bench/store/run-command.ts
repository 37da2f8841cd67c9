// A command in a process of its own, through the command line itself, with the flags it gives itself: answers the peak of its
// memory as the last line of standard error. `run-command.ts <arguments>`.
import { main } from '../../src/cli/main.ts';
import type { MemorySample } from '../memory.ts';

await main(process.argv.slice(2));
const { heapUsed, external } = process.memoryUsage();
// The operating system counts in KiB on every platform Node runs on.
const residentMiB = process.resourceUsage().maxRSS / 1024;
const sample: MemorySample = { bytes: 0, residentMiB, heapMiB: (heapUsed + external) / 2 ** 20 };
process.stderr.write(`\n${JSON.stringify(sample)}\n`);

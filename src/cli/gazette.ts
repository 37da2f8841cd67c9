#!/usr/bin/env node
// The program `gazette`. It checks Node's version first and loads the rest only then: on an older Node the rest would
// fail with an unhelpful message.
import { nodeComplaint } from './process/node-version.ts';

const complaint = nodeComplaint(process.versions.node);
if (complaint === null) {
  const { hushExperiments } = await import('./process/warnings.ts');
  const { applyMemoryFlags } = await import('./process/memory-flags.ts');
  hushExperiments(process);
  applyMemoryFlags(process);
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
} else {
  process.stderr.write(`gazette: ${complaint}\n`);
  process.exitCode = 1;
}

#!/usr/bin/env node
// The program `gazette`. It checks Node's version first and loads the rest only then: on an older Node the rest would
// fail with an unhelpful message.
import { nodeComplaint } from './process/node/node-version.ts';

const complaint = nodeComplaint(process.versions.node);
if (complaint === null) {
  const { hushExperiments } = await import('./process/node/warnings.ts');
  const { mendFetch } = await import('./process/node/fetching.ts');
  const { applyMemoryFlags } = await import('./process/node/memory-flags.ts');
  hushExperiments(process);
  applyMemoryFlags(process);
  mendFetch();
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
} else {
  process.stderr.write(`gazette: ${complaint}\n`);
  process.exitCode = 1;
}

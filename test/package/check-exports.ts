// `npm run check:exports`: fails when a public entry names a type that it does not export, or when an export or one of its
// public members has no doc comment.
import { join } from 'node:path';
import { publicEntries, ROOT, Surface } from './surface.ts';

const entries = await publicEntries();
const surface = await Surface.read(entries, join(ROOT, 'tsconfig.build.json'));
const faults = surface.faults();
for (const fault of faults) console.error(fault);
console.log(`${entries.length} entries, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;

// How the program restarts itself with the flags of a large job.
import { expect, it } from 'vitest';
import { applyMemoryFlags } from '../../../../src/cli/process/node/memory-flags.ts';

it('hands its environment on: by itself, the execve of Node 22.18 hands on an empty one', () => {
  const calls: unknown[][] = [];
  const env = { GAZETTE_API_KEY: 'key' };
  const known = { argv: ['node', 'gazette', 'import', 'permits'], execArgv: [], execPath: '/bin/node', env };
  applyMemoryFlags({ ...known, execve: (...call: unknown[]) => calls.push(call) } as unknown as NodeJS.Process);
  expect(calls).toEqual([['/bin/node', expect.arrayContaining(['gazette', 'import', 'permits']), env]]);
});

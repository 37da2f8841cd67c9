// A process that buys, to be killed: `STORE halt STEP RECORD` stops at a step of one purchase and says so, `STORE steps RECORD`
// says how many steps it has, `STORE many FROM TO` buys records at once and says how many it got.
import { writeSync } from 'node:fs';
import type { Item } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { isGazetteError } from '../../../src/errors.ts';
import { steppedLedger } from '../../contracts/stepped-engine.ts';
import { openEngine } from './opened-engine.ts';

const [url, what, ...given] = process.argv.slice(2) as [string, string, ...string[]];

function itemOf(key: string): Item {
  return { feedId: 'permits', recordId: `permits:${key}`, contentVersion: 1 };
}

let statements = 0;
const ledger = steppedLedger(await openEngine(url), (step) => {
  if (typeof step === 'number') statements++;
  if (what !== 'halt' || String(step) !== given[0]) return;
  writeSync(1, `at ${step}\n`);
  // Until it is killed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
const buy = (key: string): Promise<unknown> => {
  const idempotencyKey = what === 'halt' ? `buy ${key}` : null;
  return ledger.buy({ accountId: 'acme', keyId: 'key_a', item: itemOf(key), expected: null, idempotencyKey });
};

if (what === 'halt') {
  await buy(given[1]!);
  writeSync(1, 'bought\n');
} else if (what === 'steps') {
  await buy(given[0]!);
  writeSync(1, `${statements} steps\n`);
} else {
  const [from, to] = given.map(Number) as [number, number];
  const all = Array.from({ length: to - from }, (_, n) => buy(what === 'same' ? 'a' : `r${from + n}`));
  const results = await Promise.allSettled(all);
  for (const result of results) {
    if (result.status === 'rejected' && !isGazetteError(result.reason, 'budget_exhausted')) throw result.reason;
  }
  writeSync(1, `${results.filter(({ status }) => status === 'fulfilled').length} bought\n`);
}
process.exit(0);

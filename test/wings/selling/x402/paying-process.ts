// A process that sells records for payments on chain, to be killed: `STORE CHAIN HALT RECORD=PAYMENT…` takes the payments
// at once, says what became of each, and stops at the step HALT of what it writes to the ledger, and says so.
import { writeSync } from 'node:fs';
import { steppedLedger } from '../../../contracts/stepped-engine.ts';
import { openEngine } from '../opened-engine.ts';
import { takePayments } from './paying.ts';

const [store = '', url = '', halt = '', ...payments] = process.argv.slice(2);

let steps = 0;
const ledger = steppedLedger(await openEngine(store), () => {
  if (String(steps++) !== halt) return;
  writeSync(1, 'halted\n');
  // Until it is killed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
writeSync(1, `${await takePayments(ledger, url, payments)}\n`);
process.exit(0);

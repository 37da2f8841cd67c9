// A process that holds the register `permits` of a store until it is killed: node holding.ts STORE
import { setInterval } from 'node:timers';
import { openStore } from '../../../src/cli/options/store.ts';
import { holdRegister } from '../../../src/stores/lease/hold-register.ts';

const [, , url = ''] = process.argv;
const { store } = await openStore(url, false);
await holdRegister(store, 'permits', { what: 'import killed.csv' }, async () => {
  setInterval(() => undefined, 1000);
  process.stdout.write('held');
  await new Promise(() => undefined);
});

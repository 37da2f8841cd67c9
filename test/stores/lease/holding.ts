// A process that holds the register `permits` of a store until it is killed: node holding.ts STORE TIME
import { setInterval } from 'node:timers';
import { holdRegister } from '../../../src/stores/lease/hold-register.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';

const [, , path = '', time = ''] = process.argv;
const store = SqliteStore.open(path);
await holdRegister(store, 'permits', { what: 'import killed.csv', now: () => Date.parse(time) }, async () => {
  setInterval(() => undefined, 1000);
  process.stdout.write('held');
  await new Promise(() => undefined);
});

// Random schedules of payments on a chain that loses blocks, over SQLite.
import { chainSchedulesContract } from '../contracts/chain-schedules-contract.ts';
import { tries } from '../../../effort.ts';
import { freshStores } from '../../../stores/sqlite/fresh-store.ts';

chainSchedulesContract('SQLite', freshStores(), tries(300, 10_000));

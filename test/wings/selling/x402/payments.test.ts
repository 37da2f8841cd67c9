// Payments by x402, and the reconciler, over SQLite.
import { x402LostBlocksContract } from '../contracts/x402-lost-blocks-contract.ts';
import { x402PaymentContract } from '../contracts/x402-payment-contract.ts';
import { x402ReconcilerContract } from '../contracts/x402-reconciler-contract.ts';
import { freshStores } from '../../../stores/sqlite/fresh-store.ts';

const openStore = freshStores();

x402PaymentContract('SQLite', openStore);
x402ReconcilerContract('SQLite', openStore);
x402LostBlocksContract('SQLite', openStore);

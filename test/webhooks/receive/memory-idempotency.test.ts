import { MemoryIdempotencyStore } from '../../../src/webhooks/receive/memory-idempotency.ts';
import { idempotencyContract } from '../../contracts/idempotency-contract.ts';

idempotencyContract(
  'MemoryIdempotencyStore',
  async () => {
    const store = new MemoryIdempotencyStore();
    const effects: string[] = [];
    return {
      store,
      other: store,
      write: (_, effect) => effects.push(effect),
      effects: async () => effects,
      fill: async (count) => {
        for (let n = 1; n <= count; n++) {
          await store.claim(`evt_${n}`, 'old', 60_000);
          await store.complete(`evt_${n}`, 'old', () => undefined);
        }
      },
      dispose: async () => undefined,
    };
  },
  { undoes: false },
);

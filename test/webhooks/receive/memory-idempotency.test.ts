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
      dispose: async () => undefined,
    };
  },
  { undoes: false },
);

// What is done to the records of the register `permits`, drawn at random: taken in, withdrawn, redacted, and a redaction lifted.
import fc from 'fast-check';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { at, say } from './store-register.ts';

/** Something that is done to the register. */
export type Act = (store: InspectedStore, minute: number) => Promise<unknown>;

/** What is done to one record: it is withdrawn or redacted, or its redaction lifted. Nothing, where it does not fit. */
export function endings(keys: fc.Arbitrary<string>): readonly fc.Arbitrary<Act>[] {
  return [
    keys.map((one): Act => async (store, minute) => {
      if ((await store.record(`permits:${one}`))?.state === 'live')
        await store.withdraw('permits', [`permits:${one}`], { recordedAt: at(minute) });
    }),
    keys.map((one): Act => async (store, minute) => {
      if ((await store.record(`permits:${one}`)) !== null)
        await store.redact(`permits:${one}`, { recordedAt: at(minute) });
    }),
    keys.map((one): Act => async (store) => {
      if ((await store.record(`permits:${one}`)) !== null) await store.lift(`permits:${one}`);
    }),
  ];
}

const key = fc.constantFrom('a', 'b', 'c', 'd');

/** All of it. */
export const ACTS: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(fc.uniqueArray(key), fc.nat(3)).map(([keys, n]): Act => async (store, minute) => {
    const batch = keys.map((one) => say(one, { title: `Title ${n}` }));
    await store.apply('permits', batch, { recordedAt: at(minute) });
  }),
  ...endings(key),
);

// The suite of every store of registers: the published one, over arbitrary texts what it says of a few, and whole walks.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { registerStoreContract } from '../../src/testing/stores/registers.ts';
import { nonEmptyTexts, texts, wellFormed } from '../properties/arbitraries.ts';
import { momentsContract } from './moments-contract.ts';
import { at, keyOf, type OpenStore, permits, say } from './store-register.ts';
import { walkContract } from './store-walk-contract.ts';

/**
 * Registers the suite for one implementation.
 *
 * @param runs how many schedules and sequences of each kind are tried at random
 */
export function storeContract(name: string, open: OpenStore, runs: number): void {
  describe(name, () => {
    registerStoreContract(it, open);
  });
  walkContract(name, open, runs);
  momentsContract(name, open, runs);

  describe(`${name} keeps registers`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    const apply = (minute: number, ...batch: ReturnType<typeof say>[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.createRegister(permits());
    });
    afterEach(() => dispose());

    it('keeps any text to the last unit, and finds it by its filters', async () => {
      const texted = fc.record({
        title: wellFormed(nonEmptyTexts()),
        summary: fc.option(wellFormed(texts())),
        content: fc.option(wellFormed(texts())),
        author: fc.option(wellFormed(texts(2))),
        document_type: fc.option(wellFormed(texts(2))),
        facility_id: fc.option(wellFormed(texts(2))),
        data: fc.dictionary(
          fc.oneof(wellFormed(texts(1)), fc.constant('__proto__')),
          fc.oneof(wellFormed(texts(2)), fc.jsonValue({ maxDepth: 1, stringUnit: 'grapheme' })),
        ),
      });
      let count = 0;
      await fc.assert(
        fc.asyncProperty(texted, async (given) => {
          const data = JSON.parse(JSON.stringify(given.data)) as Record<string, JsonValue>;
          const key = `k${++count}`;
          const said = say(key, { ...given, data: { amount: null, applicant: null, conditions: data } });
          await apply(0, said);
          expect((await store.record(said.id))?.record).toMatchObject({ ...said, observed_at: at(0) });
          const filter = {
            ...(said.document_type === null ? {} : { document_type: said.document_type }),
            ...(said.facility_id === null ? {} : { facility_id: said.facility_id }),
          };
          const page = await (await store.source('permits')).page({ offset: 0, limit: 1, filter });
          expect(page.records.map(keyOf)).toEqual([key]);
          // The same once more is unchanged, whatever text it is made of.
          expect(await apply(1, said)).toMatchObject({ unchanged: 1 });
        }),
        { numRuns: runs },
      );
    });
  });
}

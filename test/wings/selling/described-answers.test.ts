// Every answer of a service that sells single records is one that its documents describe, whoever asks.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type OpenApi, OpenApiJudge } from '../../contracts/openapi-judge.ts';
import { at } from '../../contracts/store-register.ts';
import { addTypedRegisters, TYPED, typedTargets } from '../../contracts/typed-registers.ts';
import { tries } from '../../effort.ts';
import { API } from '../../world.ts';
import { openShop, PRICE } from './shop.ts';

const shop = await openShop({ records: 5, limits: null });
const { store, get, asker, spender, key } = shop;
await addTypedRegisters(store);
const { definition } = (await store.register('sites'))!;
const prices = { currency: PRICE.currency, per_record: PRICE.amount };
await store.updateRegister({ ...definition, prices }, { recordedAt: at(2) });
while ((await store.finding?.incomplete())?.includes('sites') === true) await store.finding!.build('sites');

const judgeAt = async (path: string): Promise<OpenApiJudge> =>
  new OpenApiJudge((await (await get(path)).json()) as OpenApi);

it('is described by the document of the service and by that of the register', async () => {
  const judge = await judgeAt('/openapi.json');
  const byRegister = new Map<string, OpenApiJudge>();
  for (const id of TYPED) byRegister.set(id, await judgeAt(`/feeds/${id}/openapi.json`));
  const bought = fc
    .tuple(fc.constantFrom('2', '3', '4', '39', '1', '99'), fc.constantFrom('/full', '/purchase'))
    .map(([n, what]) => `/records/sites:${n}${what}`);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: typedTargets }, { weight: 1, arbitrary: bought }),
      fc.constantFrom(asker, asker, spender, key, undefined),
      async (target, caller) => {
        const method = target.endsWith('/purchase') ? 'POST' : 'GET';
        const response = await get(target, { method, ...(caller === undefined ? {} : { key: caller }) });
        const judged = { method, url: API + target };
        const [, feedId] = /^\/(?:feeds|records)\/(\w+)/.exec(target)!;
        const narrower = await byRegister.get(feedId!)!.complaints(judged, response.clone());
        expect([...(await judge.complaints(judged, response))!, ...(narrower ?? [])]).toEqual([]);
      },
    ),
    { numRuns: tries(300, 20_000) },
  );
});

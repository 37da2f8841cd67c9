// What cites figures of a register that is signed.
import { expect, it } from 'vitest';
import { defineRegister } from '../../../src/register/definition.ts';
import { at, say } from '../../contracts/store-register.ts';
import { world } from '../../world.ts';
import { sign } from './signing.ts';

it('are cited by the signed state of the log that has their change, and by none that has not', async () => {
  const { store, pro: ask, get } = await world({ records: 0 });
  await store.createRegister(defineRegister({ id: 'sites', title: 'Sites', created_at: at(0) }));
  const cited = async (): Promise<object> => (await (await ask(`/feeds/sites/facets?measure=count`)).json()) as object;
  await store.apply(
    'sites',
    ['0', '1', '2', '3', '4'].map((id) => say(id, {}, 'sites')),
    { recordedAt: at(1) },
  );
  await sign(store, 'sites');
  const checkpoint = {
    origin: expect.stringMatching(/^registers\.example\.org\//) as string,
    size: 5,
    root_hash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as string,
  };
  expect(await cited()).toMatchObject({ change: 5, checkpoint });
  expect(await (await get(`/feeds/sites/facets?measure=count`)).json()).toMatchObject({
    change: null,
    checkpoint: null,
  });
  await store.withdraw('sites', ['sites:0'], { recordedAt: at(2) });
  expect(await cited()).toMatchObject({ matched: 4, change: 6, checkpoint: null });
  await sign(store, 'sites');
  expect(await cited()).toMatchObject({ change: 6, checkpoint: { ...checkpoint, size: 6 } });
});

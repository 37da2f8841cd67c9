// An open register is whole in every snapshot, beside others of which the public sees less.
import { expect, it } from 'vitest';
import { statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';
import { digests, folder, publish, storeOf } from './published.ts';

const COUNT = 120;

it('is the same to the byte in both tiers, and opens no other register', async () => {
  const store = await storeOf(COUNT);
  await store.createRegister({ ...permits('open'), access: 'open' });
  const batch = Array.from({ length: COUNT }, (_, index) => statementAt(index + 1, COUNT, 'open'));
  await store.apply('open', batch, { recordedAt: at(COUNT) });
  const [seen, whole] = [await folder(), await folder()];
  await publish(store, seen, { tier: 'public' });
  await publish(store, whole, { tier: 'pro' });
  const [shown, all] = [await digests(seen), await digests(whole)];
  const pages = [...all.keys()].filter(
    (name) => /\.(?:json|csv|xml|atom|rss|html)$/.test(name) && !name.includes('manifest'),
  );
  const differs = pages.filter((name) => shown.get(name) !== all.get(name));
  expect(differs.filter((name) => name.startsWith('open/'))).toEqual([]);
  expect(differs).toEqual(expect.arrayContaining(['permits/index.csv', 'permits/pages/000001.json']));
  await store.updateRegister(permits('open'), { recordedAt: at(COUNT + 1) });
  await publish(store, seen, { tier: 'public' });
  const closed = await digests(seen);
  expect(closed.get('open/pages/000001.csv')).not.toBe(shown.get('open/pages/000001.csv'));
});

// How many records match, for somebody who buys single records: exact where previews show what is asked for.
import { expect, it } from 'vitest';
import { EXAMINED_PREVIEWS } from '../../../src/register/sources/preview-source.ts';
import { at, say } from '../../contracts/store-register.ts';
import { openShop } from './shop.ts';

const COUNT = EXAMINED_PREVIEWS + 300;

it('is exact beyond what one request examines, where previews show the field', async () => {
  const shop = await openShop({ records: 0 });
  const records = Array.from({ length: COUNT }, (_, n) =>
    say(`${n}`, { document_type: n % 2 === 0 ? 'draft' : 'adopted' }),
  );
  await shop.store.apply('permits', records, { recordedAt: at(1) });
  const matched = async (query: string): Promise<object> => {
    const body = (await (
      await shop.get(`/feeds/permits/records?limit=1&${query}`, { key: shop.asker })
    ).json()) as object;
    return { ...body, records: [] };
  };
  expect(await matched('document_type=draft')).toMatchObject({ matched: COUNT / 2 });
  expect(await matched('document_type=draft')).not.toHaveProperty('matched_at_least');
  expect(await matched('published_since=2026-04-17')).not.toHaveProperty('matched_at_least');
});

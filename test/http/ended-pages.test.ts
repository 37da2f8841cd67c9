// A page that has all records that match is the last one, on every surface and for everybody.
import { expect, it } from 'vitest';
import { addTypedRegisters } from '../contracts/typed-registers.ts';
import { callTool } from '../mcp/agent.ts';
import { openShop } from '../wings/selling/shop.ts';

const shop = await openShop({ records: 12 });
await addTypedRegisters(shop.store);

it.each([
  ['nobody', undefined],
  ['a subscriber', shop.key],
  ['a buyer', shop.asker],
])('no page follows one that has all that match, for %s', async (_, key) => {
  for (const query of ['document_type=adopted', 'q=%22much+more%22', 'data.place=ede', 'data.area_min=5']) {
    const get = (path: string): Promise<Response> =>
      shop.get(`/feeds/sites/records${path}`, key === undefined ? {} : { key });
    const { matched } = (await (await get(`?${query}`)).json()) as { readonly matched: number };
    if (matched === 0 || matched > 100) continue;
    const limit = `${query}&limit=${matched}`;
    expect([limit, await (await get(`?${limit}`)).json()]).toEqual([
      limit,
      expect.objectContaining({ next_offset: null }),
    ]);
    const file = await get(`/export.csv?${limit}`);
    if (file.ok) expect([limit, file.headers.get('link')]).toEqual([limit, null]);
  }
  const asked = { feed_id: 'sites', where: [{ field: 'data.place', op: 'is', value: 'ede' }], limit: 2 };
  const { structuredContent } = await callTool(shop, 'read_register', asked, shop.asker);
  expect(structuredContent).toMatchObject({ matched: 2, next_offset: null });
  expect(structuredContent).not.toHaveProperty('cursor');
});

import { expect, it } from 'vitest';
import { lackedByCatalogues } from '../../../src/operate/registers/catalogued.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { closedAfter } from '../../closed-after.ts';
import { permits } from '../../contracts/store-register.ts';

it('names what registers lack, some of many by their ids', async () => {
  const store = closedAfter(SqliteStore.open(':memory:'));
  const said = {
    description: 'All permits',
    author: 'Exampleton',
    rights: 'https://example.org/licence',
    language: 'en',
  };
  await store.createRegister({ ...permits('whole'), ...said });
  expect(await lackedByCatalogues(store)).toEqual([]);
  for (let n = 1; n <= 7; n++) await store.createRegister({ ...permits(`n${n}`), ...said, description: '' });
  await store.createRegister({ ...permits('nobodys'), ...said, author: null });
  await store.createRegister({ ...permits('free'), ...said, rights: null });
  await store.createRegister({ ...permits('mute'), ...said, language: null });
  expect(await lackedByCatalogues(store)).toEqual([
    'catalogues for portals have the title in place of a description: n1, n2, n3, n4, n5 and 2 more',
    'catalogues for portals name the service as the publisher (author): nobodys',
    'catalogues for portals have no licence (rights), but for --licence-url of the service: free',
    'catalogues for portals do not say the language: mute',
  ]);
});

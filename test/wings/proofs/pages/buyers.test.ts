// What proves the words of a version to its buyer is on no page of anybody else, whoever asked first.
import { expect, it } from 'vitest';
import { proofsIn } from '../../../../src/wings/proofs/mirror/evidence/saved-page.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { sampleRecord } from '../../../contracts/sample-register.ts';
import { ownersService } from '../../../pages/account/signed-in.ts';
import { BASE_URL } from '../../../world.ts';
import { ledgerOf } from '../../selling/ledger-of.ts';
import { sign } from '../signing.ts';

const LATEST = 'permits:2026-0121';

it('shows a statement that says more than the record to its buyer alone', async () => {
  const service = await ownersService();
  const { store, accounts } = service;
  const { definition } = (await store.register('permits'))!;
  const priced = { ...definition, prices: { currency: 'EUR', per_record: 100 } } as const;
  await store.updateRegister(priced, { recordedAt: '2026-10-02T10:00:00Z' });
  // Everybody reads it whole, and it states a column that no definition shows.
  const more = toPublishedRecord({ ...sampleRecord(121), data: { undeclared: 'hidden' } }, true);
  await store.apply('permits', [more], { recordedAt: '2026-10-02T10:00:00Z' });
  const ledger = ledgerOf(store);
  for (const accountId of ['reader-a', 'reader-b']) {
    await accounts.add(accountId, null);
    const price = { amount: 5000, currency: 'EUR' } as const;
    await ledger.grantCredit({ accountId, price, reference: null, reason: null });
  }
  const item = (await ledger.items([LATEST])).get(LATEST)!;
  await ledger.buy({ accountId: 'reader-a', keyId: null, item, expected: null, idempotencyKey: null });
  await sign(store, 'permits');
  const [buyer, other] = await Promise.all(
    ['reader-a', 'reader-b'].map(async (id) => (await service.signedIn(id)).browser),
  );
  for (const browsers of [
    [buyer!, other!],
    [other!, buyer!],
  ])
    for (const browser of browsers) {
      const { html } = await browser.open(`${BASE_URL}/records/${LATEST}`, { headers: { 'accept-language': 'en' } });
      const [proof] = proofsIn(Buffer.from(html));
      const extra = Buffer.from(/\nextra (\S+)/.exec(proof!)![1]!, 'base64').toString();
      expect(extra.includes('hidden')).toBe(browser === buyer);
    }
  expect(service.errors).toEqual([]);
});

// A store of the schema in which amounts of tokens were integers, and what an upgrade makes of it.
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { Migration } from '../../src/stores/logic/migration.ts';
import { expect } from 'vitest';
import { permits } from './store-register.ts';

const ASSET = `0x${'a'.repeat(40)}`;
const CURRENCY = `eip155:1/erc20:${ASSET}`;
const HIGHEST = Number.MAX_SAFE_INTEGER;
const OFFER = { network: 'eip155:1', asset: ASSET, amount: HIGHEST, pay_to: '0xb', name: 'Token', version: '2' };

/** A text that is no price, and has the form of one. */
const DESCRIPTION = '"amount":5,"asset":';

/** The migrations of the schemas before. */
export function before<M extends Migration>(migrations: readonly M[]): readonly M[] {
  return migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === 'amounts of tokens as digits'),
  );
}

/** The statements that fill such a store: a definition, a credit, and a payment that was charged. */
export function rowsOfNumbers(prefix: string): string {
  const prices = { currency: 'EUR', per_record: 2, x402: [OFFER, { ...OFFER, amount: 1 }] };
  const definitions = [
    { ...permits(), description: DESCRIPTION, prices },
    { ...permits(), id: 'notices', prices: { currency: 'EUR', per_record: 2 } },
  ];
  const registers = definitions.map(
    (definition) => `('${definition.id}', '${canonicalJson(definition as unknown as JsonValue)}')`,
  );
  const of = `'2026-01-01T00:00:00.000Z', 'x402:eip155:1:0xc', ${HIGHEST}, '${CURRENCY}', 1, 'permits:a', 1, 'x402'`;
  return `
INSERT INTO ${prefix}registers (id, definition) VALUES ${registers.join(', ')};
INSERT INTO ${prefix}ledger (kind, at, payer, amount, currency, provider)
  VALUES ('credit', '2026-01-01T00:00:00.000Z', 'acme', 500, 'EUR', 'operator');
INSERT INTO ${prefix}ledger (kind, at, payer, amount, currency, slot, record_id, content_version, provider, reference, reverses)
  VALUES ('hold', ${of}, 'eip155:1:${ASSET}:0xc:0x1', NULL), ('charge', ${of}, 'tx', 2);
INSERT INTO ${prefix}holds (entry, provider, payer, network, asset, sender, nonce, slot, record_id, content_version, amount,
    currency, payload, requirements, state, opened_at)
  VALUES (2, 'x402', 'x402:eip155:1:0xc', 'eip155:1', '${ASSET}', '0xc', '0x1', 1, 'permits:a', 1, ${HIGHEST}, '${CURRENCY}',
    '{}', '{}', 'charged', '2026-01-01T00:00:00.000Z');`;
}

/** Expects every amount of a token to be digits. */
export async function expectDigits(store: ServiceStore): Promise<void> {
  const tokens = { amount: String(HIGHEST), currency: CURRENCY };
  expect((await store.ledger.entries({ limit: 9 })).map(({ price }) => price)).toEqual([
    ...[tokens, tokens],
    { amount: 500, currency: 'EUR' },
  ]);
  const hold = await store.ledger.hold({ network: 'eip155:1', asset: ASSET, from: '0xc', nonce: '0x1' });
  expect(hold?.item.price).toEqual(tokens);
  expect((await store.register('permits'))!.definition).toMatchObject({
    ...{
      description: DESCRIPTION,
      prices: {
        x402: [
          { ...OFFER, amount: tokens.amount },
          { ...OFFER, amount: '1' },
        ],
      },
    },
  });
  expect((await store.register('notices'))!.definition).toMatchObject({ prices: { per_record: 2 } });
}

// `gazette register price`: prices alone.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { registerCommands, type RegisterCommands } from '../../../cli/register-commands.ts';

let { at, run, definition } = {} as RegisterCommands;
beforeEach(async () => {
  ({ at, run, definition } = await registerCommands());
  await run('register', 'add', 'permits', '--title', 'Permits', '--language', 'de');
});

it('sets the price, changes it, takes it away, and touches nothing else', async () => {
  const before = await definition();
  expect(await run('register', 'price', 'permits', '2.00', 'EUR')).toContain('permits: 2.00 EUR per record');
  expect(await definition()).toEqual({ ...before, prices: { currency: 'EUR', per_record: 200 } });
  const offer = {
    ...{
      network: 'eip155:8453',
      asset: `0x${'a'.repeat(40)}`,
      amount: '1000000000000000000',
      pay_to: `0x${'b'.repeat(40)}`,
    },
    ...{ name: 'USD Coin', version: '2' },
  };
  await writeFile(join(at, 'on-chain.json'), JSON.stringify([offer]));
  await run('register', 'price', 'permits', '3 EUR', '--on-chain', join(at, 'on-chain.json'));
  expect(await definition()).toMatchObject({ prices: { per_record: 300, x402: [offer] } });
  // What is sold on chain stays until it is said anew.
  const json = JSON.parse(await run('register', 'price', 'permits', '4.50', 'EUR', '--json')) as object;
  expect(json).toMatchObject({ definition: { prices: { per_record: 450, x402: [{ network: 'eip155:8453' }] } } });
  expect(await run('register', 'price', 'permits', '--none')).toContain('permits: nothing is sold any more');
  expect(await definition()).toEqual(before);
});

it('refuses what is no price', async () => {
  for (const args of [[], ['2.00'], ['0', 'EUR'], ['2.001', 'EUR'], ['2', 'euro'], ['2', 'EUR', '--none']]) {
    expect([args, (await run('register', 'price', 'permits', ...args)).slice(0, 2)]).toEqual([args, '2:']);
  }
  await writeFile(join(at, 'on-chain.json'), '[{ "network": "eip155:8453" }]');
  const malformed = await run('register', 'price', 'permits', '2', 'EUR', '--on-chain', join(at, 'on-chain.json'));
  expect(malformed).toMatch(/^1: .*prices\.x402\[0\]/s);
  const rounded = { network: 'eip155:8453', asset: '0xa', pay_to: '0xb', name: 'T', version: '1', amount: 20_000 };
  await writeFile(join(at, 'on-chain.json'), JSON.stringify([rounded]));
  const number = await run('register', 'price', 'permits', '2', 'EUR', '--on-chain', join(at, 'on-chain.json'));
  expect(number).toMatch(/^1: .*prices\.x402\[0\]\.amount must be a text of digits .* got 20000/s);
  expect(await run('register', 'price', 'other', '2', 'EUR')).toMatch(/^1: /);
  expect(await definition()).not.toHaveProperty('prices');
});

it('is refused for an open register, with the way to close it', async () => {
  await run('register', 'update', 'permits', '--access', 'open');
  expect(await run('register', 'price', 'permits', '2.00', 'EUR')).toBe(
    '1: gazette: register permits is open: everybody reads all of its records, so none can be sold; gazette register update permits --access tiered closes it (invalid_definition)\n',
  );
  await run('register', 'update', 'permits', '--access', 'tiered');
  expect(await run('register', 'price', 'permits', '2.00', 'EUR')).toContain('permits: 2.00 EUR per record');
});

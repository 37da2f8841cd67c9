// Payments on chain through the command line: `gazette reconcile`, and `gazette serve` with its options for x402, against a
// facilitator and a chain of the tests' own.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { schemaPath } from '../../../../fixtures/schemas.ts';
import { x402Payer } from '../../../../src/wings/selling/purchases/x402/options.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { authorization, BUYER, NETWORK } from '../x402/local-chain.ts';
import { identifier, OFFER, paymentOf, RECEIPT_KEY, receiptOf, Shop, urlOf } from '../x402/shop.ts';
import { until } from '../../../until.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { serveAs } from '../../../cli/served.ts';

const ENV = { GAZETTE_RECEIPT_KEY: RECEIPT_KEY };

let path: string;
let shop: Shop;
beforeEach(async () => {
  path = join(await folder(), 'store.db');
  shop = await Shop.open(
    () => {
      const store = SqliteStore.open(path);
      return Promise.resolve({ store, dispose: () => store.close() });
    },
    { waitMs: 10 },
  );
  onTestFinished(() => shop.close());
});

const onChain = (...more: readonly string[]): string[] => [
  ...['--store', path, '--x402-rpc', `${NETWORK}=${shop.chain.url}/?key=secret`],
  ...more,
];

/** A service at the address that {@link urlOf} begins with. */
const facilitated = (url: string): string[] => ['--x402-facilitator', url, '--base-url', 'https://register.example'];

describe('gazette reconcile', () => {
  it('charges what was paid, releases what never can be, and says how many', async () => {
    shop.chain.settling = 'settles and is lost';
    const paid = await shop.pay({ identifier: identifier() });
    shop.chain.settling = 'away';
    await shop.pay({ record: 'b' });
    shop.chain.mine(3);
    const reconcile = (): ReturnType<typeof gazette> => gazette(['reconcile', ...onChain('--x402-confirmations', '2')]);
    const first = await reconcile();
    expect([first.code, first.stderr]).toEqual([
      0,
      'gazette: 2 payments under way: 1 charged, 0 released, 0 reversed, 0 not looked at\n',
    ]);
    const proof = { receipt: receiptOf(paid) ?? '', signIn: null, resource: urlOf('a') };
    expect(await shop.provider.recall(proof, 'permits:a')).not.toBeNull();
    shop.chain.mine(1, 130);
    shop.chain.mine(3);
    expect((await reconcile()).stderr).toContain(
      '1 payment under way: 0 charged, 1 released, 0 reversed, 0 not looked at',
    );
    const again = await reconcile();
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('0 payments under way')]);
    const ledger = await gazette(['account', 'ledger', '--store', path]);
    expect(ledger.stdout.toString()).toMatch(/release .*authorization_expired/);
    expect(ledger.stdout.toString()).toMatch(/charge .*found on the chain/);
  });

  it('reverses a charge whose transfer has vanished, as the ledger shows', async () => {
    await shop.pay();
    shop.chain.lose(1);
    shop.chain.mine(20, 200);
    expect((await gazette(['reconcile', ...onChain('--x402-confirmations', '2')])).stderr).toContain(
      '1 payment under way: 0 charged, 0 released, 1 reversed, 0 not looked at',
    );
    const listed = await gazette(['account', 'ledger', '--store', path]);
    expect(listed.stdout.toString()).toMatch(
      /reversed .*permits:a v1 {2}authorization_expired\n.* charge .*\n.* hold /,
    );
    const csv = await gazette(['account', 'ledger', '--csv', '--store', path]);
    expect(csv.stdout.toString()).toMatch(/^3,reversed,.*,authorization_expired,2\r$/m);
  });

  it('leaves every digit of a token in the ledger, as text, JSON and CSV', async () => {
    const amount = String(10n ** 20n + 1n);
    shop.offer = { ...OFFER, amount };
    await shop.pay({ signed: shop.sign({ value: amount }), accepted: { amount } });
    const ledger = async (...options: readonly string[]): Promise<string> =>
      (await gazette(['account', 'ledger', ...options, '--store', path])).stdout.toString();
    expect(await ledger()).toMatch(
      /charge .* 100000000000000000001 of the smallest unit of eip155:31337\/erc20:0x\w+ /,
    );
    expect(await ledger('--csv')).toMatch(/,charge,.*,100000000000000000001,eip155:31337\/erc20:/);
    const entries = JSON.parse(await ledger('--json')) as object;
    expect(entries).toMatchObject([{ kind: 'charge', amount }, { kind: 'hold', amount }]); // prettier-ignore
    const fits = new Ajv2020().compile(JSON.parse(await readFile(schemaPath('ledger.schema.json'), 'utf8')) as object);
    expect(fits(entries), JSON.stringify(fits.errors)).toBe(true);
    const from = x402Payer(NETWORK, BUYER);
    const refund = await gazette(['account', 'refund', from, '2', '--reason', 'sent back', '--store', path]);
    expect(refund.stderr + refund.stdout.toString()).toContain(`refund of ${amount} of the smallest unit of`);
    const doctor = await gazette(['doctor', '--store', path]);
    expect(doctor.stdout.toString() + doctor.stderr).not.toMatch(/ must be /);
  });

  it('waits for twelve blocks where it is not told otherwise', async () => {
    shop.chain.settling = 'settles and is lost';
    await shop.pay();
    shop.chain.mine(11);
    expect((await gazette(['reconcile', ...onChain()])).stderr).toContain(': 0 charged');
    shop.chain.mine(1);
    expect((await gazette(['reconcile', ...onChain()])).stderr).toContain(': 1 charged');
  });

  it('fails while the chain cannot be read, leaves the payment open, and shows no secret of an address', async () => {
    shop.chain.settling = 'settles and is lost';
    await shop.pay();
    shop.chain.isUp = false;
    const { code, stderr } = await gazette(['reconcile', ...onChain()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/the payment of entry 1 stays open: the chain’s node at 127\.0\.0\.1:\d+ gave no usable/);
    expect(stderr).toMatch(/1 payment under way: 0 charged, 0 released, 0 reversed, 1 not looked at/);
    expect(stderr).toContain('(payment_unavailable)');
    expect(stderr).not.toContain('secret');
    expect(await shop.kinds()).toEqual(['hold']);
  });

  it.each([
    [[], 'gazette reconcile needs --x402-rpc'],
    [['--x402-rpc', 'https://node.example/secret'], 'got an address without its network'],
    [['--x402-rpc', 'eip155:1=ftp://node.example/secret'], 'got "eip155:1" and an address'],
    [['--x402-rpc', 'eip155:1=http://a.example', '--x402-rpc', 'eip155:1=http://b.example'], 'more than one address'],
    [['--x402-rpc', 'eip155:1=http://a.example', '--x402-confirmations', '-1'], 'a whole number from 0 to 10000'],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await gazette(['reconcile', '--store', path, ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('secret');
    expect(await shop.kinds()).toEqual([]);
  });
});

describe('gazette serve', () => {
  it('sells for payments on chain, and ends those of before that nobody knew the end of', async () => {
    const { store, chain } = shop;
    await store.apply('permits', ['c', 'd', 'e'].map((key) => say(key)), { recordedAt: at(1) }); // prettier-ignore
    const { definition } = (await store.register('permits'))!;
    const prices = { currency: 'EUR', per_record: 200, x402: [OFFER] };
    await store.updateRegister({ ...definition, prices }, { recordedAt: at(2) });
    chain.settling = 'settles and is lost';
    await shop.pay();
    chain.mine(2);
    chain.settling = 'honest';
    const options = onChain(...facilitated(chain.url), '--x402-confirmations', '2').slice(2);
    const { api, child, ended } = await serveAs({ env: ENV }, path, ...options);
    await until('the payment of before to be charged', async () => (await shop.kinds()).includes('charge'));

    const url = `${api}/records/permits:b/full`;
    const asked = await fetch(url);
    expect([asked.status, asked.headers.get('payment-required') === null]).toEqual([402, false]);
    const payment = paymentOf({ record: 'b' }, authorization(chain.time));
    const bought = await fetch(url, {
      headers: { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') },
    });
    expect(bought.status).toBe(200);
    expect(await shop.kinds()).toEqual(['hold', 'charge', 'hold', 'charge']);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  const facilitator = facilitated('https://pay.example');
  it.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ['no node', facilitator, ENV, '--x402-facilitator needs --x402-rpc'],
    ['no key', [...facilitator, '--x402-rpc', 'eip155:1=http://a.example'], {}, 'GAZETTE_RECEIPT_KEY must be 32 bytes'],
    ['a key that is none', [], { GAZETTE_RECEIPT_KEY: 'tiny' }, 'GAZETTE_RECEIPT_KEY must be 32 bytes'],
    [
      'an address that is none',
      [...facilitated('pay.example'), '--x402-rpc', 'eip155:1=http://a.example'],
      ENV,
      '--x402-facilitator must be an http or https URL',
    ],
    [
      'no address that wallets sign in to',
      [...facilitator.slice(0, 2), '--x402-rpc', 'eip155:1=http://a.example'],
      ENV,
      '--x402-facilitator needs --base-url',
    ],
  ])('does not start with %s', async (_, options, env, message) => {
    const { code, stderr } = await gazette(['serve', '--store', path, '--port', '0', ...options], '', env);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
    expect(stderr).not.toContain('tiny');
  });

  it('does not start with the node of another chain', async () => {
    const options = [...facilitator, '--x402-rpc', `eip155:8453=${shop.chain.url}`];
    const { code, stderr } = await gazette(['serve', '--store', path, '--port', '0', ...options], '', ENV);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the node for eip155:8453 serves another chain')]);
  });
});

it('is among the settings that gazette doctor checks', async () => {
  const file = join(path, '../gazette.json');
  const examined = async (settings: object, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    await writeFile(file, JSON.stringify({ store: path, ...settings }));
    return (await gazette(['doctor', '--config', file], '', env)).stdout.toString();
  };
  expect(await examined({}, { GAZETTE_RECEIPT_KEY: 'tiny' })).toMatch(/GAZETTE_RECEIPT_KEY must be (?!.*tiny)/);
  expect(await examined({ x402_facilitator: 'https://pay.example' })).toContain('--x402-facilitator needs --x402-rpc');
});

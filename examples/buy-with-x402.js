// An agent that buys one record with a wallet, over x402. It looks at the free preview first, and pays no more than it was
// allowed to. Install its packages, then start it with the address of a service and the id of a record:
//
//   npm install @x402/fetch @x402/evm viem
//   WALLET_KEY=0x… MOST=50000 node examples/buy-with-x402.js https://registers.example.org permits:2026-17
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const [service = 'http://127.0.0.1:8080', id = 'permits:2026-17'] = process.argv.slice(2);
const { WALLET_KEY = '', MOST = '50000' } = process.env;

// The preview is free, and says where the whole record is sold.
const preview = await (await fetch(`${service}/api/v1/records/${id}`)).json();
if (preview.buy_url === undefined) throw new Error(`${id} is not sold: ${JSON.stringify(preview)}`);
console.log(`preview: ${preview.title}`);

// The client refuses to sign for more than MOST, in the smallest unit of the asset.
const isAffordable = ({ amount }) => BigInt(amount) <= BigInt(MOST);
const client = new x402Client()
  .setSpendControls({ allowedAssets: true })
  .register('eip155:*', new ExactEvmScheme(privateKeyToAccount(WALLET_KEY)))
  .registerPolicy((version, requirements) => requirements.filter(isAffordable));
const response = await wrapFetchWithPayment(fetch, client)(preview.buy_url);
const answer = await response.json();
if (response.status !== 200) throw new Error(`not bought (${response.status}): ${JSON.stringify(answer)}`);

const paid = JSON.parse(Buffer.from(response.headers.get('payment-response'), 'base64').toString());
console.log(`bought: ${answer.title}, for ${paid.amount}, in transaction ${paid.transaction}`);
// Keep it: with `Authorization: Bearer gzr_…` the record is read again for nothing.
console.log(`receipt: ${paid.extensions['gazette-receipt'].info.receipt}`);

// An agent that buys one record: GAZETTE_API_KEY=gz_… npx node examples/buy-through-mcp.ts http://127.0.0.1:8080 'quay wall'
// It searches the previews of a service that sells records, and buys the first one found, if it costs at most 500 cents.
import { randomUUID } from 'node:crypto';

const [, , service = 'http://127.0.0.1:8080', query = 'permit'] = process.argv;
const MAX_PRICE = 500;

interface Answer {
  readonly results?: readonly {
    readonly id: string;
    readonly title: string;
    readonly price?: { readonly amount: number; readonly currency: string };
  }[];
  readonly record?: { readonly title: string; readonly content: string | null; readonly source_url: string };
  readonly left?: { readonly amount: number; readonly currency: string };
}

/** Calls a tool. What a model can mend comes as a text, too. */
async function call(name: string, args: object): Promise<Answer> {
  const response = await fetch(`${service}/api/v1/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.GAZETTE_API_KEY ?? ''}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result, detail } = (await response.json()) as {
    readonly detail?: string;
    readonly result?: { readonly isError?: boolean; readonly content: { text: string }[]; structuredContent: Answer };
  };
  if (result === undefined) throw new Error(detail ?? `the service answered ${response.status}`);
  if (result.isError === true) throw new Error(result.content[0]!.text);
  return result.structuredContent;
}

try {
  const [found] = (await call('search', { query, limit: 1, format: 'records' })).results ?? [];
  if (found === undefined) throw new Error(`nothing is found for ${query}`);
  const { amount, currency } = found.price ?? { amount: 0, currency: 'EUR' };
  if (amount > MAX_PRICE) throw new Error(`${found.id} costs ${amount}, which is more than ${MAX_PRICE}`);
  // If the price rises before the call arrives, nothing is charged.
  const expected_price = `${(amount / 100).toFixed(2)} ${currency}`;
  // The same purchase_id when the call is repeated: the record is then paid for once, whatever gets lost.
  const { record, left } = await call('read_record', {
    record_id: found.id,
    expected_price,
    purchase_id: randomUUID(),
  });
  console.log(`${record!.title}: “${record!.content ?? ''}” (${record!.source_url})`);
  if (left !== undefined) console.log(`${left.amount} ${left.currency} cents are left`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

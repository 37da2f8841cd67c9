// What records cost, as previews and registers say it. Discovery is free: a price is everybody's to read.
import { type Money, priceOf } from '../money.ts';
import type { RegisterDefinition, RegisterRecord } from '../register/record.ts';
import type { RecordPreview } from '../register/tier.ts';
import type { CatalogueStore, RegisterEntry } from '../stores/contract/catalogue.ts';
import type { Balance, KeyBudget } from '../stores/contract/accounts.ts';

/** The first registers that sell records, by id, so many at most. */
export async function sellingRegisters(
  catalogue: Pick<CatalogueStore, 'walk'>,
  limit: number,
): Promise<readonly RegisterEntry[]> {
  const found: RegisterEntry[] = [];
  for await (const registers of catalogue.walk({ withPrices: true })) {
    found.push(...registers.filter(({ definition }) => priceOf(definition) !== null));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Whether any of these registers sells records. */
export function isSelling(definitions: Iterable<Pick<RegisterDefinition, 'prices' | 'access'>>): boolean {
  for (const definition of definitions) if (priceOf(definition) !== null) return true;
  return false;
}

/** What a register says of its prices; nothing where it sells nothing. @param api the address of the API */
export function offersOf(definition: RegisterDefinition, api: string): { readonly offers?: readonly object[] } {
  const price = priceOf(definition);
  if (price === null) return {};
  return { offers: [{ what: 'record', price, buy_url: `${api}/records/{record_id}/full` }] };
}

/** Where a record is bought, and where who may read it has it whole. @param api the address of the API */
export function buyUrl(api: string, recordId: string): string {
  return `${api}/records/${recordId}/full`;
}

/** What is beside a record that can be bought; nothing where its register sells none. */
export function offerOf(
  definition: RegisterDefinition,
  api: string,
  recordId: string,
): { readonly price?: Money; readonly buy_url?: string } {
  const price = priceOf(definition);
  return price === null ? {} : { price, buy_url: buyUrl(api, recordId) };
}

/** A record as a surface shows it: a preview with its price. */
export function withOffer(
  shown: RegisterRecord | RecordPreview,
  definition: RegisterDefinition,
  api: string,
): RegisterRecord | RecordPreview {
  return 'preview' in shown ? { ...shown, ...offerOf(definition, api, shown.id) } : shown;
}

/** The members of a preview that are chosen; what says that it is one, and what the whole costs, always comes. */
export function pickPreview(shown: object, names: readonly string[]): object {
  const always = ['preview', 'note', 'price', 'buy_url'];
  return Object.fromEntries(Object.entries(shown).filter(([name]) => names.includes(name) || always.includes(name)));
}

/** Somebody who spends credit. */
interface Spender {
  readonly account: { readonly balance?: Balance };
  /** Null: the owner signed in. */
  readonly key: { readonly budget?: KeyBudget } | null;
}

/** What a buyer can still spend: of the account's credit, of the key's budget, and of it today. Null: nobody buys with credit. */
export function leftOf(buyer: Spender | undefined, nowMs: number = Date.now()): Money | null {
  const balance = buyer?.account.balance;
  if (buyer === undefined || balance === undefined) return null;
  const { currency } = balance;
  const budget = buyer.key?.budget;
  const bounds = budget === undefined ? [balance.left] : [balance.left, leftOfBudget(budget, nowMs)];
  return { amount: Math.max(0, Math.min(...bounds)), currency };
}

/** What is left of a key's budget at a time, in milliseconds since 1970, whatever the account has. */
export function leftOfBudget({ budget, perDay, spent, day, spentOnDay }: KeyBudget, nowMs: number): number {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const bounds = [budget - spent, ...(perDay === null ? [] : [perDay - (day === today ? spentOnDay : 0)])];
  return Math.max(0, Math.min(...bounds));
}

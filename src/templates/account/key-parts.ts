// The parts of pages about keys: what a key is, and the fields that say what it may do.
import type { ApiKeyEntry } from '../../stores/contract/accounts.ts';
import { KEY_SCOPES } from '../../stores/rows/keys.ts';
import { moneyText } from '../../money.ts';
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';
import { moneyOf, timeOf } from '../wording.ts';
import { badge, checkboxes, facts, type OwnerFrame, phrase, type Sent, textField } from './parts.ts';

/** The states of a key. */
type KeyState = 'active' | 'rotated' | 'ended' | 'expired' | 'revoked';

/** A key with its state. */
export interface KeySummary {
  readonly entry: ApiKeyEntry;
  readonly state: KeyState;
  /** Whether it is for this service, so that something can be done with it. */
  readonly isOwn: boolean;
  /** What is left of its budget, altogether and today; null: it has none. */
  readonly left: { readonly currency: string; readonly total: number; readonly today: number } | null;
}

/** The registers that can be chosen by a click. */
export interface Choices {
  readonly registers: readonly { readonly id: string; readonly title: string }[];
  /** Whether there are no others: those are chosen by their ids. */
  readonly areAll: boolean;
}

const KINDS: Readonly<Record<KeyState, 'good' | 'idle' | 'bad'>> = {
  active: 'good',
  rotated: 'idle',
  ended: 'idle',
  expired: 'idle',
  revoked: 'bad',
};

/** What a key is called; its last four characters if it has no name. */
export function keyName({ wording }: OwnerFrame, { name }: ApiKeyEntry): string {
  return name ?? wording.account.keys.unnamed;
}

/** The state of a key. */
export function keyBadge({ wording }: OwnerFrame, { state }: KeySummary): Markup {
  return badge(wording.account.keys.states[state], KINDS[state]);
}

/** The facts about a key. */
export function keyFacts({ wording }: OwnerFrame, { entry, isOwn, left }: KeySummary): Markup {
  const texts = wording.account.keys;
  const { lastFour, createdAt, lastUsedAt, endsAt, expiresAt, scopes, feeds, limit, requests, product } = entry;
  const end = endsAt ?? expiresAt;
  const lines: (readonly [string, Content])[] = [
    [texts.endsIn, markup`<code>…${lastFour}</code>`],
    [texts.scopes, scopes.map((scope) => texts.scope[scope]).join(' · ')],
    [texts.feeds, feeds === null ? texts.allFeeds : feeds.join(', ')],
    [
      texts.limit,
      limit === null
        ? texts.limitUsual
        : phrase(texts.limitText, {
            requests: wording.number(limit.limit),
            seconds: wording.number(limit.windowSeconds),
          }),
    ],
    ...(left === null ? [] : [[texts.budget, budgetText(wording, entry.budget!, left)] as const]),
    [texts.usedFor, wording.number(requests)],
    [texts.lastUsed, lastUsedAt === null ? texts.never : timeOf(wording, lastUsedAt)],
    [texts.created, timeOf(wording, createdAt)],
    ...(end === null ? [] : [[texts.ends, timeOf(wording, end)] as const]),
    ...(isOwn ? [] : [['', phrase(texts.product, { product })] as const]),
  ];
  return facts(lines);
}

/** What a key may spend, and what is left of it. */
function budgetText(
  wording: OwnerFrame['wording'],
  { budget, perDay, maxPrice }: NonNullable<ApiKeyEntry['budget']>,
  { currency, total, today }: NonNullable<KeySummary['left']>,
): Content {
  const texts = wording.account.keys;
  const money = (amount: number): string => moneyOf(wording, { amount, currency });
  const whole = phrase(texts.budgetLeft, { left: money(total), budget: money(budget) });
  const day =
    perDay === null ? NOTHING : markup` · ${phrase(texts.budgetToday, { left: money(today), day: money(perDay) })}`;
  const record =
    maxPrice === null ? NOTHING : markup` · ${phrase(texts.budgetEach, { price: moneyOf(wording, maxPrice) })}`;
  return markup`${whole}${day}${record}`;
}

/** The fields that say what a key may do. @param entry the key as it is; null for a new one */
export function keyFields(frame: OwnerFrame, { form, entry, registers, currency, sent }: KeyFieldParts): Markup {
  const { wording } = frame;
  const texts = wording.account.keys;
  const limit = entry?.limit;
  const number = { type: 'number', min: 1 } as const;
  return markup`${textField({ form, name: 'name', label: texts.name, hint: texts.nameHint, value: entry?.name ?? '', sent })}${checkboxes(
    {
      ...{ form, name: 'scopes', label: texts.scopes, sent },
      choices: KEY_SCOPES.map((scope) => ({ value: scope, text: texts.scope[scope] })),
      chosen: entry?.scopes ?? ['read'],
    },
  )}${registerFields(frame, { form, sent, ...registers, chosen: entry?.feeds ?? [] })}<fieldset class="field"><legend>${texts.limit}</legend>
<p class="hint">${texts.limitHint}</p>
<div class="pair">${textField({
    ...{ form, name: 'limit', label: texts.requests, value: limit?.limit ?? '', sent },
    ...{ ...number, max: 1_000_000 },
  })}${textField({
    ...{ form, name: 'seconds', label: texts.seconds, value: limit?.windowSeconds ?? '', sent },
    ...{ ...number, max: 86_400 },
  })}</div></fieldset>
${currency === null ? NOTHING : budgetFields(wording, { form, entry, currency, sent })}`;
}

/** The field with what the page shows in another one: what differs is to change. */
export function previousField(name: 'budget' | 'per_day' | 'max_price'): string {
  return `shown_${name}`;
}

/** The fields by which registers are chosen: those at hand, and where there are more, the ids of others. */
export function registerFields(
  { wording }: OwnerFrame,
  {
    form,
    registers,
    areAll,
    sent,
    chosen,
  }: Choices & Pick<KeyFieldParts, 'form' | 'sent'> & { readonly chosen: readonly string[] },
): Markup {
  const { feeds, feedsHint, otherFeeds, otherFeedsHint } = wording.account.keys;
  return markup`${checkboxes({
    ...{ form, name: 'feeds', label: feeds, hint: feedsHint, sent, chosen },
    choices: registers.map(({ id, title }) => ({ value: id, text: title })),
  })}${areAll ? NOTHING : textField({ form, name: 'other_feeds', label: otherFeeds, hint: otherFeedsHint, sent })}`;
}

/** The fields of a budget. */
function budgetFields(
  { account }: OwnerFrame['wording'],
  { form, entry, currency, sent }: Omit<KeyFieldParts, 'registers' | 'currency'> & { readonly currency: string },
): Markup {
  const texts = account.keys;
  const budget = entry?.budget;
  const shown = (amount: number | null | undefined): string =>
    amount == null ? '' : moneyText({ amount, currency }).split(' ')[0]!;
  const field = (name: Parameters<typeof previousField>[0], label: string, amount: number | null | undefined): Markup =>
    markup`<input type="hidden" name="${previousField(name)}" value="${shown(amount)}">${textField({ form, name, label: `${label} (${currency})`, value: shown(amount), sent })}`;
  return markup`<fieldset class="field"><legend>${texts.budget}</legend>
<p class="hint">${texts.budgetHint}</p>
<div class="pair">${field('budget', texts.budgetTotal, budget?.budget)}${field('per_day', texts.budgetPerDay, budget?.perDay)}${field('max_price', texts.budgetMaxPrice, budget?.maxPrice?.amount)}</div></fieldset>
`;
}

/** Where {@link keyFields} are, and with what. */
export interface KeyFieldParts {
  readonly form: string;
  readonly entry: ApiKeyEntry | null;
  readonly registers: Choices;
  /** The currency of the account's credit; null: it has none. */
  readonly currency: string | null;
  readonly sent: Sent | null;
}

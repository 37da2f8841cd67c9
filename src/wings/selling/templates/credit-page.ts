// Where an agent sends the owner of an account whose credit, or whose key's budget, is not enough: what is left, and how to get more.
import type { Balance } from '../../../stores/contract/accounts.ts';
import { markup, NOTHING } from '../../../templates/markup.ts';
import { moneyOf } from '../../../templates/wording.ts';
import { facts, type OwnerFrame, ownerPage } from '../../../templates/account/parts.ts';

/** What the page shows. */
export interface CreditParts {
  readonly accountId: string;
  readonly balance: Balance;
  /** Where credit is to be had; null: the operator names no place. */
  readonly keysUrl: string | null;
}

/** The path of the page of an account. */
export function creditPath(accountId: string): string {
  return `/account/credit/${accountId}`;
}

/** The page. */
export function creditPage(frame: OwnerFrame, { accountId, balance, keysUrl }: CreditParts): string {
  const { wording, service } = frame;
  const texts = wording.account.credit;
  const money = (amount: number): string => moneyOf(wording, { amount, currency: balance.currency });
  const { contact } = service;
  const contactUrl = contact === null ? null : 'url' in contact ? contact.url : `mailto:${contact.email}`;
  const where = keysUrl ?? contactUrl;
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${facts([
  [wording.account.overview.account, markup`<code>${accountId}</code>`],
  [texts.left, money(balance.left)],
  [texts.credited, money(balance.credit)],
])}<p>${texts.how}${where === null ? NOTHING : markup` <a href="${where}">${wording.texts.offer.topUp}</a>.`}</p>
<p>${texts.budgets} <a href="${frame.at('/account/keys')}">${wording.account.navigation.keys}</a>.</p>
<p><a href="${frame.at('/account/ledger')}">${wording.account.overview.ledger}</a></p>`;
  return ownerPage(frame, { title: texts.title, section: '/account', main });
}

// The first page of an account: until when it has access, how much it was used, and how to end all sessions.
import type { Account, Balance } from '../../stores/contract/accounts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { moneyOf, timeOf } from '../wording.ts';
import { badge, button, facts, form, type OwnerFrame, ownerPage, phrase } from './parts.ts';

/** What the page shows. */
export interface Overview {
  readonly account: Account;
  readonly state: 'active' | 'lapsed' | 'suspended';
  readonly lastUsedAt: string | null;
  readonly requests: number;
  /** How many keys work. */
  readonly keys: number;
  readonly endpoints: number;
  /** Of the latest deliveries, how many failed or were skipped. */
  readonly missed: { readonly count: number; readonly of: number };
  /** Where access is bought or renewed. */
  readonly renewUrl: string | null;
}

/** The page. */
export function overviewPage(frame: OwnerFrame, overview: Overview): string {
  const { wording } = frame;
  const texts = wording.account.overview;
  const { account, lastUsedAt, requests, keys, endpoints, missed, renewUrl, state } = overview;
  const { limit, email } = account;
  const { navigation } = wording.account;
  const counted = (count: number, path: string, text: string): Markup =>
    markup`${wording.number(count)} <span aria-hidden="true">·</span> <a href="${frame.at(path)}">${text}</a>`;
  const main = markup`<h1>${texts.title}</h1>
${facts(
  [
    [texts.account, markup`<code>${account.id}</code>`],
    [texts.access, accessOf(frame, overview)],
    [texts.used, wording.number(requests)],
    [texts.lastUsed, lastUsedAt === null ? texts.never : timeOf(wording, lastUsedAt)],
    [
      texts.limit,
      limit === null
        ? texts.limitDefault
        : phrase(texts.limitOwn, {
            requests: wording.number(limit.limit),
            seconds: wording.number(limit.windowSeconds),
          }),
    ],
    [texts.email, email ?? texts.emailNone],
    [texts.keys, counted(keys, '/account/keys', navigation.keys)],
    [texts.endpoints, counted(endpoints, '/account/endpoints', navigation.endpoints)],
    ...(account.balance === undefined ? [] : [[texts.credit, creditOf(frame, account.balance)] as const]),
    ...(missed.of === 0
      ? []
      : [
          [
            phrase(texts.missed, { count: wording.number(missed.of) }),
            counted(missed.count, '/account/deliveries', navigation.deliveries),
          ] as const,
        ]),
  ],
  'fields',
)}${
    state === 'active' || renewUrl === null
      ? NOTHING
      : markup`<p><a class="button" href="${renewUrl}">${texts.renew}</a></p>\n`
  }<div class="parts"><section aria-labelledby="sessions">
<h2 id="sessions">${texts.sessions}</h2>
<p class="prose">${texts.sessionsText}</p>
${form(
  frame,
  { id: 'sign-out-everywhere', action: '/sign-out' },
  markup`<input type="hidden" name="everywhere" value="yes">
${button(wording.account.navigation.signOutEverywhere, 'plain')}`,
)}
</section></div>`;
  return ownerPage(frame, { title: texts.title, section: '/account', main });
}

function creditOf(frame: OwnerFrame, { currency, left, credit }: Balance): Markup {
  const { wording } = frame;
  const texts = wording.account.overview;
  const money = (amount: number): string => moneyOf(wording, { amount, currency });
  const said = phrase(texts.creditLeft, { left: money(left), credit: money(credit) });
  return markup`${said} · <a href="${frame.at('/account/ledger')}">${texts.ledger}</a>`;
}

function accessOf({ wording }: OwnerFrame, { account: { accessUntil }, state }: Overview): Markup {
  const texts = wording.account.overview;
  if (state === 'suspended') return badge(texts.suspended, 'bad');
  if (accessUntil === null) return badge(texts.none, 'idle');
  const text = phrase(state === 'active' ? texts.active : texts.lapsed, { date: timeOf(wording, accessUntil) });
  return state === 'active' ? text : badge(text, 'bad');
}

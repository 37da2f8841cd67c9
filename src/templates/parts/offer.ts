// What a record costs, and how its reader can buy it: with the credit of an account, or through a program.
import { type Money, moneyText } from '../../money.ts';
import { button, form, onceField, type OwnerFrame } from '../account/parts.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { moneyOf } from '../wording.ts';

/** What every page says that names a price. */
export interface Offer {
  readonly price: Money;
  /** What somebody signed in has left; null: no credit, or nobody is signed in. */
  readonly left: Money | null;
  /** Where credit is to be had; null: the operator names no place. */
  readonly keysUrl: string | null;
}

/** The form by which somebody signed in buys. */
export interface BuyingForm extends Pick<OwnerFrame, 'at' | 'token'> {
  /** Tells one sending of the form from another. */
  readonly once: string;
  /** The version whose text is sold. */
  readonly contentVersion: number;
}

/** What became of the form: a name in the texts. */
export type BuyingOutcome = 'justBought' | 'changed' | 'refused';

/** What the page of a record says. */
export interface RecordOffer extends Offer {
  /** Where programs buy it. */
  readonly buyUrl: string;
  /** Whether the reader has bought it. */
  readonly isBought: boolean;
  /** Where the reader sees what was bought; null: nobody is signed in. */
  readonly ledgerUrl: string | null;
  /** Null: the reader cannot buy it here. */
  readonly form: BuyingForm | null;
  /** Null: it was not sent. */
  readonly outcome: BuyingOutcome | null;
}

/** The path of the form, under the root of the service. */
export function purchasePath(recordId: string): string {
  return `/records/${recordId}/purchase`;
}

/** What somebody sees who has bought the record. */
export function boughtNote({ wording }: Frame, { isBought, outcome, ledgerUrl }: RecordOffer): Markup {
  if (!isBought) return NOTHING;
  const { offer } = wording.texts;
  const text = outcome === 'justBought' ? offer.justBought : offer.bought;
  const ledger = ledgerUrl === null ? NOTHING : markup` <a href="${ledgerUrl}">${wording.account.overview.ledger}</a>.`;
  return markup`<div class="note done"${outcome === null ? NOTHING : markup` role="status"`}><p>${text}${ledger}</p></div>
`;
}

/** The price of a record that is shown as a preview, and the way to buy it. */
export function recordOffer(frame: Frame, recordId: string, offer: RecordOffer): Markup {
  const { texts } = frame.wording;
  const { price, form: buying, outcome, buyUrl, left } = offer;
  const said =
    outcome === null || outcome === 'justBought'
      ? NOTHING
      : markup`<p role="status"><strong>${texts.offer[outcome]}</strong></p>\n`;
  const isEnough = left !== null && left.amount >= price.amount;
  const way =
    buying === null || !isEnough
      ? NOTHING
      : form(
          buying,
          { id: 'buy', action: purchasePath(recordId) },
          markup`${onceField(buying.once)}<input type="hidden" name="expected_price" value="${moneyText(price)}">
<input type="hidden" name="version" value="${buying.contentVersion}">
${button(texts.offer.buy(moneyOf(frame.wording, price)))}`,
        );
  return markup`${said}<p>${texts.offer.price} <strong>${moneyOf(frame.wording, price)}</strong>. ${texts.offer.once}${standing(frame, offer, isEnough)}</p>
${way}<p class="small quiet">${texts.offer.programs} <code class="long">${buyUrl}</code></p>
`;
}

/** The price of each record of a register. */
export function registerOffer(frame: Frame, offer: Offer): Markup {
  const { texts } = frame.wording;
  return markup`<p>${texts.offer.priceEach} <strong>${moneyOf(frame.wording, offer.price)}</strong>. ${texts.offer.once}${standing(frame, offer, true)}</p>
`;
}

/** What the reader can pay with. */
function standing(frame: Frame, { left, keysUrl }: Offer, isEnough: boolean): Markup {
  const { wording, addresses, isSignedIn } = frame;
  const { offer } = wording.texts;
  const topUp = keysUrl === null ? NOTHING : markup` <a href="${keysUrl}">${offer.topUp}</a>.`;
  if (left !== null) {
    return markup` ${offer.left(moneyOf(wording, left))}${isEnough ? NOTHING : markup` ${offer.tooLittle}${topUp}`}`;
  }
  if (isSignedIn) return markup` ${offer.noCredit}${topUp}`;
  const account = addresses.account();
  return account === null ? NOTHING : markup` <a href="${account}">${offer.signIn}</a>.`;
}

// What is said of a register above its records: how much there is, whose it is, and what the reader does not see.
import type { RegisterDefinition } from '../../register/record.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf, type Wording } from '../wording.ts';
import { shortened } from './excerpt.ts';
import { type Offer, registerOffer } from './offer.ts';
import { ownText } from './texts.ts';

/** A register that waits for a file. */
export interface LateRegister {
  readonly takenAt: string | null;
  readonly expected: { readonly count: number; readonly unit: 'hour' | 'day' };
}

/** What is told. */
interface Told {
  readonly definition: RegisterDefinition;
  readonly total: number | null;
  readonly lastChange: string | null;
  readonly overdue?: LateRegister | null;
  readonly window: number | 'previews' | null;
  readonly keysUrl: string | null;
  readonly offer?: Offer | null;
}

/** How much there is, when it last changed, and whose it is. */
export function registerFacts({ wording }: Frame, { definition, total, lastChange, overdue = null }: Told): Markup {
  const { texts } = wording;
  const { author, homepage, language } = definition;
  const all = [
    total === null ? null : markup`<strong>${texts.records(total, wording.number(total))}</strong>`,
    total === null ? null : lastChange === null ? texts.neverChanged : texts.changedOn(timeOf(wording, lastChange)),
    overdue === null ? null : overdueFact(wording, overdue),
    author === null
      ? null
      : texts.register.publishedBy(markup`<span${ownText(wording, language)}>${shortened(author, 300)}</span>`),
    homepage === null ? null : markup`<a rel="noopener" href="${homepage}">${texts.register.homepage}</a>`,
  ].filter((fact) => fact !== null);
  return markup`<ul class="facts row">
${all.map((fact) => markup`<li>${fact}</li>\n`)}</ul>`;
}

function overdueFact(wording: Wording, { takenAt, expected }: LateRegister): Markup {
  const { overdue } = wording.texts.register;
  const often = overdue.expected(expected.unit, expected.count);
  return takenAt === null
    ? markup`${often}`
    : markup`${overdue.takenIn(timeOf(wording, takenAt.slice(0, 10)))}, ${often}`;
}

/** What the reader does not see, and how to get it. */
export function accessNote(
  frame: Frame,
  { window, total, keysUrl, offer = null }: Omit<Told, 'definition' | 'lastChange'>,
): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const price = offer === null ? NOTHING : markup`\n${registerOffer(frame, offer)}`;
  if (window === 'previews') return markup`<div class="note"><p>${texts.register.previews}</p>${price}</div>\n`;
  if (window === null || total === null || window >= total) return NOTHING;
  const guide = addresses.guide();
  const links = [
    keysUrl === null ? null : markup`<a href="${keysUrl}">${texts.register.getKey}</a>`,
    guide === null ? null : markup`<a href="${guide}#keys">${texts.register.howToKey}</a>`,
  ].filter((link) => link !== null);
  return markup`<div class="note"><p>${texts.register.latestOnly(window, wording.number(total))}${links.map((link) => markup` ${link}.`)}</p>${price}</div>
`;
}

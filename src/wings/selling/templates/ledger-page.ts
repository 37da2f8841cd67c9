// What an account's credit was given for and spent on, newest first.
import type { LedgerEntry } from '../stores/contract/ledger.ts';
import { markup, type Markup, NOTHING } from '../../../templates/markup.ts';
import { moneyOf, timeOf } from '../../../templates/wording.ts';
import { type OwnerFrame, ownerPage, phrase } from '../../../templates/account/parts.ts';

const PATH = '/account/ledger';

/** All entries as a file. */
export const LEDGER_FILE = '/account/ledger.csv';

/** A page of the ledger. */
export interface LedgerParts {
  readonly entries: readonly LedgerEntry[];
  /** The parameters of the page before, with older entries; null: these are the oldest. */
  readonly older: URLSearchParams | null;
}

/** The page. */
export function ledgerPage(frame: OwnerFrame, { entries, older }: LedgerParts): string {
  const texts = frame.wording.account.ledger;
  const rows = entries.map((entry) => rowOf(frame, entry));
  const more =
    older === null
      ? NOTHING
      : markup`<p><a class="button plain" href="${frame.at(PATH, older)}">${texts.older}</a></p>`;
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${entries.length === 0 ? markup`<p>${texts.none}</p>` : markup`<ol class="rows">\n${rows}</ol>`}
${more}${entries.length === 0 ? NOTHING : markup`<p class="after"><a href="${frame.at(LEDGER_FILE)}" download>${texts.file}</a></p>`}`;
  return ownerPage(frame, { title: texts.title, section: '/account', main });
}

function rowOf({ wording, addresses }: OwnerFrame, { kind, price, at, item, reason, reference }: LedgerEntry): Markup {
  const texts = wording.account.ledger;
  const id = item?.recordId ?? null;
  const address = id === null ? null : addresses.record(id, null);
  const record = address === null ? (id ?? NOTHING) : markup`<a href="${address}">${id}</a>`;
  const version =
    item === null ? NOTHING : markup` · ${phrase(texts.version, { version: String(item.contentVersion) })}`;
  const said = [reference, reason].filter((text) => text !== null).join(' · ');
  return markup`<li><p><strong>${texts.kinds[kind]}: ${moneyOf(wording, price)}</strong> ${record}${version}</p>
<p class="quiet">${timeOf(wording, at)}${said === '' ? NOTHING : markup` · <span class="long">${said}</span>`}</p></li>\n`;
}

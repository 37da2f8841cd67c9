// The signed proofs of what a page shows, as data that a saved page keeps: `gazette verify` reads them.
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Wording } from '../wording.ts';
import { paragraph } from './code.ts';

/** A proof that a page carries. */
export interface CarriedProof {
  /** Null: it is too long for a page. */
  readonly text: string | null;
  /** The public address of the same as a file. */
  readonly file: string;
  /** Whether it proves what was recorded, and not only that something was. */
  readonly hasWords: boolean;
}

/** The most UTF-16 units of a proof in a page, which is loaded for what it shows. */
const MAX_LENGTH = 14_000;

/** A proof as pages carry it. */
export function carriedProof(text: string, file: string, hasWords: boolean): CarriedProof {
  return { text: text.length > MAX_LENGTH ? null : text, file, hasWords };
}

/** The proofs. A text in sight survives every way to save a page; scripts and what is hidden do not. */
export function carriedProofs({ proof }: Wording, proofs: readonly CarriedProof[]): Markup {
  if (proofs.length === 0) return NOTHING;
  return markup`<details class="after small"><summary>${proof.carried}</summary>
${paragraph(proofs.some(({ hasWords }) => hasWords) ? proof.carriedText : proof.carriedNoWords)}${proofs.map(
    ({ text, file }) =>
      text === null
        ? paragraph(proof.carriedFile, { address: markup`<a class="long" href="${file}">${file}</a>` })
        : markup`<pre tabindex="0" lang="" dir="ltr" data-proof>${text}</pre>\n`,
  )}</details>
`;
}

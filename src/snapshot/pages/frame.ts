// The frame of a snapshot's pages: links are relative to the file that has them, so that a folder works below any address and
// opened from a disk.
import type { Addresses } from '../../templates/addresses.ts';
import type { Frame } from '../../templates/layout.ts';
import { wordingIn, knownLanguage } from '../../templates/wording.ts';
import { HEAD_NAME, ICON_FILE, OPML_FILE, type PageName, STYLE_FILE, wholeFile } from '../../archive/layout.ts';

/** The parameter by which a template names another page of the register; only {@link snapshotFrame} reads it. */
const PAGE_PARAMETER = 'page';

/** A page of the register, as templates pass it on. */
export function pageParameters(name: PageName): URLSearchParams {
  return new URLSearchParams([[PAGE_PARAMETER, name]]);
}

/** Where a page lies. */
export interface FramedPage {
  /** The public address of the snapshot. */
  readonly baseUrl: string;
  /** BCP 47, of what the page shows; null: not known. */
  readonly language: string | null;
  /** The way from the page to the root: empty, or `../` for each folder. */
  readonly root: string;
  /** The page's own name in the folder of its register. */
  readonly name: PageName;
}

/** The frame of a page. */
export function snapshotFrame({ baseUrl, language, root, name }: FramedPage): Frame {
  const addresses: Addresses = {
    home: (parameters) => `${root}${parameters?.get(PAGE_PARAMETER) ?? HEAD_NAME}.html`,
    register: (feedId, parameters) => `${root}${feedId}/${parameters?.get(PAGE_PARAMETER) ?? HEAD_NAME}.html`,
    values: () => null,
    figures: () => null,
    record: () => null,
    proof: () => null,
    whole: (feedId, ending) => `${root}${feedId}/${wholeFile(ending)}`,
    export: (feedId, extension) => `${root}${feedId}/${name}.${extension}`,
    guide: () => null,
    reference: () => null,
    opml: () => `${root}${OPML_FILE}`,
    account: () => null,
    style: () => `${root}${STYLE_FILE}`,
    icon: () => `${root}${ICON_FILE}`,
  };
  return {
    wording: wordingIn(knownLanguage(language)),
    addresses,
    service: { title: new URL(baseUrl).host, contact: null, termsUrl: null, licenceUrl: null },
    isSignedIn: false,
    languages: null,
  };
}

// What pages may load, as their Content-Security-Policy says it: in `_headers`, and in pages with a search also in the page,
// because not every host sends it.

const IN_PAGES = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** No page has a frame around it; only a header can say so. */
const IN_HEADERS = "frame-ancestors 'none'";

/** The script of ours, and Pagefind with its WebAssembly, which asks for the files of the index. */
const SEARCH = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** A script of ours, which asks for files of the folder. */
const VERIFY = "script-src 'self'; connect-src 'self'";

/** Only the style sheet and the icon, and no script. */
export const POLICY: string = [IN_PAGES, IN_HEADERS].join('; ');

/** The same with a search, as a page says it. */
export const SEARCH_POLICY_IN_PAGES: string = [IN_PAGES, SEARCH].join('; ');

/** And as a header does. */
export const SEARCH_POLICY: string = [SEARCH_POLICY_IN_PAGES, IN_HEADERS].join('; ');

/** What the page may load that checks what is signed, as it says it itself: its script writes nothing but text. */
export const VERIFY_POLICY_IN_PAGES: string = [IN_PAGES, VERIFY, "require-trusted-types-for 'script'"].join('; ');

/** And as a header does. */
export const VERIFY_POLICY: string = [VERIFY_POLICY_IN_PAGES, IN_HEADERS].join('; ');

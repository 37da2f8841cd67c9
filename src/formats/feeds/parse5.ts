// Everything feeds use of parse5. In `dist` the build replaces this file by parse5 itself (see `npm run build:carried`): as
// packages, it and `entities` take 1.0 MB, of which a fifth is used. Therefore no public entry may export its types.
export { defaultTreeAdapter, html, parseFragment } from 'parse5';
export type { DefaultTreeAdapterTypes, ParserOptions } from 'parse5';

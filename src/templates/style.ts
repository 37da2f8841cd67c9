// The style sheet of all pages. Colours are named once for light and once for dark; every text has a contrast of 4.5 or more to what is behind
// it (WCAG 2.2, 1.4.3). Sizes are in rem, so that a reader's own font size counts.
import { ACCOUNT_STYLE } from './account/style.ts';
import { PARTS_STYLE } from './style-parts.ts';

const COLOURS = `:root {
  color-scheme: light dark;
  --ink: #1a1d21; --quiet: #545c66; --paper: #fff; --tint: #f4f6f8; --line: #d3d9e0; --strong-line: #7b858f;
  --link: #0a4fa0; --link-hover: #06335f; --visited: #5c3a87; --button: #0a4fa0; --button-text: #fff;
  --added: #dcf3e2; --removed: #fce3e0; --bar: #6f9bd0; --note: #eef4fc; --note-line: #4a7fbf; --warn: #fdf3d7; --warn-line: #a87a00;
  --error: #a8201a; --good: #1b6e33;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e5e8eb; --quiet: #a5afb9; --paper: #15181b; --tint: #1d2226; --line: #353c44; --strong-line: #838d97;
    --link: #8cbcf5; --link-hover: #bcd8fb; --visited: #c8aaf0; --button: #8cbcf5; --button-text: #0c1420;
    --added: #173f26; --removed: #501f1d; --bar: #4f7db5; --note: #16263a; --note-line: #5f93d4; --warn: #362c10; --warn-line: #c99d2c;
    --error: #ff9d94; --good: #7fd695;
  }
}
`;

/** The site's header. */
const HEADER = `.skip { position: absolute; left: 1rem; top: -10rem; background: var(--paper); padding: .5rem 1rem; z-index: 1; }
.skip:focus { top: .5rem; }
header.site { border-bottom: 1px solid var(--line); }
header.site .bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 2rem; padding-block: .75rem; }
header.site .name { font-weight: 650; color: var(--ink); text-decoration: none; margin-inline-end: auto; padding-block: .25rem; overflow-wrap: anywhere; }
header.site .name:hover { text-decoration: underline; }
header.site ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; }
header.site li a { display: inline-block; padding-block: .25rem; color: var(--ink); text-decoration: none; }
header.site li a:hover { text-decoration: underline; }
header.site li a[aria-current] { font-weight: 600; box-shadow: inset 0 -2px var(--link); }
`;

const BASE = `*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; color: var(--ink); background: var(--paper); font-size: 1.0625rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; margin: 0 0 .5em; font-weight: 650; letter-spacing: -.01em; }
h1 { font-size: clamp(1.625rem, 1.2rem + 1.8vw, 2.25rem); }
h2 { font-size: 1.375rem; margin-top: 2em; }
h3 { font-size: 1.0625rem; margin-top: 1.5em; }
p, ul, ol, dl, table, pre, figure { margin: 0 0 1rem; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: max(1px, .0625em); }
a:visited { color: var(--visited); }
a:hover { color: var(--link-hover); text-decoration-thickness: max(3px, .15em); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
code, kbd, pre, samp { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .9em; }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 4px; padding: .875rem 1rem; overflow-x: auto; line-height: 1.45; tab-size: 2; }
code { overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; font-size: inherit; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.bar, main { max-width: 72rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
main { padding-block: 2rem 3.5rem; width: 100%; flex: 1; }
main > :last-child { margin-bottom: 0; }
.narrow, .lead, .prose { max-width: 44rem; }
.lead { font-size: 1.1875rem; color: var(--ink); margin-bottom: 1.5rem; }
.quiet { color: var(--quiet); }
.small { font-size: .9375rem; }
.long { overflow-wrap: anywhere; }
.number { font-variant-numeric: tabular-nums; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer.site ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; }
footer.site { border-top: 1px solid var(--line); color: var(--quiet); font-size: .9375rem; background: var(--tint); }
footer.site .bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .75rem 2rem; padding-block: 1.25rem 2rem; }
footer.site li > * { display: inline-block; padding-block: .125rem; }
footer.site a, footer.site a:visited { color: var(--ink); }
.crumbs { font-size: .9375rem; margin-bottom: 1rem; }
.crumbs ol { list-style: none; margin: 0; padding: 0; }
.crumbs li { display: inline; overflow-wrap: anywhere; }
.crumbs li + li::before { content: "/"; color: var(--quiet); margin-inline: .25rem .5rem; }
label, legend { font-weight: 600; }
input, select, textarea, button, .button { font: inherit; color: inherit; }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea { width: 100%; min-width: 0; min-height: 2.75rem; padding: .375rem .625rem; background: var(--paper); border: 1px solid var(--strong-line); border-radius: 4px; }
button, .button, .button:visited { display: inline-block; min-height: 2.75rem; padding: .5rem 1.125rem; font-weight: 600; text-decoration: none; color: var(--button-text); background: var(--button); border: 1px solid transparent; border-radius: 4px; cursor: pointer; }
button:hover, .button:hover { background: var(--link-hover); color: var(--paper); }
button.plain, .button.plain { background: transparent; color: var(--link); border-color: var(--strong-line); }
button.plain:hover, .button.plain:hover { background: var(--tint); color: var(--link-hover); }
legend { padding: 0; }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
.hint { color: var(--quiet); font-size: .9375rem; font-weight: 400; margin: 0; }
.note { background: var(--note); border-inline-start: 4px solid var(--note-line); padding: .75rem 1rem; margin-bottom: 1.5rem; max-width: 44rem; }
.note.warn { background: var(--warn); border-color: var(--warn-line); }
.note > :last-child { margin-bottom: 0; }
.note form { margin-bottom: .75rem; }
`;

const PRINT = `@media (forced-colors: active) { .diff ins, .diff del { forced-color-adjust: none; color: CanvasText; background: none; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { color-scheme: light; --ink: #000; --quiet: #333; --paper: #fff; --tint: #fff; --link: #000; --visited: #000; }
  body { font-size: 10.5pt; }
  header.site nav, footer.site, .skip, .search, .choice, .filters, .pages, .files, .crumbs, .jump { display: none; }
  body { display: block; }
  main { padding: 0; max-width: none; }
  .with-side, .scroll { display: block; overflow: visible; }
  .columns { display: none; }
  body:has(.sheet) main { max-width: none; }
  .sheet { font-size: 8.5pt; }
  .sheet th, .sheet td, .sheet tbody th { min-width: 0; padding: .2rem .5rem .2rem 0; overflow-wrap: anywhere; }
  main .sheet a[href]::after { content: none; }
  main a[href^="http"]::after { content: " <" attr(href) ">"; font-size: .85em; overflow-wrap: anywhere; }
  .records > li, tr, figure { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`;

/** The style sheet. */
export const STYLE: string = COLOURS + BASE + HEADER + PARTS_STYLE + ACCOUNT_STYLE + PRINT;

/** The style of a header above what has a style of its own. */
export const HEADER_STYLE: string =
  COLOURS +
  `body { margin: 0; }
.skip, header.site { font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; box-sizing: border-box; color: var(--ink); background: var(--paper); }
header.site .bar { box-sizing: border-box; max-width: 1460px; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
header.site :focus-visible, .skip:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
` +
  HEADER;

/** The icon: a page of a register. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="2" width="24" height="28" rx="3" fill="#0a4fa0"/><path d="M9 10h14M9 16h14M9 22h9" stroke="#fff" stroke-width="2.5"/></svg>\n';

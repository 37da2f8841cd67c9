// The style of parts that only some pages have: lists of records, filters, tables, the chart, differences of versions.

const LISTS = `.facts { color: var(--quiet); font-size: .9375rem; margin: 0; }
.facts a { color: inherit; }
.facts a:hover { color: var(--link-hover); }
.facts.row { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .125rem 1.5rem; margin-bottom: 1.5rem; }
.facts.row li::first-letter { text-transform: uppercase; }
.facts.row strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.with-side { display: grid; gap: 2.5rem clamp(2rem, 5vw, 4rem); margin-top: 2rem; }
.with-side > * { min-width: 0; }
.with-side h2:first-child { margin-top: 0; }
.search { margin-bottom: 2rem; }
.with-button { display: flex; gap: .5rem; margin-top: .5rem; max-width: 44rem; }
.with-button input, .with-button select { flex: 1; }
.choice { margin-bottom: 1.5rem; }
.records { list-style: none; padding: 0; margin: 0; max-width: 46rem; }
.records > li { padding-block: 1.125rem; border-top: 1px solid var(--line); }
.records > li:last-child { border-bottom: 1px solid var(--line); }
.records h2, .records h3 { font-size: 1.1875rem; margin: 0 0 .25rem; font-weight: 600; letter-spacing: 0; text-wrap: pretty; }
.records h2 a, .records h3 a { text-decoration-thickness: 1px; }
.records .summary { margin-bottom: .375rem; }
.pages ul { list-style: none; display: flex; justify-content: space-between; gap: 1rem; padding: 0; margin: 1.25rem 0 0; max-width: 46rem; }
.scroll + .pages ul { max-width: none; }
.pages a { display: inline-block; padding-block: .375rem; font-weight: 600; }
.pages li:only-child:has([rel=next]) { margin-inline-start: auto; }
.chosen ul, .values, .formats { list-style: none; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; padding: 0; }
.chip { display: inline-block; padding: .1875rem .625rem; border: 1px solid var(--strong-line); border-radius: 4px; background: var(--tint); color: var(--ink); text-decoration: none; font-size: .9375rem; overflow-wrap: anywhere; }
a.chip:visited { color: var(--ink); }
a.chip:hover { border-color: var(--link); text-decoration: line-through; }
.side { font-size: 1rem; }
.side h2 { font-size: 1.1875rem; margin: 0 0 .75rem; }
.side h3 { font-size: 1rem; margin: 1.25rem 0 .375rem; }
.side > * + * { margin-top: 2rem; }
.filters > .hint { margin-bottom: .5rem; }
.group { border-top: 1px solid var(--line); padding-block: .25rem; }
.group summary { font-weight: 600; padding-block: .375rem; cursor: pointer; overflow-wrap: anywhere; }
.group ul { list-style: none; padding: 0; margin: 0 0 .5rem; }
.group label { font-weight: 400; }
.group li label { display: flex; align-items: baseline; gap: .5rem; padding-block: .1875rem; cursor: pointer; }
.group li span { min-width: 0; overflow-wrap: anywhere; }
.group input[type=checkbox] { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; translate: 0 .1875rem; accent-color: var(--link); }
.group li .count { flex: none; }
.count { margin-inline-start: auto; color: var(--quiet); font-size: .9375rem; padding-inline-start: .5rem; white-space: nowrap; }
.group .all { margin: 0 0 .5rem; font-size: .9375rem; }
.group .error { margin: .125rem 0 .375rem; }
.counted { columns: 18rem; column-gap: 2.5rem; list-style: none; padding: 0; }
.counted li { display: flex; align-items: baseline; gap: .5rem; padding-block: .25rem; border-bottom: 1px solid var(--line); break-inside: avoid; }
.counted a { min-width: 0; overflow-wrap: anywhere; }
.matched { color: var(--quiet); }
.matched strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.range { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.75rem, 1fr)); gap: .5rem .75rem; padding-bottom: .75rem; }
.range > div:has(.error) { grid-column: 1 / -1; }
.range input[type=date] { padding-inline: .375rem; }
.filters > p:last-child { margin: 1rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; }
.formats a { display: inline-block; padding: .1875rem .625rem; border: 1px solid var(--strong-line); border-radius: 4px; font-weight: 600; font-size: .9375rem; text-decoration: none; }
.formats a:hover { background: var(--tint); text-decoration: underline; }
.files .hint { margin-bottom: .5rem; }
.cite { font-size: .9375rem; }
.registers { list-style: none; padding: 0; margin: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.registers > li { border: 1px solid var(--line); border-radius: 6px; padding: 1.125rem 1.25rem; display: flex; flex-direction: column; }
.registers h2 { font-size: 1.1875rem; margin: 0 0 .375rem; }
.registers p { margin-bottom: .5rem; }
.registers p.facts { margin: auto 0 0; padding-top: .25rem; text-wrap: balance; }
.more { margin-top: .75rem; font-weight: 600; }
`;

const CHART = `.chart { margin-inline: 0; }
.chart figcaption { margin-bottom: .5rem; font-size: .9375rem; }
.chart svg { display: block; width: 100%; height: 5.25rem; border-bottom: 1px solid var(--strong-line); fill: var(--bar); }
.axis { display: flex; justify-content: space-between; font-size: .8125rem; color: var(--quiet); margin: .25rem 0 .5rem; }
.chart .hint { margin-bottom: .25rem; }
.chart details { font-size: .9375rem; }
summary { cursor: pointer; }
.share { display: block; width: 100%; min-width: 5rem; height: .375rem; margin-top: .25rem; fill: var(--bar); }
.map { margin: 0 0 1rem; max-width: 44rem; }
.map svg { display: block; width: 100%; background: var(--tint); border: 1px solid var(--line); border-radius: 4px; }
.map text { font-size: 13px; fill: var(--quiet); }
@media (max-width: 39.99rem) { .map text { font-size: 24px; } }
.map .grid { stroke: var(--line); fill: none; }
.map .dots { stroke: var(--bar); stroke-width: 5; stroke-linecap: round; }
.map circle { fill: var(--error); stroke: var(--paper); stroke-width: 2.5; }
.map figcaption { margin-top: .375rem; }
`;

const TABLES = `table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; vertical-align: top; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
th.number, td.number { text-align: end; padding-inline-end: 0; }
.fields { display: grid; margin: 0; border-top: 1px solid var(--line); }
.fields > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: .125rem 1.5rem; padding-block: .625rem; border-bottom: 1px solid var(--line); }
.fields dt { color: var(--quiet); overflow-wrap: anywhere; }
.fields dt .hint { display: block; }
.fields dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
.fields .lines { white-space: pre-wrap; }
.fields .members { font-size: .9375rem; }
.fields .members th, .fields .members td { padding-block: .1875rem; overflow-wrap: anywhere; }
.fields .members th { font-weight: 400; color: var(--quiet); }
.members tr:last-child > * { border-bottom: 0; }
.fields .parts-list { margin: 0; padding-inline-start: 1.25rem; }
.source { border: 1px solid var(--line); border-inline-start: 4px solid var(--link); border-radius: 4px; padding: .875rem 1.125rem; margin-bottom: 1.75rem; max-width: 46rem; }
.source p { margin: 0; }
.source .to { font-size: 1.125rem; font-weight: 600; }
.dates { display: grid; gap: 1rem 2.5rem; margin: 0 0 1.75rem; max-width: 46rem; }
.dates dt { color: var(--quiet); font-size: .9375rem; }
.dates dd { margin: 0; font-weight: 600; }
.dates dd p { font-weight: 400; font-size: .9375rem; color: var(--quiet); margin: 0; }
.text { max-width: 42rem; }
.text p { white-space: pre-wrap; overflow-wrap: anywhere; }
.html p, .html li { white-space: normal; }
.html li { overflow-wrap: anywhere; }
.html h3 { overflow-wrap: anywhere; }
.contents ul { columns: 14rem; list-style: none; padding: 0; max-width: 44rem; }
.contents li a { display: inline-block; padding-block: .1875rem; }
.sample { margin-bottom: .75rem; }
.sample summary { font-weight: 600; padding-block: .25rem; }
.prose li { margin-bottom: .25rem; }
.after { margin-top: 2.5rem; }
article, article ~ section { max-width: 60rem; }
.versions { list-style: none; padding: 0; margin: 0; }
.versions > li { border-top: 1px solid var(--line); padding-block: 1rem; }
.versions h3 { margin: 0 0 .25rem; }
.diff tr:last-child > * { border-bottom: 0; }
.diff thead tr > * { border-bottom: 1px solid var(--line); }
.diff th:first-child { width: 22%; }
.diff { table-layout: fixed; margin-top: .75rem; font-size: .9375rem; }
.diff td { overflow-wrap: anywhere; white-space: pre-wrap; }
.diff thead th { font-size: .875rem; color: var(--quiet); font-weight: 400; }
.diff ins { background: var(--added); text-decoration: underline; text-decoration-thickness: 1px; }
.diff del { background: var(--removed); text-decoration: line-through; }
.scroll { overflow-x: auto; margin-bottom: 1rem; }
.sheet { font-size: .9375rem; line-height: 1.4; }
.sheet th, .sheet td { padding-inline-end: 1.25rem; overflow-wrap: break-word; }
.sheet td { max-width: 22rem; }
.sheet thead th { vertical-align: bottom; min-width: 5.5rem; overflow-wrap: break-word; border-bottom: 2px solid var(--strong-line); }
.sheet tbody th { font-weight: 400; min-width: 14rem; max-width: 26rem; }
.sheet tbody th a { font-weight: 600; text-decoration-thickness: 1px; }
.sheet tbody tr:hover { background: var(--tint); }
.sheet time, .sheet td.number { white-space: nowrap; }
.sheet td.number, .sheet th.number { font-variant-numeric: tabular-nums; padding-inline-end: 1.25rem; }
.sheet .code { white-space: nowrap; }
.sheet .summary { margin: .125rem 0 0; color: var(--quiet); }
.sorts a, .sorts a:visited { color: inherit; text-decoration-color: var(--strong-line); text-decoration-thickness: 1px; }
.sorts a:hover { text-decoration-thickness: 2px; text-decoration-color: currentcolor; }
[aria-sort=ascending] a::after { content: "\\2009↑" / ""; }
[aria-sort=descending] a::after { content: "\\2009↓" / ""; }
.order { font-size: .9375rem; }
.columns { margin-bottom: .75rem; font-size: .9375rem; }
.columns summary { display: inline-block; padding-block: .25rem; color: var(--link); text-decoration: underline; text-underline-offset: .18em; }
.columns ul { columns: 12rem; list-style: none; padding: 0; margin: .5rem 0; }
.columns label { display: flex; gap: .5rem; align-items: baseline; font-weight: 400; padding-block: .1875rem; break-inside: avoid; cursor: pointer; }
.columns label span { min-width: 0; overflow-wrap: anywhere; }
.columns input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; translate: 0 .1875rem; accent-color: var(--link); }
body:has(.sheet) .bar, body:has(.sheet) main { max-width: 96rem; }
@media (max-width: 47.99rem) {
  .sheet, .sheet tbody, .sheet tr, .sheet th, .sheet td { display: block; min-width: 0; max-width: none; text-align: start; }
  .sheet thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .sheet thead:has(.sorts) { position: static; width: auto; height: auto; clip-path: none; }
  .sheet .sorts { display: flex; flex-wrap: wrap; gap: .25rem .875rem; border: 0; padding-block: 0 .75rem; }
  .sheet .sorts::before { content: attr(data-label); color: var(--quiet); }
  .sheet .sorts th { border: 0; padding: 0; min-width: 0; }
  .sheet .sorts th:not(:has(a)) { display: none; }
  .sheet tr { padding-block: .875rem; border-top: 1px solid var(--line); }
  .sheet tbody th, .sheet td { border: 0; padding: .125rem 0; overflow-wrap: anywhere; }
  .sheet tbody th { font-size: 1.0625rem; padding-bottom: .375rem; }
  .sheet td, .sheet td.number { display: grid; grid-template-columns: minmax(6rem, 34%) minmax(0, 1fr); gap: .75rem; white-space: normal; text-align: start; }
  .sheet .code { white-space: normal; }
  .sheet td::before { content: attr(data-label); color: var(--quiet); }
  .sheet td:empty { display: none; }
}
@media (max-width: 39.99rem) {
  .diff, .diff tbody, .diff tr, .diff th, .diff td { display: block; width: auto; }
  .diff thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .diff tr { padding-block: .5rem; border-bottom: 1px solid var(--line); }
  .diff tr:last-child { border-bottom: 0; }
  .diff th, .diff th:first-child, .diff td { width: auto; border: 0; padding: .125rem 0; }
  .diff td::before { content: attr(data-label); display: block; color: var(--quiet); font-size: .8125rem; }
}
@media (min-width: 40rem) {
  .fields > div { grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); }
  .dates { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 68rem) {
  .with-side { grid-template-columns: minmax(0, 1fr) 17rem; }
  .jump { display: none; }
}
`;

/** The rules. */
export const PARTS_STYLE: string = LISTS + CHART + TABLES;

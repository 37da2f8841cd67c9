// The style of the account's pages: its navigation, forms, cards and states.

/** The rules. */
export const ACCOUNT_STYLE = `.owner-bar { display: flex; flex-wrap: wrap; align-items: end; justify-content: space-between; gap: 0 1.5rem; border-bottom: 1px solid var(--line); margin-bottom: 1.75rem; }
.owner-bar ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; padding: 0; }
.owner-bar li a { display: inline-block; padding-block: .5rem; color: var(--ink); text-decoration: none; }
.owner-bar li a:hover { text-decoration: underline; }
.owner-bar li a[aria-current] { font-weight: 600; box-shadow: inset 0 -3px var(--link); }
.owner-bar ul { margin-bottom: -1px; }
.owner-bar form { margin-block: .25rem .5rem; }
.owner-bar button { min-height: 2.25rem; padding: .25rem .875rem; font-size: .9375rem; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.25rem; }
.owner-form { max-width: 36rem; margin: 0; }
.field { margin-bottom: 1.25rem; }
.field .hint, .field .error { margin-bottom: .375rem; }
.field > label { display: block; margin-bottom: .25rem; }
.field > label.check { display: flex; margin-bottom: 0; }
.owner-form + .owner-form { margin-top: 1rem; }
.field.short input { max-width: 12rem; }
.pair { display: flex; flex-wrap: wrap; align-items: end; gap: 1.25rem 1rem; }
.pair .field { flex: 1 1 9rem; max-width: 12rem; margin-bottom: 0; }
.pair .field:has(.error) { flex-basis: 100%; max-width: none; }
.pair .field:has(.error) input { max-width: 12rem; }
.error { color: var(--error); font-weight: 600; }
[aria-invalid] { border-color: var(--error) !important; border-width: 2px !important; }
.check { display: flex; gap: .625rem; align-items: flex-start; padding-block: .25rem; font-weight: 400; }
.check input { flex: none; width: 1.25rem; height: 1.25rem; margin: .1875rem 0 0; accent-color: var(--link); }
.check span { min-width: 0; overflow-wrap: anywhere; }
button.danger { background: transparent; color: var(--error); border-color: var(--error); }
button.danger:hover { background: var(--error); color: var(--paper); }
.own-facts { display: grid; gap: .875rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); }
.own-facts > div { min-width: 0; }
.own-facts dt { color: var(--quiet); font-size: .9375rem; }
.own-facts dd { margin: 0; overflow-wrap: anywhere; color: var(--ink); font-size: 1rem; }
.cards { list-style: none; padding: 0; display: grid; gap: 1rem; }
.cards > li { border: 1px solid var(--line); border-radius: 6px; padding: 1rem 1.25rem; min-width: 0; }
.cards h2 { font-size: 1.0625rem; margin: 0 0 .5rem; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; overflow-wrap: anywhere; }
.cards h2 a { min-width: 0; }
.cards .own-facts { margin: 0; }
.note.done { border-color: var(--good); background: var(--tint); font-weight: 600; }
.badge { display: inline-block; margin-block: .125rem; line-height: 1.4; font-size: .875rem; font-weight: 600; border: 1px solid; border-radius: .75rem; padding: 0 .625rem; white-space: normal; letter-spacing: 0; }
.badge.good { color: var(--good); }
.badge.bad { color: var(--error); }
.badge.idle { color: var(--quiet); }
.secret { background: var(--note); border: 1px solid var(--note-line); border-radius: 6px; padding: .875rem 1rem; max-width: 44rem; }
.secret code { display: block; font-size: 1.0625rem; user-select: all; overflow-wrap: anywhere; }
.parts > section { border-top: 1px solid var(--line); padding-top: 1.25rem; margin-top: 1.75rem; }
.fields + .parts > section:first-child { border-top: 0; padding-top: 0; }
.parts > section > h2 { margin-top: 0; }
details > summary { cursor: pointer; font-weight: 600; padding-block: .5rem; color: var(--link); }
.rows { list-style: none; padding: 0; border-top: 1px solid var(--line); }
.rows > li { border-bottom: 1px solid var(--line); padding-block: .75rem; display: grid; gap: .125rem 1.5rem; grid-template-columns: minmax(0, 1fr); }
.rows > li > * { margin: 0; min-width: 0; overflow-wrap: anywhere; }
@media (min-width: 48rem) { .rows > li { grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); } .rows > li > * { grid-column: 1; } .rows > li > :nth-child(2) { grid-column: 2; grid-row: 1 / span 3; } .rows > li > .wide { grid-column: 1 / -1; } }
`;

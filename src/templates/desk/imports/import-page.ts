// One import at the desk: what it would do or did, what was found in its file, which fields change and how, and what may be done
// about it. Every decision is a form of its own; that of approval carries the digest of the proposal that this page shows.
import type { RegisterDefinition } from '../../../register/record.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import { badge, button, facts, form, type FormProblem, phrase, type SignInFrame } from '../../account/parts.ts';
import { type Content, markup, type Markup, NOTHING } from '../../markup.ts';
import { shortened } from '../../parts/excerpt.ts';
import { ownText } from '../../parts/texts.ts';
import { timeOf } from '../../wording.ts';
import { type FieldDifference, differences, type HandDifference } from './differences.ts';
import { BY_HAND, findingsOf, type Found, type RefusedRow, refusalOf } from './found.ts';
import { settingChanges } from '../settings-page.ts';
import { choiceLabel, optionText, readingFields, type ShownChoice } from '../reading-form.ts';
import { countOf, deskChangesPath, deskImportPath, deskPage, recordLink, registerCrumb } from '../parts.ts';

/** What an import says of itself. */
interface Report {
  readonly staying?: number;
  readonly corrected?: { readonly compared: number; readonly found: number };
  readonly fields: readonly FieldDifference[];
  readonly settings?: Parameters<typeof settingChanges>[2];
  readonly by_hand?: readonly HandDifference[];
  readonly findings: readonly Found[];
  readonly added: readonly { readonly record_id: string; readonly title: string }[];
  readonly withdrawn: readonly string[];
  readonly refused: readonly RefusedRow[];
}

/** What the page shows. */
export interface DeskImportParts {
  /** The register, with its fields as the import has them. */
  readonly definition: RegisterDefinition;
  readonly entry: ImportEntry;
  /** Null: nothing is known of it any more, or yet. */
  readonly report: Report | null;
  /** Whether all that it changes is on pages of its own. */
  readonly hasChanges: boolean;
  /** How many of its records the report was made of; null: all. */
  readonly ofFirst: number | null;
  /** In hex, of a proposal that waits. */
  readonly digest: string | null;
  /** Whether the register changed since, so that it would do something else: nobody can approve it any more. */
  readonly isOutdated: boolean;
  /** The titles of withdrawn records, and of one that was changed by hand, by their ids. */
  readonly titles: ReadonlyMap<string, string>;
  /** The numbers of the imports that took it back. */
  readonly undoneBy: readonly number[];
  /** How many records are carried out. Null: that is not known. */
  readonly progress: number | null;
  /** What the reader may do. `own`: she proposed it, and another editor approves it. */
  readonly may: Readonly<Record<'approve' | 'own' | 'discard' | 'undo', boolean>>;
  /** How its file was read. Null: that is not known, or it is no file. */
  readonly reading: { readonly choices: readonly ShownChoice[]; readonly isChangeable: boolean } | null;
  readonly problem: FormProblem | null;
}

/** The page. */
export function deskImportPage(frame: SignInFrame, parts: DeskImportParts): string {
  const { wording } = frame;
  const { imports } = wording.desk;
  const { definition, entry, report, ofFirst, may, problem } = parts;
  const { kind, number, undoes, file, state } = entry;
  const names = { number: String(number), undoes: String(undoes), file: markup`<span class="long">${file}</span>` };
  const heading = phrase(
    { file: imports.title, undo: imports.undoTitle, hand: imports.handTitle, settings: imports.settingsTitle }[kind],
    names,
  );
  const canDecide = state === 'proposed' && (may.approve || may.own || may.discard);
  const main = markup`${registerCrumb(frame, definition)}<h1>${heading}</h1>
<p class="lead">${parts.isOutdated ? imports.outdated : leadOf(frame, entry)}</p>
${canDecide ? markup`<p><a href="#decide">${imports.toDecision}</a></p>\n` : NOTHING}${running(frame, parts)}${factsOf(frame, parts)}
<div class="parts">
${kind === 'settings' ? NOTHING : countsOf(frame, parts)}${report === null ? NOTHING : markup`${settingChanges(frame, definition, report.settings)}${findingsOf(frame, parts, report)}${differences(frame, definition, report.fields, comparedHint(frame, report, ofFirst))}${examples(frame, parts, report)}`}${readingOf(frame, parts)}${
    canDecide ? decision(frame, parts) : NOTHING
  }${may.undo ? undo(frame, parts) : NOTHING}</div>`;
  const title = `${wording.desk.overview.number.replace('{number}', String(number))}: ${shortened(file, 100)}`;
  return deskPage(frame, { title, section: '/desk', main, problem });
}

/** What goes on, and where one looks again without a script. */
function running(frame: SignInFrame, { definition, entry, progress }: DeskImportParts): Markup {
  const { state, number, counts } = entry;
  if (state !== 'running' && state !== 'approved') return NOTHING;
  const { wording } = frame;
  const { imports } = wording.desk;
  const all = counts.added + counts.changed + counts.restored + counts.withdrawn;
  const how =
    state === 'running' || progress === null
      ? NOTHING
      : markup`<p role="status">${phrase(imports.progress, { done: wording.number(progress), all: wording.number(all) })}</p>\n`;
  return markup`${how}<p><a class="button plain" href="${frame.at(deskImportPath(definition.id, number))}">${imports.again}</a></p>\n`;
}

function factsOf(frame: SignInFrame, { definition, entry, isOutdated, titles, undoneBy }: DeskImportParts): Markup {
  const { wording } = frame;
  const { imports, records } = wording.desk;
  const { kind: what, cause, counts, file, state, who, begunAt, endedAt, decidedBy, error, undoes } = entry;
  const names = imports.facts;
  const kind = state === 'completed' ? 'good' : state === 'failed' ? 'bad' : 'idle';
  const title = what === 'hand' ? titles.get(file) : undefined;
  const isCorrection = what === 'hand' && counts.changed > 0 && cause !== 'renumbered';
  const entries: readonly (readonly [name: string, value: Content])[] = [
    [names.record, title === undefined ? null : titledRecord(frame, definition, file, title)],
    [names.cause, isCorrection ? records.causes[cause] : null],
    [names.state, badge(isOutdated ? wording.desk.overview.states.outdated : imports.states[state], kind)],
    [names.who, who],
    [names.begun, timeOf(wording, begunAt)],
    [names.decided, decidedBy],
    [names.ended, endedAt === null ? null : timeOf(wording, endedAt)],
    [
      names.error,
      error === null || endingOf(frame, entry) !== null
        ? null
        : (imports.errors[error] ?? imports.errors.other!.replace('{code}', error)),
    ],
    [names.undoes, undoes === null ? null : importLink(frame, definition.id, undoes)],
    [
      names.undone,
      undoneBy.length === 0
        ? null
        : markup`${undoneBy.map((number, at) => markup`${at > 0 ? ', ' : ''}${importLink(frame, definition.id, number)}`)}`,
    ],
  ];
  return facts(entries.filter(([, value]) => value !== null));
}

/** How it stands, in a sentence. */
export function leadOf(frame: SignInFrame, entry: ImportEntry): string {
  const { nothingNew, lead } = frame.wording.desk.imports;
  return endingOf(frame, entry) ?? (hasNothing(entry) ? nothingNew : lead[entry.state]);
}

/** Whether its file has nothing new. */
function hasNothing({ kind, state, counts }: ImportEntry): boolean {
  const { added, changed, restored, withdrawn, refused, unchanged } = counts;
  const isRead = state === 'completed' || state === 'proposed';
  return kind === 'file' && isRead && unchanged > 0 && added + changed + restored + withdrawn + refused === 0;
}

/** Why a proposal was discarded by nobody. Null: it was not. */
function endingOf({ wording }: SignInFrame, { state, error }: ImportEntry): string | null {
  const { endings } = wording.desk.imports;
  return state === 'discarded' && error !== null ? (endings[error] ?? null) : null;
}

/** A record by its title, and by its id. */
function titledRecord(frame: SignInFrame, { language }: RegisterDefinition, id: string, title: string): Markup {
  return markup`<span class="long"${ownText(frame.wording, language)}>${shortened(title, 300)}</span> ${recordLink(frame, id)}`;
}

/** What differences are made of, where it is not all records that change. */
function comparedHint({ wording }: SignInFrame, { corrected }: Report, ofFirst: number | null): Markup {
  const { imports } = wording.desk;
  const hint = (text: string, counts: Readonly<Record<string, number>>): Markup => {
    const numbers = Object.entries(counts).map(([name, count]) => [name, wording.number(count)] as const);
    return markup`<p class="hint">${phrase(text, Object.fromEntries(numbers))}</p>\n`;
  };
  if (corrected !== undefined) return hint(imports.corrected, { ...corrected });
  return ofFirst === null ? NOTHING : hint(imports.ofFirst, { count: ofFirst });
}

function importLink(frame: SignInFrame, feedId: string, number: number): Markup {
  const text = frame.wording.desk.overview.number.replace('{number}', String(number));
  return markup`<a href="${frame.at(deskImportPath(feedId, number))}">${text}</a>`;
}

function countsOf(frame: SignInFrame, { definition, entry, hasChanges }: DeskImportParts): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const { state, counts, number } = entry;
  const names = Object.keys(imports.counts) as (keyof typeof counts)[];
  const entries = names
    .filter((name) => counts[name] > 0)
    .map((name) => [imports.counts[name], markup`<strong>${wording.number(counts[name])}</strong>`] as const);
  if (entries.length === 0 && state === 'running') return NOTHING;
  const isDone = state === 'completed' || state === 'failed' || state === 'interrupted';
  return markup`<section><h2>${isDone ? imports.did : imports.would}</h2>
${entries.length === 0 ? markup`<p>${wording.desk.overview.nothing}</p>\n` : facts(entries)}${hasChanges ? markup`<p><a href="${frame.at(deskChangesPath(definition.id, number))}">${imports.changes.all}</a></p>\n` : NOTHING}</section>
`;
}

/** Records that come and go, and the rows that were refused. */
function examples(
  frame: SignInFrame,
  { definition, titles, entry: { counts } }: DeskImportParts,
  { added, withdrawn, refused }: Report,
): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const list = (heading: string, items: readonly Content[], hint: Markup = NOTHING): Markup =>
    items.length === 0
      ? NOTHING
      : markup`<section><h2>${heading}</h2>\n${hint}<ul>\n${items.map((item) => markup`<li>${item}</li>\n`)}</ul></section>\n`;
  return markup`${list(
    imports.added,
    added.map(
      ({ record_id, title }) =>
        markup`<span class="long">${shortened(title, 300)}</span> <code class="long">${shortened(record_id, 200)}</code>`,
    ),
  )}${list(
    imports.withdrawn,
    withdrawn.map((id) => {
      const title = titles.get(id);
      return title === undefined ? recordLink(frame, id) : titledRecord(frame, definition, id, title);
    }),
  )}${list(
    imports.refused,
    refused.map((row) => refusalOf(frame, definition, row)),
    refused.length === counts.refused
      ? NOTHING
      : markup`<p>${phrase(imports.firstOf, { shown: wording.number(refused.length), count: wording.number(counts.refused) })}</p>\n`,
  )}`;
}

/** The forms of a proposal that waits. */
function decision(frame: SignInFrame, { definition, entry, report, digest, isOutdated, may }: DeskImportParts): Markup {
  const { imports } = frame.wording.desk;
  const path = deskImportPath(definition.id, entry.number);
  const isAsked = report?.findings.some(({ code }) => code === BY_HAND) === true;
  const isStopped = report?.findings.some(({ code, stops }) => stops && code !== BY_HAND) === true;
  const { added, changed, restored, withdrawn } = entry.counts;
  const writes = added + changed + restored + withdrawn + (report?.settings?.length ?? 0);
  const isEmpty = entry.kind === 'undo' && writes === 0;
  const approve =
    may.approve && digest !== null && !isOutdated && !isEmpty
      ? form(
          frame,
          { id: 'approve', action: `${path}/approve` },
          markup`<input type="hidden" name="digest" value="${digest}">
${isAsked ? handButtons(frame) : button(isStopped ? imports.approveMeant : imports.approve)}`,
        )
      : NOTHING;
  const discard = may.discard
    ? form(
        frame,
        { id: 'discard', action: `${path}/discard` },
        markup`<p>${imports.discardHint}</p>
${button(imports.discard, 'danger')}`,
      )
    : NOTHING;
  const { refused } = entry.counts;
  const empty = isEmpty ? markup`<p><strong>${imports.empty}</strong></p>\n` : NOTHING;
  const leftOut = refused === 0 ? NOTHING : markup`<p>${countOf(frame.wording, imports.leftOut, refused)}</p>\n`;
  const { staying = 0 } = report ?? {};
  const stays = staying === 0 ? NOTHING : markup`<p>${countOf(frame.wording, imports.stay, staying)}</p>\n`;
  return markup`<section id="decide"><h2>${imports.decide}</h2>
${isOutdated ? NOTHING : leftOut}${empty}${stays}${may.own ? markup`<p>${imports.own}</p>\n` : NOTHING}${may.approve && isStopped && !isOutdated && !isEmpty ? markup`<p>${imports.meant}</p>\n` : NOTHING}${approve}${discard}</section>
`;
}

function handButtons({ wording }: SignInFrame): Markup {
  const { hint, keep, take } = wording.desk.records.byHand;
  return markup`<p>${hint}</p>
<p>${button(keep, null, { name: 'hand', value: 'keep' })}</p>
<p>${button(take, null, { name: 'hand', value: 'take' })}</p>`;
}

/** How the file was read, and what can be chosen otherwise while it is there. */
function readingOf(frame: SignInFrame, { definition, entry, reading }: DeskImportParts): Markup {
  if (reading === null) return NOTHING;
  const { reading: texts } = frame.wording.desk;
  const { choices, isChangeable } = reading;
  if (!isChangeable) {
    return markup`<section><h2>${texts.heading}</h2>
${facts(choices.map(({ name, options }) => [choiceLabel(frame, name, definition), optionText(frame, options[0]!)]))}${
      entry.state === 'proposed' ? markup`<p class="hint">${texts.gone}</p>\n` : NOTHING
    }</section>
`;
  }
  const content = markup`<p>${texts.hint}</p>
${readingFields(frame, 'read', choices, definition)}${button(texts.again, 'plain')}`;
  return markup`<section><h2>${texts.heading}</h2>
${form(frame, { id: 'read', action: `${deskImportPath(definition.id, entry.number)}/read` }, content)}</section>
`;
}

function undo(frame: SignInFrame, { definition, entry }: DeskImportParts): Markup {
  const { imports } = frame.wording.desk;
  const action = `${deskImportPath(definition.id, entry.number)}/undo`;
  return markup`<section><h2>${imports.undo}</h2>
${form(frame, { id: 'undo', action }, markup`<p>${imports.undoHint}</p>\n${button(imports.undoButton, 'plain')}`)}</section>
`;
}

// `gazette imports`: who took what into a register, and when; what is proposed, to be approved or discarded; and taking an import back.
import { GazetteError, quote } from '../../../errors.ts';
import { correctedWords, type ImportReport } from '../../../import/proposals/report.ts';
import { type DecideOptions, Imports } from '../../../operate/registers/imports.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import type { ImportCounts } from '../../../stores/contract/imports/counts.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import { counted } from '../../../register/counted.ts';
import { FEED_ID, choice, command, type UndescribedGroup, flag, JSON_OUTPUT, type Option } from '../../command.ts';
import { printJson, say } from '../../io/say.ts';
import { userName } from '../../io/user-name.ts';
import type { Io } from '../../io/io.ts';
import { STORE, type StoreOptions, withStore } from '../../options/store.ts';
import { WAIT, waitOptions } from '../../options/wait.ts';
import { findingAnswer } from './report.ts';
import { completeIndex } from '../../process/indexing.ts';

/** An import as `--json` prints it: schemas/imports.schema.json. */
interface ImportEntryAnswer extends ImportCounts {
  readonly number: number;
  readonly kind: string;
  readonly undoes: number | null;
  readonly file: string;
  readonly hmac_sha256: string | null;
  readonly cause: string;
  readonly who: string | null;
  readonly begun_at: string;
  readonly ended_at: string | null;
  readonly state: string;
  readonly decided_by: string | null;
  readonly error: string | null;
}

const FEED = [FEED_ID, 'the register'] as const;
const NUMBER = ['<number>', 'the import, as gazette imports list shows it'] as const;

const DIGEST: Option<Uint8Array | undefined> = {
  value: '<sha256>',
  description: 'approve only the proposal that gazette imports show printed this digest of',
  default: undefined,
  read: (value) => {
    if (!/^[0-9a-f]{64}$/.test(value)) {
      throw new GazetteError('usage', `--digest must be 64 hexadecimal digits, got ${quote(value)}`);
    }
    return Buffer.from(value, 'hex');
  },
};

const DECIDE = { store: STORE, wait: WAIT, json: JSON_OUTPUT };
const UNDO = { ...DECIDE, propose: flag('write nothing: keep it as a proposal') };
const ACCEPT = choice(
  '<code>',
  'of records that were set by hand and that the file says something else of: keep that, or take what the file says',
  ['kept-by-hand', 'take-source'],
  'take-source',
);
const APPROVE = { ...DECIDE, digest: DIGEST, accept: ACCEPT };

/** `gazette imports`. */
export const importsCommand: UndescribedGroup = {
  commands: {
    list: command({
      description: 'List the imports of a register, newest first: which file, by whom, when, and with what result.',
      arguments: [FEED],
      options: { store: STORE, json: JSON_OUTPUT },
      run: ([feedId], options, { io }) =>
        withStore(options, io, async (store) => {
          const imports = await new Imports(store).list(feedId);
          if (options.json === true) printJson(io, imports.map(toAnswer));
          else for (const entry of imports) show(entry, io);
        }),
    }),
    show: command({
      description: 'Show what a proposal would do: its findings, and the fields that would change, with examples.',
      arguments: [FEED, NUMBER],
      options: { store: STORE, json: JSON_OUTPUT },
      run: ([feedId, number], options, { io }) =>
        withStore(options, io, async (store) => {
          const { entry, report, digest, isOutdated } = await new Imports(store).proposal(feedId, numberIn(number));
          if (isOutdated) say(io, `the register has changed since: proposal ${number} cannot be approved any more`);
          if (options.json === true) printProposal(io, entry, report, digest);
          else showProposal(io, entry, report, digest);
        }),
    }),
    approve: command({
      description: 'Carry out a proposal: exactly what it says, or nothing where the register has changed since.',
      arguments: [FEED, NUMBER],
      options: APPROVE,
      run: ([feedId, number], options, { io, signal }) =>
        doImport(feedId, options, io, signal, async (imports, how) => {
          const proposal = await imports.proposal(feedId, numberIn(number));
          const { digest, accept } = options;
          const keepsHand = accept === 'kept-by-hand';
          await imports.approve(feedId, numberIn(number), {
            ...{ ...how, keepsHand },
            ...(digest === undefined ? {} : { digest }),
          });
          return { number: numberIn(number), report: proposal.report };
        }),
    }),
    discard: command({
      description: 'End a proposal: nothing is written.',
      arguments: [FEED, NUMBER],
      options: DECIDE,
      run: ([feedId, number], options, { io, signal }) =>
        doImport(feedId, options, io, signal, async (imports, how) => {
          const { report } = await imports.proposal(feedId, numberIn(number));
          await imports.discard(feedId, numberIn(number), how);
          return { number: numberIn(number), report };
        }),
    }),
    undo: command({
      description:
        'Take an import back: withdraw what it added, restore what it withdrew, and give what it changed the content before.',
      arguments: [FEED, NUMBER],
      options: UNDO,
      run: ([feedId, number], options, { io, signal }) =>
        doImport(feedId, options, io, signal, (imports, how) =>
          imports.undo(feedId, numberIn(number), { ...how, propose: options.propose === true }),
        ),
    }),
  },
};

function numberIn(value: string): number {
  const number = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
  if (number === null) throw new GazetteError('usage', `<number> must be the number of an import, got ${quote(value)}`);
  return number;
}

/** Does something with an import, and says what became of it. */
export function doImport(
  feedId: string,
  options: StoreOptions & { readonly wait?: true; readonly json?: true },
  io: Io,
  signal: AbortSignal,
  work: (
    imports: Imports,
    how: DecideOptions,
    store: InspectedStore,
  ) => Promise<{ readonly number: number; readonly report: ImportReport }>,
): Promise<void> {
  return withStore(options, io, async (store: InspectedStore) => {
    const imports = new Imports(store);
    const how = { ...waitOptions(options, io, signal), who: userName() };
    const { number, report } = await work(imports, how, store);
    const entry = await store.imports.find(feedId, number);
    if (options.json === true) printProposal(io, entry, report, null);
    else {
      for (const { message, records = [] } of report.findings.filter(({ stops }) => !stops))
        say(io, [message, ...records].join('\n  '));
      show(entry, io);
    }
    if (entry.state === 'completed') await completeIndex(io, store.finding, feedId, signal);
  });
}

function toAnswer(entry: ImportEntry): ImportEntryAnswer {
  const { number, kind, undoes, file, digest, cause, who, begunAt, endedAt, state, decidedBy, error, counts } = entry;
  const { added, changed, unchanged, withdrawn, restored, refused, redacted } = counts;
  return {
    ...{ number, kind, undoes, file },
    hmac_sha256: digest === null ? null : Buffer.from(digest).toString('hex'),
    ...{ cause, who, begun_at: begunAt, ended_at: endedAt, state, decided_by: decidedBy, error },
    ...{ added, changed, unchanged, withdrawn, restored, refused, redacted },
  };
}

/** schemas/proposal.schema.json */
function printProposal(io: Io, entry: ImportEntry, report: ImportReport, digest: Uint8Array | null): void {
  const { fields, settings = [], findings, refused } = report;
  printJson(io, {
    ...toAnswer(entry),
    digest: digest === null ? null : Buffer.from(digest).toString('hex'),
    ...{
      fields,
      settings,
      findings: findings.map(findingAnswer),
    },
    refused_records: refused.map(({ where, reason }) => ({ where, reason })),
  });
}

function show(
  { number, kind, undoes, file, cause, who, begunAt, state, error, counts }: ImportEntry,
  { stdout }: Io,
): void {
  const done = Object.entries<number>({ ...counts }).filter(([, count]) => count > 0);
  const text = done.map(([name, count]) => `${name} ${count.toLocaleString('en-US')}`).join(', ');
  const ending = error === null ? state : `${state} (${error})`;
  const byHand = cause === 'renumbered' ? 'new keys' : 'by hand';
  const what = { file, undo: `undo of ${undoes} (${file})`, hand: `${byHand} (${file})`, settings: 'settings' }[kind];
  stdout.write(
    `${String(number).padStart(4)}  ${begunAt}  ${ending.padEnd(11)}  ${who ?? ''}  ${what}  ${text}`.trimEnd() + '\n',
  );
}

function showProposal(io: Io, entry: ImportEntry, report: ImportReport, digest: Uint8Array): void {
  show(entry, io);
  const { stdout } = io;
  stdout.write(`digest ${Buffer.from(digest).toString('hex')}\n`);
  if (report.staying !== undefined) {
    stdout.write(
      `${counted(report.staying, 'published record')} ${report.staying === 1 ? 'is not in the file, and stays' : 'are not in the file, and stay'}\n`,
    );
  }
  for (const { code, stops, message, ways = '', records = [] } of report.findings) {
    stdout.write(`\n${stops ? 'stops' : 'note'}: ${code}: ${message}${ways}\n`);
    for (const id of records) stdout.write(`  ${id}\n`);
  }
  for (const { setting, before, after } of report.settings ?? [])
    stdout.write(`\n${setting}: ${JSON.stringify(before)} → ${JSON.stringify(after)}\n`);
  const corrected = correctedWords(report);
  if (corrected !== null) stdout.write(`\n${corrected}\n`);
  for (const { field, changed, examples, largest } of report.fields) {
    stdout.write(`\n${field}: changes in ${counted(changed, 'record')}\n`);
    for (const { record_id, before, after } of examples)
      stdout.write(`  ${record_id}: ${JSON.stringify(before)} → ${JSON.stringify(after)}\n`);
    if (largest !== null) {
      const { record_id, before, after, factor } = largest;
      stdout.write(
        `  largest: ${record_id}: ${JSON.stringify(before)} → ${JSON.stringify(after)} (× ${Number(factor.toPrecision(3))})\n`,
      );
    }
  }
  if (report.refused.length > 0) stdout.write('\nrefused:\n');
  for (const { where, reason } of report.refused) stdout.write(`  ${where}: ${reason}\n`);
}

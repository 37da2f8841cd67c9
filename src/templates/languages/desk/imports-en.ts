// What the desk says of imports and proposals, in English. Every other language has the same texts.
import type { FieldType } from '../../../register/record.ts';
import type { ImportCounts } from '../../../stores/contract/imports/counts.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import { type DeskFindingsTexts, enFindings } from './findings-en.ts';

/** The texts that a language must have. */
export interface DeskImportsTexts extends DeskFindingsTexts {
  readonly waiting: string;
  /** How many proposals of a register wait; one, and more. */
  readonly waits: readonly [one: string, more: string];
  readonly latest: string;
  readonly none: string;
  readonly register: string;
  readonly publicPage: string;
  readonly title: string;
  readonly undoTitle: string;
  readonly handTitle: string;
  readonly settingsTitle: string;
  /** What the page is about, by the state. */
  readonly lead: Readonly<Record<ImportEntry['state'], string>>;
  /** The same of proposals that nobody discarded, by why they ended. */
  readonly endings: Readonly<Record<string, string>>;
  /** Said instead where a file has nothing new. */
  readonly nothingNew: string;
  readonly facts: Readonly<
    Record<'record' | 'cause' | 'state' | 'who' | 'begun' | 'decided' | 'ended' | 'error' | 'undoes' | 'undone', string>
  >;
  readonly states: Readonly<Record<ImportEntry['state'], string>>;
  readonly would: string;
  readonly did: string;
  readonly counts: Readonly<Record<keyof ImportCounts, string>>;
  readonly progress: string;
  readonly again: string;
  readonly findings: string;
  readonly stops: string;
  /** The same of an import that was decided about. */
  readonly stopped: string;
  readonly note: string;
  /** How many records, or values, something is said of. */
  readonly times: readonly [one: string, more: string];
  readonly records: string;
  readonly differences: string;
  readonly ofFirst: string;
  /** Said of differences where keys are made of rows. */
  readonly corrected: string;
  readonly changedIn: readonly [one: string, more: string];
  readonly record: string;
  readonly largest: string;
  /** By how much a number changed. */
  readonly factors: Readonly<Record<'times' | 'tenth' | 'hundredth' | 'thousandth' | 'more' | 'less', string>>;
  readonly moreFields: string;
  /** The pages of all that an import changes. */
  readonly changes: Readonly<
    Record<'all' | 'heading' | 'would' | 'did' | 'none' | 'says' | 'asked' | 'erased' | 'first' | 'next', string>
  >;
  readonly added: string;
  readonly withdrawn: string;
  readonly refused: string;
  /** Said where not all of them are listed. */
  readonly firstOf: string;
  /** Why a row was refused, by the type of its field, or by the code of the error. */
  readonly refusals: Readonly<Record<FieldType | 'empty' | 'duplicate_id' | 'other', string>>;
  /** Before the number of a row of a file. */
  readonly row: string;
  readonly written: string;
  /** Why an import failed, by the code of the error. */
  readonly errors: Readonly<Record<string, string>>;
  readonly decide: string;
  readonly toDecision: string;
  readonly meant: string;
  /** Said to whoever decides where rows were refused. */
  readonly leftOut: readonly [one: string, more: string];
  /** Said where published records are not in the file. */
  readonly stay: readonly [one: string, more: string];
  readonly outdated: string;
  /** Said of what would take an import back, and can take nothing back. */
  readonly empty: string;
  readonly own: string;
  readonly approve: string;
  readonly approveMeant: string;
  readonly discard: string;
  readonly discardHint: string;
  readonly undo: string;
  readonly undoHint: string;
  readonly undoButton: string;
  /** What was just done, by the name in the address. */
  readonly done: Readonly<Record<'approved' | 'discarded' | 'proposed' | 'waits' | 'same' | 'unread', string>>;
  /** The mail that says that a proposal waits. */
  readonly mail: Readonly<Record<'subject' | 'text', string>>;
  /** Why something was not done, by the code of the error. */
  readonly problems: Readonly<
    Record<'proposal_ended' | 'proposal_outdated' | 'register_busy' | 'invalid_option', string>
  >;
  /** The same of a proposal about which somebody decided, and of one that was carried out. */
  readonly decided: Readonly<Record<'approved' | 'done' | 'discarded', string>>;
}

/** The texts. */
export const enDeskImports: DeskImportsTexts = {
  ...enFindings,
  waiting: 'Waiting to be approved',
  waits: ['1 proposal waits', '{count} proposals wait'],
  latest: 'Latest imports',
  none: 'Nothing was taken in yet.',
  register: 'The register',
  publicPage: 'What readers see',
  title: 'Import {number}: {file}',
  undoTitle: 'Import {number}: import {undoes} taken back',
  handTitle: 'Import {number}: by hand, {file}',
  settingsTitle: 'Import {number}: settings of the register',
  lead: {
    running: 'The import is being read and compared. You may leave this page.',
    proposed: 'Nothing is written yet. This is what the import would do; approving it does exactly that.',
    approved: 'The import was approved and is being carried out. You may leave this page: it goes on without you.',
    completed: 'The import is done.',
    discarded: 'The proposal was discarded. Nothing was written.',
    failed: 'The import failed. What the numbers say was written before.',
    interrupted: 'The import was interrupted. What the numbers say was written before.',
  },
  endings: {
    record_redacted:
      'The proposal was discarded because a record was erased that is in it, or may be among its refused rows. Nothing was written. Upload the file again: the erased record is left out then.',
    proposal_expired: 'The proposal waited for 30 days and was discarded. Nothing was written.',
  },
  nothingNew: 'The file has nothing new: its records are published as it says, or stay as they were set by hand.',
  facts: {
    record: 'Record',
    cause: 'Reason',
    state: 'State',
    who: 'By',
    begun: 'Begun',
    decided: 'Decided by',
    ended: 'Ended',
    error: 'Error',
    undoes: 'Takes back',
    undone: 'Taken back by',
  },
  states: {
    running: 'running',
    proposed: 'waits to be approved',
    approved: 'being carried out',
    completed: 'done',
    discarded: 'discarded',
    failed: 'failed',
    interrupted: 'interrupted',
  },
  would: 'What it would do',
  did: 'What it did',
  counts: {
    added: 'added',
    changed: 'changed',
    withdrawn: 'withdrawn',
    restored: 'restored',
    unchanged: 'unchanged',
    refused: 'refused',
    redacted: 'left out because they were erased',
  },
  progress: '{done} of {all} records are done.',
  again: 'Look again',
  findings: 'What was found',
  stops: 'stops the import',
  stopped: 'stopped the import',
  note: 'to be known',
  times: ['1 record', '{count} records'],
  records: 'The records',
  differences: 'Differences',
  ofFirst: 'Of the first {count} records.',
  corrected:
    'Rows have no key here: a corrected row is withdrawn and comes anew. Of the withdrawn records, {compared} were compared; {found} come anew with these differences.',
  changedIn: ['changes in 1 record', 'changes in {count} records'],
  record: 'Record',
  largest: 'the largest change: from {before} to {after}',
  factors: {
    times: '{count} times as much',
    tenth: 'a tenth of it',
    hundredth: 'a hundredth of it',
    thousandth: 'a thousandth of it',
    more: '+{count} %',
    less: '−{count} %',
  },
  moreFields: 'And {count} more fields: {names}.',
  changes: {
    all: 'All changes, record by record',
    heading: 'Import {number}: all changes',
    would: 'What the import would do with each record, in this order.',
    did: 'What the import did with each record, in this order.',
    none: 'There are no changes here.',
    says: 'What it says',
    asked: 'set by hand: who approves says which of the two holds',
    erased: 'erased since',
    first: 'The first changes',
    next: 'More changes',
  },
  added: 'New or live again, for example',
  withdrawn: 'Withdrawn, for example',
  refused: 'Refused',
  firstOf: 'The first {shown} of {count}.',
  refusals: {
    text: 'is no text',
    number: 'is no number',
    decimal: 'is no number',
    integer: 'is no whole number',
    boolean: 'is neither yes nor no',
    date: 'is no date',
    datetime: 'is no date',
    url: 'is no address that begins with https:// or http://',
    json: 'is no JSON',
    empty: 'is empty',
    duplicate_id: 'Another row of the file has the same key:',
    other: 'The row cannot be read.',
  },
  row: 'row',
  written: 'written there: {value}',
  errors: {
    import_superseded: 'somebody else went on with this register',
    invalid_input: 'the file could not be read',
    body_too_large: 'the file would unpack to more than is taken',
    import_stopped: 'something was found that stopped it',
    store_busy: 'the store was busy',
    store_unavailable: 'the store could not be reached',
    aborted: 'it was stopped',
    other: 'an error of the service; tell the operator: {code}',
  },
  decide: 'Decide',
  toDecision: 'To the decision',
  meant: 'What was found stopped this import. Whoever approves it says that it is meant so.',
  leftOut: [
    '1 row of the file was refused and is not taken in. If it is of a published record, that stays as it is.',
    '{count} rows of the file were refused and are not taken in. Published records that they are of stay as they are.',
  ],
  stay: [
    '1 record of the register is not in the file, and stays published.',
    '{count} records of the register are not in the file, and stay published.',
  ],
  outdated:
    'The register has changed since, and this proposal would do something else by now: it cannot be approved any more. Discard it and upload the file again, or propose again to take the import back.',
  empty: 'Nothing would be written: there is nothing left that could be taken back. Discard the proposal.',
  own: 'You proposed this import. Another editor has to approve it.',
  approve: 'Approve the import',
  approveMeant: 'It is meant so: approve the import',
  discard: 'Discard the proposal',
  discardHint: 'If it is discarded, nothing is written, and nothing is kept of what records would say.',
  undo: 'Take this import back',
  undoHint:
    'What it added is withdrawn, what it changed gets the content before, what it withdrew is restored. You see first what that would do.',
  undoButton: 'Propose to take it back',
  done: {
    approved: 'You approved the import.',
    discarded: 'You discarded the proposal.',
    proposed: 'This is the proposal that takes the import back. Nothing is written before it is approved.',
    waits: 'This is your proposal. Nothing is written before another editor approves it.',
    same: 'Nothing was changed: you chose nothing else, and the file is read as before.',
    unread: 'Nothing was changed: the file is not there any more, or the proposal does not wait any more.',
  },
  mail: {
    subject: 'A proposal waits in {register}: {service}',
    text: 'in the register {register}, import {number} ({file}) waits to be approved. Nothing is written before. Look at what it would do:',
  },
  problems: {
    proposal_ended: 'Nothing was done: this proposal does not wait any more. This is how it stands now.',
    proposal_outdated:
      'Nothing was approved: the proposal or the register has changed since you read it. Read this page again; if it is refused again, discard the proposal and upload the file again, or propose again to take the import back.',
    register_busy: 'Nothing was done: somebody works on this register at the moment. Try again in a moment.',
    invalid_option: 'Nothing was done: this import has written nothing that could still be taken back.',
  },
  decided: {
    approved: 'Nothing was done: this import was approved already, by {name}. This is how it stands now.',
    done: 'Nothing was done: this import was approved already, by {name}, and carried out on {date}. This is how it stands now.',
    discarded: 'Nothing was done: this proposal was discarded already, by {name}, on {date}.',
  },
};

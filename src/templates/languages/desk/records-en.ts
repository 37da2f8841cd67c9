// What the desk says of single records, in English. Every other language has the same texts.
import type { FieldType } from '../../../register/record.ts';
import type { StoredRecord } from '../../../stores/contract/registers.ts';

/** What a form that does something with a record says: before, and where another editor approves it. */
type ActTexts = Readonly<Record<'heading' | 'hint' | 'button' | 'proposed', string>>;

/** The texts that a language must have. */
export interface DeskRecordsTexts {
  readonly heading: string;
  readonly search: string;
  readonly searchHint: string;
  readonly searchButton: string;
  readonly newest: string;
  readonly found: string;
  readonly none: string;
  readonly nothing: string;
  readonly noWords: string;
  readonly all: string;
  readonly id: string;
  readonly state: string;
  readonly latest: string;
  readonly states: Readonly<Record<StoredRecord['state'], string>>;
  readonly publicPage: string;
  readonly proposal: string;
  readonly erased: string;
  readonly readOnly: string;
  readonly correct: string;
  readonly correctButton: string;
  readonly correctProposed: string;
  readonly cause: string;
  readonly causeHint: string;
  /** A field that every record has, where the register has one of that name, too. */
  readonly ofRecord: string;
  readonly choose: string;
  readonly causes: Readonly<Record<'source_change' | 'extraction_correction', string>>;
  readonly contentTypes: Readonly<Record<string, string>>;
  /** How values are written. */
  readonly hints: Readonly<Partial<Record<FieldType, string>>>;
  /** Where it is not known from where a record comes. */
  readonly sourceUnknown: string;
  /** What a field says that somebody changed meanwhile. */
  readonly now: string;
  readonly tooLong: string;
  /** What is wrong with a value. */
  readonly invalid: Readonly<Record<FieldType | 'required' | 'other', string>>;
  readonly withdraw: ActTexts;
  readonly restore: ActTexts;
  readonly erase: Readonly<
    Record<
      | (
          | 'heading'
          | 'lead'
          | 'toPage'
          | 'question'
          | 'goes'
          | 'stays'
          | 'final'
          | 'told'
          | 'untold'
          | 'seen'
          | 'lately'
        )
      | ('confirm' | 'confirmText' | 'missing' | 'button' | 'back'),
      string
    >
  > &
    Readonly<Record<'goesItems' | 'staysItems', readonly string[]>>;
  /** What was just done, by the name in the address. */
  readonly done: Readonly<Record<'correct' | 'withdraw' | 'restore' | 'erased' | 'discarding', string>>;
  /** Why something was not done, by the code of the error. */
  readonly problems: Readonly<Record<'item_changed' | 'invalid_option' | 'register_busy' | 'cause', string>>;
  /** The mail that says that a record was erased. */
  readonly mail: Readonly<Record<'subject' | 'text', string>>;
  /** What is approved where a file says something else than was set by hand. */
  readonly byHand: Readonly<
    Record<'set' | 'file' | 'keep' | 'take' | 'hint', string> &
      // What a record is, and what the file says instead.
      Record<'restored' | 'withdrawn', readonly [set: string, file: string]>
  >;
}

/** The texts. */
export const enDeskRecords: DeskRecordsTexts = {
  heading: 'Records',
  search: 'Find a record',
  searchHint: 'Its key or its id, or words that it has. A withdrawn record is found by its key or id alone.',
  searchButton: 'Find',
  newest: 'The newest',
  found: 'Records with these words',
  none: 'There are no records yet.',
  nothing: 'No record has this key or id, or all these words.',
  noWords: 'No record has this key or id, and words cannot be searched here.',
  all: 'The newest records',
  id: 'Id',
  state: 'State',
  latest: 'Version',
  states: { live: 'published', withdrawn: 'withdrawn', redacted: 'erased' },
  publicPage: 'What readers see, with all versions',
  proposal: 'What you do here is a proposal: another editor approves it. Erasing alone is done at once.',
  erased: 'The content of this record was erased permanently. Nothing of it can be changed or brought back.',
  readOnly: 'You approve what others propose. Records are changed by other editors.',
  correct: 'Correct the record',
  correctButton: 'Save and publish',
  correctProposed: 'Propose the correction',
  cause: 'Why is it corrected?',
  causeHint: 'Readers see this beside the new version.',
  ofRecord: '{field} (of the record)',
  choose: 'Please choose',
  causes: { source_change: 'the source has changed', extraction_correction: 'we had misread the source' },
  contentTypes: { text: 'plain text', html: 'HTML' },
  hints: {
    number: 'A number such as 1234.5.',
    decimal: 'A number such as 1234.50.',
    integer: 'A whole number.',
    datetime: 'A date such as 2026-04-17, or with a time: 2026-04-17T08:12:44Z.',
    url: 'An address that begins with https:// or http://.',
    json: 'As JSON.',
  },
  sourceUnknown: 'The source is not known. An address that begins with https:// or http://, or nothing.',
  now: 'Somebody changed this meanwhile. It says now: {value}',
  tooLong: 'Too long to be changed on a page: {fields}. Correct it in the file, or ask the operator.',
  invalid: {
    text: 'Write a text.',
    number: 'Write a number such as 1234.5.',
    decimal: 'Write a number such as 1234.50.',
    integer: 'Write a whole number, such as 12.',
    boolean: 'Choose yes or no.',
    date: 'Write a date such as 2026-04-17.',
    datetime: 'Write a date such as 2026-04-17, or with a time: 2026-04-17T08:12:44Z.',
    url: 'Write an address that begins with https:// or http://.',
    json: 'Write JSON: a text in quotes, a number, a list in [ ], or an object in { }.',
    required: 'This must not be empty.',
    other: 'This value does not fit the field.',
  },
  withdraw: {
    heading: 'Withdraw the record',
    hint: 'Readers are told that it was withdrawn; its history stays. A file brings it back only when its source says something new of it. It can be restored here.',
    button: 'Withdraw',
    proposed: 'Propose to withdraw it',
  },
  restore: {
    heading: 'Restore the record',
    hint: 'It is published again with what it said last. A file that still lacks it does not withdraw it again.',
    button: 'Restore',
    proposed: 'Propose to restore it',
  },
  erase: {
    heading: 'Erase for legal reasons',
    lead: 'Where content must not be kept at all, such as after a court order. You see first what that means.',
    toPage: 'What erasing does',
    question: 'Erase this record permanently?',
    goes: 'What is erased',
    goesItems: [
      'The content of all versions of the record, here and in its history: title, dates, source, every field.',
      'Proposals that wait and have the record, also unchanged, or may have it among their refused rows: they are discarded.',
    ],
    stays: 'What stays',
    staysItems: [
      'Its id, the times and numbers of its versions, and that it was erased. Files that have it do not bring it back.',
      'What is elsewhere: files that were uploaded or downloaded, copies of receivers, backups. The operator knows where.',
    ],
    final: 'Nobody can undo this.',
    told: 'It is done at once, without a second editor; all who approve changes of this register are told by mail.',
    untold: 'It is done at once, without a second editor. This service sends no mail about it.',
    seen: 'Other editors see on the page of the register, and in the log, that you erased it, and when; nothing of what it said.',
    lately: 'Erased lately',
    confirm: 'Are you sure?',
    confirmText: 'Yes, erase the content of this record for ever.',
    missing: 'Nothing was erased: confirm that you mean it.',
    button: 'Erase permanently',
    back: 'Back to the record; erase nothing',
  },
  done: {
    correct: 'You corrected the record.',
    withdraw: 'You withdrew the record.',
    restore: 'You restored the record.',
    erased: 'You erased the content of the record.',
    discarding:
      'You erased the content of the record. Proposals that had it, or may have had it, were discarded: import {numbers}.',
  },
  problems: {
    item_changed:
      'Nothing was done: somebody changed this record since you opened its page. It is shown as it is now, with what you typed. Look at both, and send it again.',
    invalid_option: 'Nothing was done: the record says this already.',
    register_busy: 'Nothing was done: somebody works on this register at the moment. Try again in a moment.',
    cause: 'Choose why the record is corrected.',
  },
  mail: {
    subject: 'A record was erased in {register}: {service}',
    text: 'in the register {register}, {who} erased the content of the record {record} permanently. That needs no approval and cannot be undone. If you did not expect it, ask {who}:',
  },
  byHand: {
    set: 'Set by hand',
    file: 'What the file says',
    keep: 'Approve, and keep what was set by hand',
    take: 'Approve, and take what the file says',
    hint: 'The file says something else of some records than was set by hand. Whatever you choose, the rest of the file is taken in. If you keep what was set by hand, you are asked again only when a file says something else of these records than this one.',
    restored: ['withdrawn', 'has the record'],
    withdrawn: ['published', 'lacks the record'],
  },
};

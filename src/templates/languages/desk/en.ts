// What the desk says in English. Every other language has the same texts.
import type { DeskAction, EditorRole } from '../../../stores/contract/desk/editors.ts';
import type { ImportCounts } from '../../../stores/contract/imports/counts.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import type { SignInTexts } from '../account/mail-en.ts';
import { type DeskImportsTexts, enDeskImports } from './imports-en.ts';
import { type DeskRecordsTexts, enDeskRecords } from './records-en.ts';
import { type DeskMakingTexts, type DeskReadingTexts, enMaking, enReading } from './making-en.ts';
import { type DeskRemarksTexts, enRemarks } from './remarks-en.ts';
import { type DeskSettingsTexts, enDeskSettings } from './settings-en.ts';

/** The texts that a language must have. */
export interface DeskTexts extends SignInTexts {
  readonly navigation: Readonly<Record<'label' | 'registers' | 'log' | 'signOut', string>>;
  /** What an editor is, by the role. */
  readonly roles: Readonly<Record<EditorRole | 'operator', string>>;
  readonly overview: {
    readonly title: string;
    /** By the role. */
    readonly lead: Readonly<Record<EditorRole, string>>;
    readonly none: string;
    readonly takenIn: string;
    /** How often a file is expected that has not come; one, and more. */
    readonly expected: Readonly<Record<'hour' | 'day', readonly [one: string, more: string]>>;
    readonly imports: string;
    readonly number: string;
    /** What an import was of, if not a file. */
    readonly kinds: Readonly<Record<Exclude<ImportEntry['kind'], 'file'>, string>>;
    readonly counts: Readonly<Record<Exclude<keyof ImportCounts, 'unchanged'>, string>>;
    readonly nothing: string;
    readonly states: Readonly<Record<Exclude<ImportEntry['state'], 'completed'> | 'outdated', string>>;
    readonly before: string;
    readonly after: string;
  };
  readonly imports: DeskImportsTexts;
  readonly records: DeskRecordsTexts;
  readonly making: DeskMakingTexts;
  readonly reading: DeskReadingTexts;
  readonly remarks: DeskRemarksTexts;
  readonly settings: DeskSettingsTexts;
  readonly upload: Readonly<
    Record<
      | ('heading' | 'lead' | 'file' | 'hint' | 'missing' | 'tooLarge' | 'unpacksTooLarge' | 'send' | 'sending')
      | ('readingTitle' | 'waiting' | 'looking' | 'read' | 'leave' | 'back')
      | ('failedTitle' | 'interrupted' | 'nothing' | 'again'),
      string
    >
  >;
  readonly log: {
    readonly title: string;
    readonly lead: string;
    readonly none: string;
    readonly older: string;
    /** Who did it. */
    readonly by: string;
    readonly somebody: string;
    readonly actions: Readonly<Record<DeskAction, string>>;
  };
}

/** The texts. */
export const enDesk: DeskTexts = {
  signIn: {
    title: 'Sign in to the desk',
    lead: 'Editors sign in with a link that works once. There is no password.',
    email: 'E-mail address',
    emailHint: 'The address that the publisher has of you.',
    emailError: 'Write one e-mail address, such as anna@example.org.',
    send: 'Send me a link',
    sentTitle: 'Look into your mailbox',
    sent: 'If an editor has this address, a link to sign in is on its way. It works for 15 minutes, and once.',
    sentHint:
      'If nothing comes, look among unwanted mail, or check the address. An editor is sent three links an hour at most.',
    again: 'Ask for another link',
    byOperator: 'Ask the publisher of this service for a link.',
    contact: 'How to reach the publisher',
    confirmTitle: 'Sign in to the desk',
    confirm: 'This link signs you in as',
    confirmHint: 'The session lasts 12 hours, or until you sign out.',
    button: 'Sign in',
    endedTitle: 'This link does not work any more',
    ended: 'A link works for 15 minutes, and once. A newer link also ends it.',
    signedOut: 'You are signed out.',
    sessionEnded: 'Your session has ended. What you sent last was not done: sign in, and do it again.',
    tooMany: 'Too many links were asked for from your network. Wait an hour, or ask the publisher for a link.',
  },
  mail: {
    subject: 'Your link to the desk: {service}',
    greeting: 'Hello,',
    one: 'this link signs you in to the desk of {service}:',
    many: 'these links sign you in to the desk of {service}, each as one of its editors:',
    validity: 'It works for 15 minutes, and once.',
    validityMany: 'Each works for 15 minutes, and once.',
    unasked: 'If you did not ask for it, you need not do anything.',
  },
  navigation: { label: 'The desk', registers: 'Registers', log: 'What was done', signOut: 'Sign out' },
  roles: { edit: 'editor', review: 'reviewer', operator: 'operator' },
  overview: {
    title: 'Your registers',
    lead: {
      edit: 'You are signed in as {name} and work on these registers.',
      review: 'You are signed in as {name} and approve what others propose for these registers.',
    },
    none: 'There is no register yet.',
    takenIn: 'last taken in {date}',
    expected: {
      hour: ['overdue: expected every hour', 'overdue: expected every {count} hours'],
      day: ['overdue: expected every day', 'overdue: expected every {count} days'],
    },
    imports: 'Latest imports',
    number: 'import {number}',
    kinds: { undo: 'Import {undoes} taken back', hand: 'By hand, {file}', settings: 'Settings' },
    counts: {
      added: '{count} added',
      changed: '{count} changed',
      withdrawn: '{count} withdrawn',
      restored: '{count} restored',
      refused: '{count} refused',
      redacted: '{count} left out because they were erased',
    },
    nothing: 'nothing changed',
    states: {
      running: 'running',
      failed: 'failed',
      interrupted: 'interrupted',
      proposed: 'proposed',
      outdated: 'cannot be approved any more',
      approved: 'approved, not carried out whole yet',
      discarded: 'discarded',
    },
    before: 'Registers before',
    after: 'More registers',
  },
  imports: enDeskImports,
  records: enDeskRecords,
  making: enMaking,
  reading: enReading,
  remarks: enRemarks,
  settings: enDeskSettings,
  upload: {
    heading: 'Upload a file',
    lead: 'The file is read and compared with the register. Nothing is published by that: you see first what it would change.',
    file: 'The file',
    hint: 'CSV, a workbook (.xlsx), JSON or NDJSON; at most {megabytes} MB, and {unpacked} MB unpacked.',
    missing: 'Choose a file.',
    tooLarge: 'The file is too large.',
    unpacksTooLarge: 'The file would unpack to more than is taken. Split it, and upload the parts.',
    send: 'Upload',
    sending: 'Sent so far:',
    readingTitle: 'The file is being read',
    waiting: 'It waits until others are read.',
    looking: 'It is being found out how it is to be read.',
    read: '{count} records read so far.',
    leave:
      'This page shows the proposal as soon as it is made. You need not wait: it will be among the imports of the register.',
    back: 'Back to the register',
    failedTitle: 'The file could not be taken in',
    interrupted: 'The work was interrupted. Upload the file again.',
    nothing: 'Nothing was changed, and the file was not kept.',
    again: 'Upload another file',
  },
  log: {
    title: 'What was done',
    lead: 'By you, and to the registers that you work on.',
    none: 'Nothing yet.',
    older: 'Older entries',
    by: 'by {who}, {role}',
    somebody: 'somebody',
    actions: {
      editor_added: 'Editor added',
      editor_changed: 'Editor changed',
      editor_removed: 'Editor removed',
      signed_in: 'Signed in',
      signed_out: 'Signed out',
      import_proposed: 'Import proposed',
      import_approved: 'Import approved',
      import_approved_hand_kept: 'Import approved, and kept what was set by hand',
      import_discarded: 'Proposal discarded',
      uploaded: 'File uploaded',
      record_corrected: 'Record corrected',
      record_withdrawn: 'Record withdrawn',
      record_restored: 'Record restored',
      record_redacted: 'Content of a record erased',
      register_proposed: 'New register proposed',
      register_made: 'Register made',
      settings_changed: 'Settings changed',
    },
  },
};

// What pages say of proofs in English.
import { markup, type Markup } from '../../markup.ts';

/** The texts. */
export const enProof = {
  link: 'Proof that this was recorded',
  ofVersion: (version: string): string => `Proof of version ${version}`,
  title: 'Proof that this record was recorded',
  lead: (version: string, when: Markup): Markup =>
    markup`The log of this register says that version ${version} of this record was recorded on ${when}.`,
  what: 'The log is a tree over all versions of all records, in the order in which they were recorded, and its root is signed. What was signed cannot be changed or dropped later without everybody who kept a signed root being able to show it.',
  log: 'In the log',
  origin: 'Name of the log',
  index: 'Place of the entry',
  indexHint: 'Counted from 0.',
  recorded: 'Recorded',
  cause: 'Why',
  size: 'Entries that are signed',
  root: 'Signed root',
  vkey: 'Key that checks the signature',
  vkeyHint:
    'Compare it with the key that you wrote down earlier or got from somebody else: a key that comes with the proof proves nothing.',
  entry: 'The entry',
  entryText: 'This text is hashed. It has no id and no content, and everybody may have it.',
  leaf: 'Its hash',
  commitment: 'Commitment',
  commitmentHint:
    'The HMAC-SHA-256 of what the publisher stated: of the canonical JSON (RFC 8785) of `{ "v": 1, "log", "id", "version", "statement" }`.',
  committedLog: 'The `log` in it',
  salts: 'The salts',
  saltsText:
    'The salts are keys of 32 random bytes. Without them nobody can find out from the log what a record says, not even by guessing. When content is erased for legal reasons, its salts are erased with it.',
  recordSalt: 'Salt of the id',
  recordSaltHint:
    'The key of `record` in the entry, an HMAC-SHA-256 of the record’s id. It shows that the entry is of this record.',
  salt: 'Salt of the content',
  saltHint: 'The key of the commitment. It shows that this is what was published.',
  saltFor: 'You may not have it: it is for those who may read this version.',
  erased: 'It was erased.',
  path: 'From the entry to the root',
  pathText: (size: string): string =>
    `These hashes, put together with that of the entry (RFC 6962), make the root of the ${size} entries that are signed.`,
  noPath: 'There are none: the entry is the whole log.',
  checkpoint: 'The signed root',
  check: 'Check it yourself',
  file: 'The proof as a file (C2SP tlog-proof), to be kept, mailed or printed: {address}. With the key, anybody can check it later, without this service. For programs, the salt of the content needs an API key.',
  whole: 'That the whole register is complete and was not rewritten:',
  go: 'In Go, `note.Open` of `golang.org/x/mod/sumdb/note` checks the signature, `tlog.RecordHash` of `golang.org/x/mod/sumdb/tlog` makes the hash of the entry, and `tlog.CheckRecord` checks the hashes. Other software for transparency logs does the same.',
  hand: 'In JavaScript, `verifyProof()` of `gazette/proofs` checks the file.',
  carried: 'The signed proof, for later',
  carriedText:
    'Save this page as a file. With the key of the log, which you write down today, the file proves later what was recorded of this record, also once the register has withdrawn or changed it: `gazette verify FILE --vkey KEY`.',
  carriedNoWords:
    'It says that this record was recorded, and when, and not what it says: the proof of that is for those who may read the whole statement of the publisher, such as with an account. Save this page as a file; with the key of the log, `gazette verify FILE --vkey KEY` checks it.',
  carriedFile: 'The proof is too long for this page. Save this file, which proves the same: {address}.',
  verify: {
    title: 'Check what was signed',
    lead: 'The records in this folder were signed when they were recorded. This page checks in your browser that the folder says what was signed, word by word, and shows you that. It asks nobody else.',
    noScript:
      'This page needs a browser that runs scripts. Without one, `gazette verify FOLDER --vkey KEY` checks the folder.',
    key: 'Key of the register’s log',
    keyHint:
      'From somebody whom you trust, such as the authority’s own site, or as you noted it earlier: a key that comes with the folder proves nothing.',
    check: 'Check',
    folder: 'The folder with this page:',
    home: 'Check word by word that these registers say what was signed',
    /** What the script of the page writes. */
    script: {
      checking: 'Checking …',
      all: '{n} records: every word as signed',
      one: '1 record: every word as signed',
      some: '{n} of {all} records: every word as signed',
      upTo: 'Up to change {n} of the log {log}. The .json files of the pages were compared, and nothing else that they show. What the definition of the register says is not signed: which values the pages show, and under which labels.',
      other:
        'Other words than were signed, fewer, or twice, or an older version, or one that was withdrawn: {n}. What was signed of them, if this folder has it, follows.',
      unproved:
        'Not proved: {n}. This folder does not have what would prove what they say, or that they are in the log.',
      missing: 'Missing: {n}. They are in the log, and on no page.',
      ahead: 'Changes that are not signed yet: {n}. As many records may differ from the log.',
      position: 'Record at position {n}',
      proved: 'The records, as they were signed',
      more: 'Show more',
      signedAs: 'Version {version} ({cause}), recorded at {at}: signed as change {change} of {size} of the log {log}.',
      older: 'Not the newest: after this, change {n} of the log ({cause}) was recorded at {at}.',
      save: 'Save as evidence',
      saveHint:
        'A file with this record and its proof. With the key, anybody can check it later, also once the register has withdrawn the record: gazette verify FILE --vkey KEY.',
      evidence: 'With the key of the log, this proves what is above: gazette verify FILE --vkey KEY.',
      notProved: 'Not proved',
      badKey: 'This is no key of a register’s log. It looks like example.org/api/v1/feeds/permits/log/…+1a2b3c4d+A….',
      lacking: 'The file {file} is missing.',
      otherFile: 'The file {file} is not as it was written.',
      otherLog: 'The log in this folder is not the one that was signed.',
      otherLine: 'What this folder says of the record is not what was signed.',
      notSigned: 'The file {file} is not signed with this key.',
      notYet: 'This version of the record is not signed yet.',
      noLine: 'This folder does not have what would prove what the record says.',
      noEd25519:
        'This browser cannot check these signatures (Ed25519 in a page that was loaded by HTTPS). Take a newer one, or gazette verify.',
      choose: 'From a disk, a page may not read the files beside it: choose the folder above.',
      broken: 'Something in this folder cannot be read.',
    },
  },
};

/** The same in any language. */
export type ProofTexts = typeof enProof;

// What the desk says of registers that are made of files, and of how files are read, in English. Every other language has the same
// texts.

/** The texts that a language must have. */
export interface DeskMakingTexts {
  readonly heading: string;
  readonly lead: string;
  readonly readingLeave: string;
  readonly back: string;
  readonly listed: string;
  readonly asked: string;
  /** The same to the one for whom it waits. */
  readonly askedYou: string;
  readonly changedBy: string;
  readonly title: string;
  readonly foundLead: string;
  readonly askedLead: string;
  readonly waitsLead: string;
  readonly refused: readonly [one: string, more: string];
  readonly notAsChosen: string;
  readonly remarks: string;
  readonly first: string;
  readonly none: string;
  readonly fields: string;
  readonly field: Readonly<Record<'column' | 'label' | 'type' | 'values' | 'unused', string>>;
  readonly types: Readonly<Record<'text' | 'number' | 'integer' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'url' | 'json', string>>; // prettier-ignore
  readonly register: string;
  readonly form: {
    readonly title: string;
    readonly feed: string;
    readonly feedHint: string;
    readonly language: string;
    readonly unknownLanguage: string;
    readonly access: string;
    readonly open: string;
    readonly tiered: string;
  };
  readonly look: string;
  readonly make: string;
  readonly makeHint: string;
  readonly ask: string;
  readonly askHint: string;
  readonly approve: string;
  readonly approveHint: string;
  readonly discard: string;
  readonly discardHint: string;
  readonly changed: string;
  readonly done: Readonly<Record<'asked' | 'discarded' | 'same', string>>;
  /** The mail that says that a register waits to be made. */
  readonly mail: Readonly<Record<'subject' | 'text', string>>;
  readonly problems: Readonly<Record<'feed' | 'untitled' | 'exists' | 'outdated', string>>;
}

/** How a file was read, and what can be chosen of it. */
export interface DeskReadingTexts {
  readonly heading: string;
  readonly hint: string;
  readonly columns: string;
  readonly columnsHint: string;
  readonly unfilled: string;
  readonly forms: string;
  /** By the names of choices that are no fields; `id`, too, which readers know as the key. */
  readonly names: { readonly id: string } & Readonly<
    Record<
      | 'format'
      | 'encoding'
      | 'delimiter'
      | 'header'
      | 'dateFormat'
      | 'decimal'
      | 'order'
      | 'sheet'
      | 'missing'
      | 'unshown',
      string
    >
  >;
  readonly words: Readonly<
    Record<
      | ('none' | 'row' | 'columns' | 'unknown' | 'found' | 'comma' | 'point' | 'tab')
      | ('newest-first' | 'oldest-first' | 'by-date' | 'stay' | 'withdrawn' | 'kept' | 'allLeftOut' | 'oneLeftOut'),
      string
    >
  >;
  readonly again: string;
  readonly gone: string;
}

/** The texts. */
export const enMaking: DeskMakingTexts = {
  heading: 'Make a register of a file',
  lead: 'The file is read, and you see what a register of it would be. There is no register before you make it.',
  readingLeave:
    'This page shows what was found as soon as the file is read. You need not wait: your registers lead here.',
  back: 'Back to your registers',
  listed: 'Registers that are being made',
  asked: 'waits for another editor',
  askedYou: 'waits for you',
  changedBy: 'changed by {who}',
  title: 'A register of {file}',
  foundLead:
    'This is what was found in the file. Nothing is published yet. Change what is wrong, look at the first records again, and make the register.',
  askedLead: 'Editor {who} proposes this register. Nothing is published yet: making it publishes exactly this.',
  waitsLead: 'Other editors were asked to make this register. Nothing is published yet. It waits for seven days.',
  refused: ['1 row does not fit and is left out.', '{count} rows do not fit and are left out.'],
  notAsChosen: 'The file could not be read as you chose',
  remarks: 'Look at this',
  first: 'The first records, as readers will see them',
  none: 'No record can be published. Choose other columns, or upload another file.',
  fields: 'What the columns become',
  field: { column: 'Column', label: 'Becomes', type: 'Kind', values: 'Values', unused: 'nothing of its own' },
  types: {
    text: 'text',
    number: 'number',
    integer: 'whole number',
    decimal: 'decimal number',
    boolean: 'yes or no',
    date: 'date',
    datetime: 'date and time',
    url: 'web address',
    json: 'nested data',
  },
  register: 'The register',
  form: {
    title: 'Title',
    feed: 'Id, for its address',
    feedHint: 'Small letters a to z, digits and hyphens. It cannot be changed later.',
    language: 'Language of the records',
    unknownLanguage: 'not said',
    access: 'Who may read it',
    open: 'Everybody, all of it',
    tiered: 'Everybody the latest three records, the others with a key',
  },
  look: 'Look at the first records again',
  make: 'Make the register',
  makeHint: 'The register is made, and all of its records are published at once.',
  ask: 'Propose the register',
  askHint: 'Another editor looks at it and makes it. Until then there is nothing to read.',
  approve: 'Make the register',
  approveHint: 'The register is made as you see it here, and all of its records are published at once.',
  discard: 'Discard the file',
  discardHint: 'No register is made of it, and the file is deleted.',
  changed: 'You changed something: this is what the register would be now.',
  done: {
    asked: 'Other editors can make the register now.',
    discarded: 'The file was deleted. Nothing was made of it.',
    same: 'You changed nothing: the file is read as before.',
  },
  mail: {
    subject: 'A new register waits: {register} ({service})',
    text: 'editor {who} proposes the new register {register}, of the file {file}. It is not there before another editor makes it. Look at it:',
  },
  problems: {
    feed: 'Write an id of 1 to 64 small letters, digits and hyphens that does not begin with a hyphen.',
    untitled: 'Write a title.',
    exists: 'There is a register with this id. Choose another one.',
    outdated: 'The file is read otherwise by now. Look at it once more.',
  },
};

/** The texts. */
export const enReading: DeskReadingTexts = {
  heading: 'How the file was read',
  hint: 'If something here is wrong, choose otherwise: the file is read again, and this proposal is replaced.',
  columns: 'Columns',
  columnsHint: 'Which column fills which field',
  unfilled: 'No column fills: {names}.',
  forms: 'How it is written',
  names: {
    id: 'Key of a record',
    format: 'Format',
    encoding: 'Encoding of the text',
    delimiter: 'Between two fields',
    header: 'Row with the names of the columns',
    dateFormat: 'Dates',
    decimal: 'Amounts',
    sheet: 'Sheet',
    order: 'Order of the rows',
    missing: 'Published records that the file lacks',
    unshown: 'Columns that no field shows',
  },
  words: {
    none: 'no column',
    row: 'the whole row',
    columns: 'made of {text}',
    unknown: 'not known',
    found: 'as found',
    comma: 'decimal comma (1.234,56)',
    point: 'decimal point (1234.56)',
    tab: 'tab',
    'newest-first': 'newest first',
    stay: 'stay published',
    withdrawn: 'are withdrawn',
    kept: 'are kept, and go out with proofs: {text}',
    allLeftOut: 'are left out, of later files too',
    oneLeftOut: '{text} is left out, of later files too',
    'oldest-first': 'oldest first',
    'by-date': 'sorted by date of publication',
  },
  again: 'Read the file again',
  gone: 'The file is not kept any more. To have it read otherwise, discard this proposal and upload it again.',
};

// What the desk says of the settings of a register, in English. Every other language has the same texts.

/** The texts that a language must have. */
export interface DeskSettingsTexts {
  readonly heading: string;
  readonly lead: string;
  readonly proposal: string;
  /** What each setting is called, by its name. */
  readonly names: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  readonly described: string;
  readonly filters: string;
  readonly findings: string;
  readonly actions: Readonly<Record<'stop' | 'warn' | 'ignore', string>>;
  /** A choice that is made where nobody says otherwise. */
  readonly byDefault: string;
  readonly none: string;
  readonly button: string;
  readonly buttonProposed: string;
  readonly setting: string;
  readonly change: string;
  readonly done: string;
  /** What is wrong, by the member of the definition, or by the code of the error. */
  readonly problems: Readonly<Record<string, string>>;
}

/** The texts. */
export const enDeskSettings: DeskSettingsTexts = {
  heading: 'Settings',
  lead: 'How the register is described to readers, what they can filter by, and what stops an import until somebody says that it is meant.',
  proposal: 'What you set here is a proposal: another editor approves it.',
  names: {
    title: 'Title',
    description: 'Description',
    language: 'Language',
    rights: 'Licence',
    filterable: 'Fields that filter',
    fields: 'Fields',
    findings: 'What stops an import',
    order: 'Order of the rows',
    ignored: 'Columns that are ignored',
    reading: 'How its files are read',
  },
  hints: {
    language: 'Of the records.',
    rights: 'What readers may do with the records, such as CC BY 4.0.',
    filterable: 'Readers can choose records by their values.',
  },
  described: 'Description',
  filters: 'Filters',
  findings: 'What is found in a file',
  actions: { stop: 'stops the import', warn: 'is told, and stops nothing', ignore: 'is not told' },
  byDefault: '{action} (usual)',
  none: 'none',
  button: 'Save the settings',
  buttonProposed: 'Propose these settings',
  setting: 'Setting',
  change: 'Settings of the register',
  done: 'You changed the settings.',
  problems: {
    title: 'Write a title.',
    language: 'Choose a language.',
    rights: 'Write the licence as a text.',
    item_changed:
      'Nothing was done: somebody changed the settings since you opened this page. What you typed is below; where it differs, you see how it is set now. Look at both, and send it again.',
    invalid_option: 'Nothing was done: the register has these settings already.',
    invalid_definition: 'Nothing was done: the register cannot have these settings.',
    register_busy: 'Nothing was done: somebody works on this register at the moment. Try again in a moment.',
  },
};

// The editors of the desk, persons who work on registers there, and the log of what was done.

/**
 * What an editor does with a register: works on it, or only approves what others propose. `review` changes nothing by
 * itself.
 */
export type EditorRole = 'edit' | 'review';

/** Every role. The first one may do all that the second one may. */
export const EDITOR_ROLES: readonly EditorRole[] = ['edit', 'review'];

/** An editor. Times are RFC 3339 date-times. */
export interface Editor {
  /** `[a-z0-9][a-z0-9-]{0,63}`, chosen by the operator. */
  readonly name: string;
  /** Where the editor gets links to sign in, in lower case. Null once removed. Several editors may have one address. */
  readonly email: string | null;
  /** The registers, by their feed ids. Null: all, including future ones. */
  readonly feeds: readonly string[] | null;
  readonly role: EditorRole;
  readonly createdAt: string;
  /** When the editor was removed. Null: not. */
  readonly removedAt: string | null;
}

/** An editor to add. */
export type NewEditor = Omit<Editor, 'email' | 'removedAt'> & { readonly email: string };

/** What can change of an editor. Absent properties stay as they are. */
export type EditorChange = Partial<Pick<NewEditor, 'email' | 'feeds' | 'role'>>;

/** What can be done, by the names under which it stands in the log. */
export const DESK_ACTIONS = [
  'editor_added',
  'editor_changed',
  'editor_removed',
  'signed_in',
  'signed_out',
  'import_proposed',
  'import_approved',
  'import_approved_hand_kept',
  'import_discarded',
  'uploaded',
  'record_corrected',
  'record_withdrawn',
  'record_restored',
  'record_redacted',
  'register_proposed',
  'register_made',
  'settings_changed',
] as const;

/** One of {@link DESK_ACTIONS}. */
export type DeskAction = (typeof DESK_ACTIONS)[number];

/** Who does something. */
export interface Actor {
  /** The name of an editor, or of a user of the operating system; null if that is unknown. */
  readonly who: string | null;
  /** What the editor was then; `operator`: it was done on the command line. */
  readonly role: EditorRole | 'operator';
}

/** Something to be noted in the log. It never has a text of a record. */
export interface NewDeskEntry extends Actor {
  /** RFC 3339. */
  readonly at: string;
  readonly action: DeskAction;
  /** The register that it was done to. Null: none. */
  readonly feed: string | null;
  /** What it was done to: the name of an editor, the id of a record, the number of an import. Null: the register, or nothing. */
  readonly subject: string | null;
  /** Whether somebody is to be told of it by mail: {@link EditorStore.takeNotice}. Default false. */
  readonly isToTell?: boolean;
}

/** An entry of the log. */
export interface DeskEntry extends Omit<NewDeskEntry, 'isToTell'> {
  /** Rising. */
  readonly number: number;
}

/** Which entries of the log are listed. */
export interface DeskLogRange {
  /** 1..{@link DESK_LOG_PAGE_SIZE} */
  readonly limit: number;
  /** Only entries with a lower number. */
  readonly below?: number;
  /** Only what this editor did, and what was done to registers that the editor works on. Default: everything. `only` goes first. */
  readonly of?: Pick<Editor, 'name' | 'feeds'>;
  /** Only what was done to this register. Default: everything. */
  readonly only?: { readonly feed: string; readonly action: DeskAction };
}

/** The maximum number of entries in one result of {@link EditorStore.log}. */
export const DESK_LOG_PAGE_SIZE = 1000;

/** Who did it, and when, for the log. */
export type ByActor = Actor & { readonly at: string };

/** Editors. A change applies to every process on the store as soon as its promise resolves. */
export interface EditorStore {
  /**
   * Adds an editor, also one who was removed before, and notes it in the log.
   *
   * @throws GazetteError `editor_exists`, `unknown_feed`, `invalid_option`
   */
  add(editor: NewEditor, by: ByActor): Promise<Editor>;

  /** An editor who was not removed, or null. */
  editor(name: string): Promise<Editor | null>;

  /** All editors, removed ones too, by name. */
  editors(): Promise<readonly Editor[]>;

  /** The editors who get mail at an address, in any case, by name. */
  editorsOfEmail(email: string): Promise<readonly Editor[]>;

  /**
   * Changes the given properties and leaves the rest, ends the editor's sessions and link, and notes it in the log.
   *
   * @throws GazetteError `unknown_editor`, `unknown_feed`, `invalid_option`
   */
  change(name: string, change: EditorChange, by: ByActor): Promise<Editor>;

  /** Removes an editor with the address, the sessions and the link, and notes it in the log. @throws GazetteError `unknown_editor` */
  remove(name: string, by: ByActor): Promise<void>;

  /** Notes something in the log. @throws GazetteError `invalid_option` for the time */
  note(entry: NewDeskEntry): Promise<void>;

  /**
   * Takes an entry that somebody is to be told of, and was not. Only one caller gets it.
   *
   * @param options.now RFC 3339 @param options.until when it is taken again, unless {@link endNotice} was called
   */
  takeNotice(options: { readonly now: string; readonly until: string }): Promise<DeskEntry | null>;

  /** Everybody was told of an entry. */
  endNotice(number: number): Promise<void>;

  /** The log, newest first. @throws GazetteError `invalid_option` for the limit */
  log(range: DeskLogRange): Promise<readonly DeskEntry[]>;
}

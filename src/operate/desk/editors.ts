// The editors of the desk: who they are, what each may do with which register, and the log of what was done. The command
// line and the desk both use it.
import { GazetteError, quote } from '../../errors.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type {
  Actor,
  ByActor,
  DeskAction,
  DeskEntry,
  DeskLogRange,
  Editor,
  EditorChange,
  EditorStore,
  NewEditor,
} from '../../stores/contract/desk/editors.ts';
import { unknownEditor } from '../../stores/rows/accounts.ts';
import { unknownFeed } from '../../stores/rows/register.ts';

/**
 * What can be asked for on the desk: to see a register there, to change it or propose a change of it, to approve what
 * somebody else proposes, to make a register that is not there yet.
 */
export type DeskRight = 'see' | 'change' | 'approve' | 'make';

/** What an editor may do: of registers that were given, everything but making new ones; with the role `review` no change. */
export function mayDo({ role, feeds }: Pick<Editor, 'role' | 'feeds'>, right: DeskRight, feedId: string): boolean {
  if (right === 'make') return role === 'edit' && feeds === null;
  return (feeds === null || feeds.includes(feedId)) && (right !== 'change' || role === 'edit');
}

/**
 * Refuses what an editor may not do. A register of others is not there for her.
 *
 * @throws GazetteError `unknown_feed`, `editor_refused`
 */
export function checkMay(editor: Editor, right: DeskRight, feedId: string): void {
  if (mayDo(editor, right, feedId)) return;
  if (right !== 'make' && !mayDo(editor, 'see', feedId)) throw unknownFeed(feedId);
  const why = editor.role === 'review' ? 'the role review only approves' : 'her registers were chosen by the operator';
  throw new GazetteError('editor_refused', `editor ${quote(editor.name)} may not ${right} ${quote(feedId)}: ${why}`);
}

/** An editor as the one who does something. */
export function actorOf({ name, role }: Pick<Editor, 'name' | 'role'>): Actor {
  return { who: name, role };
}

/**
 * The editors of a store.
 *
 * @example
 * const editors = new Editors(SqliteStore.open(':memory:'));
 * await editors.add({ name: 'anna', email: 'anna@example.org' }, { who: 'root', role: 'operator' });
 */
export class Editors {
  readonly #editors: EditorStore;
  readonly #now: () => number;

  /** @param options.now the clock, in milliseconds since 1970. Default `Date.now` */
  constructor({ editors }: Pick<ServiceStore, 'editors'>, { now = Date.now }: { readonly now?: () => number } = {}) {
    this.#editors = editors;
    this.#now = now;
  }

  /**
   * Adds an editor. Default: for all registers, and not only to review.
   *
   * @throws GazetteError `editor_exists`, `unknown_feed`, `invalid_option`
   */
  add(
    { name, email, feeds = null, role = 'edit' }: Pick<NewEditor, 'name' | 'email'> & EditorChange,
    by: Actor,
  ): Promise<Editor> {
    const now = this.#by(by);
    return this.#editors.add({ name, email, feeds, role, createdAt: now.at }, now);
  }

  /** All, removed ones too, by name. */
  all(): Promise<readonly Editor[]> {
    return this.#editors.editors();
  }

  /** One editor. @throws GazetteError `unknown_editor` */
  async find(name: string): Promise<Editor> {
    const editor = await this.#editors.editor(name);
    if (editor === null) throw unknownEditor(name);
    return editor;
  }

  /** Changes what is given, and signs the editor out. @throws GazetteError `unknown_editor`, `unknown_feed`, `invalid_option` */
  change(name: string, change: EditorChange, by: Actor): Promise<Editor> {
    return this.#editors.change(name, change, this.#by(by));
  }

  /** Removes an editor, who is signed out at once. @throws GazetteError `unknown_editor` */
  remove(name: string, by: Actor): Promise<void> {
    return this.#editors.remove(name, this.#by(by));
  }

  /** Notes what was done. @param to the register, and what of it: no text of a record */
  note(
    by: Actor,
    action: DeskAction,
    { feed = null, subject = null }: Partial<Pick<DeskEntry, 'feed' | 'subject'>> = {},
  ): Promise<void> {
    return this.#editors.note({ ...this.#by(by), action, feed, subject });
  }

  /** What was done, newest first. @throws GazetteError `invalid_option` */
  log(range: DeskLogRange): Promise<readonly DeskEntry[]> {
    return this.#editors.log(range);
  }

  #by({ who, role }: Actor): ByActor {
    return { who, role, at: new Date(this.#now()).toISOString() };
  }
}

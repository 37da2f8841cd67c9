// Registers that editors make of files at the desk, as `gazette init` does: a file is uploaded, what a register of it would be is
// looked at and changed, and then the register is made and its records are taken in as an import that is approved at once. Under
// four eyes another editor does the last step, and until then there is no register that anybody could read.
import { createHash } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import { readingFound } from '../../import/from-file/guess-file.ts';
import { registerExists } from '../../stores/rows/register.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import { defineNew, Registers } from '../registers.ts';
import type { DeskImports } from './desk-imports.ts';
import { actorOf, checkMay, type Editors, mayDo } from './editors.ts';
import type { FourEyes } from './four-eyes.ts';
import type { Chosen, FoundUpload, Upload } from './upload-folder.ts';
import type { UploadsOptions } from './upload-work.ts';
import { Uploads } from './uploads.ts';

/** A register that still waits is told again after this time, in milliseconds. */
const DAY_MS = 24 * 3_600_000;

/** What the work needs. */
export interface NewRegistersOptions {
  readonly store: ServiceStore;
  readonly editors: Editors;
  readonly imports: DeskImports;
  readonly uploads: UploadsOptions;
  readonly approve: FourEyes;
  readonly now: () => number;
  /** Tells the editors for whom it is that a register waits for them. */
  readonly onAsked: (found: FoundUpload, isFor: (editor: Editor) => boolean) => Promise<void>;
  /** Is told what failed by no fault of a file. */
  readonly onError: (error: unknown) => void;
}

/** The registers that are being made. */
export class NewRegisters {
  /** The files that editors upload, for these and for registers that there are. */
  readonly uploads: Uploads;
  readonly #options: NewRegistersOptions;
  readonly #registers: Registers;

  constructor(options: NewRegistersOptions) {
    this.#options = options;
    const { store, now, onError } = options;
    this.#registers = new Registers(store, { now });
    this.uploads = new Uploads(options.uploads, {
      isWaiting: async (feedId, number) => {
        const waiting = await store.imports.proposals.waiting();
        return waiting.some((one) => one.feedId === feedId && one.number === number);
      },
      onAsked: (found) => this.#tell(found),
      onAbandoned: (upload) => this.#abandon(upload),
      onError,
    });
  }

  /** Those that an editor works on, or is asked to make. */
  async list(editor: Editor): Promise<readonly FoundUpload[]> {
    const all = await this.uploads.folder.all();
    const isOpen = (one: FoundUpload): boolean =>
      one.upload.feedId === null && one.upload.state !== 'failed' && isThere(one);
    return all.filter((one) => isOpen(one) && this.#maySee(editor, one.upload));
  }

  /** One of them. Null: there is none any more, or it is another's. */
  async find(editor: Editor, id: string): Promise<FoundUpload | null> {
    const found = await this.uploads.find(id);
    return found !== null && isThere(found) && this.#maySee(editor, found.upload) ? found : null;
  }

  /** Has the file read as an editor chose. @throws GazetteError `not_found`, `too_many_uploads` */
  async look(editor: Editor, id: string, chosen: Chosen): Promise<void> {
    await this.#own(editor, id);
    await this.uploads.again(id, { chosen, isAsked: false });
  }

  /** Asks other editors to make the register. @throws GazetteError `not_found`, `register_exists` */
  async ask(editor: Editor, id: string): Promise<void> {
    const { upload } = await this.#own(editor, id);
    await this.#checkFree(upload.plan!.feedId);
    await this.uploads.ask(id, true);
    const asked = await this.uploads.find(id);
    if (asked !== null) void this.#tell(asked);
    const proposed = { feed: upload.plan!.feedId, subject: upload.file };
    await this.#options.editors.note(actorOf(editor), 'register_proposed', proposed);
  }

  /** A file goes, and nothing is left of it. @throws GazetteError `not_found` */
  async discard(editor: Editor, id: string): Promise<void> {
    const found = await this.find(editor, id);
    if (found === null) throw unknown();
    await this.uploads.folder.remove(id);
  }

  /** Whether an editor may make the register now, and need not ask another one. */
  mayMake(editor: Editor, { who, isAsked }: Upload): boolean {
    const { approve } = this.#options;
    if (who === editor.name) return approve !== 'other' && mayDo(editor, 'make', '');
    return approve === 'other' && isAsked && isOfAll(editor);
  }

  /**
   * Begins to make the register, with all of its records.
   *
   * @param digest of what was read, as {@link digestOf} gives it
   * @throws GazetteError `not_found`, `editor_refused`, `register_exists`, `too_many_uploads`; `proposal_outdated` where it would be
   *   another one than was read
   */
  async make(editor: Editor, id: string, digest: string): Promise<void> {
    const { uploads } = this;
    const { imports, editors } = this.#options;
    const found = await this.find(editor, id);
    if (found?.upload.state !== 'found') throw unknown();
    const { upload } = found;
    if (!this.mayMake(editor, upload)) {
      throw new GazetteError('editor_refused', 'another editor makes this register');
    }
    if (digest !== digestOf(found)) throw new GazetteError('proposal_outdated', 'the file is read otherwise by now');
    const plan = upload.plan!;
    const { feedId, title, language, access, file, answer, options } = plan;
    await this.#checkFree(feedId);
    await uploads.again(id, { makes: feedId }, async (current, work) => {
      const members = { title, language, access, fields: answer.definition.fields };
      await this.#registers.add(defineNew(feedId, { members }, this.#options.now()));
      try {
        const reading = readingFound(file, answer, options);
        const number = await uploads.stage({ ...current, feedId, reading }, work);
        await editors.note(actorOf(editor), 'register_made', { feed: feedId });
        const { report, digest: read } = await imports.find(editor, feedId, number);
        // What stops the first import is decided on the page of its proposal.
        if (report?.findings.some(({ stops }) => stops) !== true) {
          await imports.approve(editor, feedId, number, { digest: read! });
        }
        return { state: 'proposed', feedId, number };
      } catch (error) {
        await this.#registers.remove(feedId);
        throw error;
      }
    });
  }

  /** Tells who can make a register that it waits, once a day, whichever process does. Never rejects. */
  async #tell(found: FoundUpload): Promise<void> {
    const { now, onAsked, onError } = this.#options;
    const { id, at, upload } = found;
    try {
      const day = Math.floor((now() - at) / DAY_MS);
      if (!(await this.uploads.folder.take(id, `told-${Math.floor(at)}-${day}`))) return;
      await onAsked(found, (one) => this.mayMake(one, upload) && one.name !== upload.who);
    } catch (error) {
      onError(error);
    }
  }

  /** What a process left that has ended while it made a register: the register goes, unless it has its records. */
  async #abandon({ makes }: Upload): Promise<void> {
    if (makes === null) return;
    const entry = await this.#options.store.register(makes);
    if (entry === null || entry.top > 0) return;
    const begun = await this.#options.store.imports.proposals.begun(makes);
    if (begun.length === 0) await this.#registers.remove(makes);
  }

  async #own(editor: Editor, id: string): Promise<FoundUpload> {
    checkMay(editor, 'make', '');
    const found = await this.uploads.find(id);
    if (found?.upload.who !== editor.name || found.upload.plan === null) throw unknown();
    return found;
  }

  #maySee(editor: Editor, { who, isAsked, feedId }: Upload): boolean {
    if (who === editor.name) return mayDo(editor, 'make', '') || feedId !== null;
    return isAsked && isOfAll(editor);
  }

  async #checkFree(feedId: string): Promise<void> {
    if ((await this.#options.store.register(feedId)) === null) return;
    throw registerExists(feedId);
  }
}

/** What was read of a register that is to be made: it is this one only while the same is shown. */
export function digestOf({ id, upload: { plan } }: FoundUpload): string {
  return createHash('sha256').update(id).update(JSON.stringify(plan)).digest('hex');
}

/** Whether an editor approves in all registers, new ones too. */
function isOfAll({ feeds }: Editor): boolean {
  return feeds === null;
}

/** Whether there still is a file of which a register can be made; one that failed is told of. */
function isThere({ upload, hasFile }: FoundUpload): boolean {
  return hasFile || upload.state !== 'found';
}

function unknown(): GazetteError {
  return new GazetteError('not_found', 'there is no such file any more');
}

// Files that editors upload: they are read beside what the process does otherwise, and lie on the disk as long as somebody may want
// to have them read otherwise. What became of a file is known for an hour longer.
import { randomBytes } from 'node:crypto';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { type FoundUpload, isOpen, type Upload, UploadFolder } from './upload-folder.ts';
import {
  MAX_UPLOAD_BYTES,
  type PlannedUpload,
  type UploadEvents,
  type UploadReading,
  type UploadsOptions,
  type UploadWork,
} from './upload-work.ts';

/** How many files are taken in, waiting or being read at once, in each process. */
const AT_ONCE = 8;

/** How many of them are read at once. */
const READ_AT_ONCE = 2;

/** How many files of one editor lie there: they take disk space. */
export const KEPT_OF_EDITOR = 5;

/** How often what becomes of a file is written down, in milliseconds. */
const NOTE_EVERY_MS = 1000;

const HOUR_MS = 3_600_000;

/** How long what became of a file is known, in milliseconds. It is longer than any file is on its way. */
const KNOWN_MS = HOUR_MS;

/** For how long a file waits for its editor to make a register of it, and for another one who is asked to. */
const [FOUND_MS, ASKED_MS] = [24 * HOUR_MS, 7 * 24 * HOUR_MS];

/** How often files are removed that nobody needs any more. */
const TIDY_EVERY_MS = 60_000;

/** Some work on a file. @returns what becomes of it */
type Work = (upload: Upload & PlannedUpload, work: UploadWork) => Promise<Partial<Upload>>;

/** What a file is when it has come. */
const NEW = { state: 'waiting', records: 0, number: null, reason: null, chosen: {}, plan: null, isAsked: false, makes: null, isTooLarge: false } as const; // prettier-ignore

/** The files that editors upload. */
export class Uploads {
  readonly maxBytes: number;
  /** The most bytes to which a file may unpack. */
  readonly maxUnpacked: number;
  /** As in {@link UploadReading}. */
  readonly stage: UploadReading['stage'];
  readonly #plan: UploadReading['plan'];
  /** Where they lie. */
  readonly folder: UploadFolder;
  readonly #events: UploadEvents;
  readonly #stopping = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #tidying: NodeJS.Timeout;
  #tidied: Promise<void> = Promise.resolve();
  #taken = 0;
  #read = 0;

  constructor({ folder, stage, plan, maxBytes = MAX_UPLOAD_BYTES }: UploadsOptions, events: UploadEvents) {
    this.folder = new UploadFolder(folder);
    this.stage = stage;
    this.#plan = plan;
    this.maxBytes = maxBytes;
    this.maxUnpacked = 5 * maxBytes;
    this.#events = events;
    const tidy = (): void => {
      this.#tidied = this.tidy().catch(events.onError);
    };
    tidy();
    this.#tidying = setInterval(tidy, TIDY_EVERY_MS).unref();
  }

  /**
   * Takes a file in, and has it read: staged for a register, or as one that a register may be made of.
   *
   * @param receive writes the file to a path, and gives its name; null where there is none
   * @returns by what it is found; null where there is none
   * @throws GazetteError `too_many_uploads`; `output_failed` for a folder that is another's; what `receive` throws, and nothing is left then
   */
  async take(
    { feedId, who }: Pick<Upload, 'feedId' | 'who'>,
    receive: (path: string) => Promise<string | null>,
  ): Promise<{ readonly id: string; readonly file: string } | null> {
    this.#enter();
    const id = randomBytes(16).toString('hex');
    let isBegun = false;
    try {
      await this.folder.make(id);
      const file = await receive(this.folder.pathOf(id));
      if (file === null) return null;
      await this.#makeRoom(who);
      const upload: Upload = { ...NEW, feedId, who, file };
      await this.folder.note(id, upload);
      await this.folder.lock(id);
      isBegun = true;
      this.#begin(id, upload, feedId === null ? this.#looking : this.#staging);
      return { id, file };
    } finally {
      if (!isBegun) {
        this.#taken--;
        await this.folder.remove(id);
      }
    }
  }

  /**
   * Has a file read once more, or something else done with it.
   *
   * @param change what is another than before. @param work default: it is staged, or looked at
   * @throws GazetteError `too_many_uploads`; `not_found` where the file is not there, or somebody works on it
   */
  async again(id: string, change: Partial<Upload>, work?: Work): Promise<void> {
    this.#enter();
    let isBegun = false;
    try {
      if (!(await this.folder.lock(id))) throw ended();
      const found = await this.folder.find(id);
      if (found === null || !found.hasFile || isOpen(found.upload)) {
        await this.folder.unlock(id);
        throw ended();
      }
      const { upload } = found;
      const next: Upload = { ...upload, ...change, state: 'waiting', records: 0, reason: null };
      await this.folder.note(id, next);
      isBegun = true;
      this.#begin(id, next, work ?? (upload.feedId === null ? this.#looking : this.#staging), upload);
    } finally {
      if (!isBegun) this.#taken--;
    }
  }

  /** Another editor is asked to make a register of a file, or is no more. @throws GazetteError `not_found` */
  async ask(id: string, isAsked: boolean): Promise<void> {
    const found = await this.folder.find(id);
    if (found?.upload.state !== 'found') throw ended();
    await this.folder.note(id, { ...found.upload, isAsked });
  }

  /** A file, and what became of it; null where it is not known, or no more. */
  async find(id: string): Promise<FoundUpload | null> {
    const found = await this.folder.find(id);
    return found?.isAbandoned === true ? { ...found, upload: abandoned(found.upload) } : found;
  }

  /** The file of a proposal, if it is still there. */
  async ofProposal(feedId: string, number: number): Promise<FoundUpload | null> {
    const isOf = ({ upload }: FoundUpload): boolean => upload.feedId === feedId && upload.number === number;
    return (await this.folder.all()).find((one) => isOf(one) && one.hasFile) ?? null;
  }

  /** Removes what nobody needs any more, and what processes left that were killed. */
  async tidy(): Promise<void> {
    const known = new Map((await this.folder.all()).map((one) => [one.id, one]));
    for (const id of await this.folder.ids()) {
      const found = known.get(id);
      if (found === undefined) {
        if (Date.now() - (await this.folder.lastWritten(id)) > KNOWN_MS) await this.folder.remove(id);
      } else if (found.isAbandoned) await this.#abandon(found);
      else if (!isOpen(found.upload)) await this.#tidyOne(found);
    }
  }

  /** Ends what is being read, whose files go, and waits for what is being tidied. */
  async close(): Promise<void> {
    clearInterval(this.#tidying);
    this.#stopping.abort();
    for (const begin of this.#waiting.splice(0)) begin();
    await Promise.all([...this.#working, this.#tidied]);
  }

  #enter(): void {
    if (this.#taken >= AT_ONCE || this.#stopping.signal.aborted) {
      throw new GazetteError('too_many_uploads', `at most ${AT_ONCE} files are taken in at once`);
    }
    this.#taken++;
  }

  readonly #staging: Work = async (upload, work) => {
    const staged = { ...upload, feedId: upload.feedId!, reading: null };
    return { state: 'proposed', number: await this.stage(staged, work) };
  };

  readonly #looking: Work = async (upload, work) => {
    return { state: 'found', plan: await this.#plan(upload, work) };
  };

  #begin(id: string, upload: Upload, work: Work, before: Upload | null = null): void {
    const working = this.#work(id, upload, work, before).finally(() => {
      this.#taken--;
      this.#working.delete(working);
    });
    this.#working.add(working);
  }

  /** Works on a file when it is its turn, and writes down what becomes of it. Never rejects. */
  async #work(id: string, upload: Upload, work: Work, before: Upload | null): Promise<void> {
    const { signal } = this.#stopping;
    const { onError } = this.#events;
    let now = upload;
    let noting = Promise.resolve();
    const note = (change: Partial<Upload>): Promise<void> => {
      now = { ...now, ...change };
      noting = noting.then(() => this.folder.note(id, now)).catch(onError);
      return noting;
    };
    const beating = setInterval(() => void note({}), NOTE_EVERY_MS);
    try {
      await this.#turn();
      throwIfAborted(signal);
      await note({ state: 'reading' });
      const onProgress = (records: number): void => {
        now = { ...now, records };
      };
      const file = { ...upload, path: this.folder.pathOf(id), maxUnpacked: this.maxUnpacked };
      await note({ ...(await work(file, { signal, onProgress })), makes: null });
    } catch (error) {
      const isKnown = isGazetteError(error) && error.code !== 'internal_error' && error.code !== 'aborted';
      if (!isKnown && !signal.aborted) onError(error);
      const reason = isKnown ? error.message : null;
      // What was known before of a file is still so.
      const isTooLarge = isGazetteError(error, 'body_too_large');
      await note(before === null ? { state: 'failed', reason, isTooLarge } : { ...before, reason });
    } finally {
      clearInterval(beating);
      this.#read--;
      this.#waiting.shift()?.();
      await noting;
      await this.folder.unlock(id).catch(onError);
      if (now.state === 'failed') await this.folder.removeFile(id).catch(onError);
      // It may have been decided about while it was made.
      if (now.state === 'proposed') await this.#tidyProposed(id, now).catch(onError);
    }
  }

  /** Waits until fewer are read than may be. */
  async #turn(): Promise<void> {
    if (++this.#read <= READ_AT_ONCE) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The oldest files of an editor go for a new one; not those that another editor is to make a register of. */
  async #makeRoom(who: string): Promise<void> {
    const own = (await this.folder.all()).filter(
      ({ upload, hasFile }) => upload.who === who && hasFile && !isOpen(upload),
    );
    const free = own.filter(({ upload }) => !upload.isAsked);
    const over = own.length + 1 - KEPT_OF_EDITOR;
    if (over > free.length) {
      const message = `${KEPT_OF_EDITOR} files of editor ${who} wait for another editor; one has to be decided first`;
      throw new GazetteError('too_many_uploads', message);
    }
    for (const { id } of free.slice(0, Math.max(over, 0))) await this.folder.removeFile(id);
  }

  async #abandon({ id, upload }: FoundUpload): Promise<void> {
    await this.#events.onAbandoned(upload);
    await this.folder.note(id, abandoned(upload));
    await this.folder.unlock(id);
    if (abandoned(upload).state === 'failed') await this.folder.removeFile(id);
  }

  async #tidyOne(found: FoundUpload): Promise<void> {
    const { id, upload, at, hasFile } = found;
    const { state, isAsked } = upload;
    const age = Date.now() - at;
    if (state === 'proposed' && hasFile) await this.#tidyProposed(id, upload);
    else if (age > (state !== 'found' || !hasFile ? KNOWN_MS : isAsked ? ASKED_MS : FOUND_MS)) {
      await this.folder.remove(id);
    } else if (isAsked) await this.#events.onAsked(found);
  }

  /** The file of a proposal stays as long as that waits. */
  async #tidyProposed(id: string, { feedId, number }: Upload): Promise<void> {
    if (!(await this.#events.isWaiting(feedId!, number!))) await this.folder.removeFile(id);
  }
}

/** What is left of the work of a process that has ended. */
function abandoned(upload: Upload): Upload {
  const { plan, number } = upload;
  const state = number !== null ? 'proposed' : plan !== null ? 'found' : 'failed';
  return { ...upload, state, makes: null };
}

function ended(): GazetteError {
  return new GazetteError('not_found', 'the file is not there any more, or it is being worked on');
}

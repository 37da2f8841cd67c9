// Mails that somebody is to be told by, looked for from time to time and sent one after the other, by whichever process takes each.

/** How often it is looked for them, in milliseconds. */
const LOOK_EVERY_MS = 60_000;

/** Sends mails as long as there are any. */
export class Notices {
  readonly #sendOne: () => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> = Promise.resolve();

  /**
   * @param sendOne takes the next and sends it; false: there is none
   * @param onError called with every failure
   */
  constructor(sendOne: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#sendOne = sendOne;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.send(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Sends what is to be sent at this moment. */
  send(): Promise<void> {
    this.#work = this.#work.then(async () => {
      try {
        while (await this.#sendOne());
      } catch (error) {
        this.#onError(error);
      }
    });
    return this.#work;
  }

  /** Waits for mails under way, and sends none any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}

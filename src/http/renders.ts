// A crowd at once: requests that ask for the same page at the same time share the bytes that the first of them renders.
// What is shared holds nothing of a caller: the key is the entity tag, which covers the tier, the revision and everything
// else that shapes the bytes. The caller authenticates everybody who has waited again.
import type { WrittenBody } from '../web/representation.ts';

/** A render on its way. */
interface Render {
  readonly written: Promise<WrittenBody>;
  readonly abandoned: AbortController;
  /** How many requests wait for it. */
  waiting: number;
}

/** How often a request waits for others whose renders fail, before it renders for itself alone. */
const MAX_JOINED = 2;

/** The renders of a service that are on their way. */
export class Renders {
  readonly #running = new Map<string, Render>();

  /**
   * Renders, or waits for the request that renders the same already. If that one fails, its error is its own: those who
   * waited render again, one of them for all.
   *
   * @param key the strong entity tag of what is rendered
   * @param caller the signal of this request. If it goes away, the others still get their bytes
   * @param render is given a signal that aborts once all who waited have gone away
   * @throws the errors of `render`, and the reason of `caller` if it has aborted before
   */
  async share(
    key: string,
    caller: AbortSignal,
    render: (signal: AbortSignal) => Promise<WrittenBody>,
  ): Promise<{ readonly written: WrittenBody; readonly hasWaited: boolean }> {
    for (let joined = 0; joined < MAX_JOINED; joined++) {
      caller.throwIfAborted();
      const running = this.#running.get(key);
      if (running === undefined) {
        return { written: await this.#wait(key, this.#start(key, render), caller), hasWaited: joined > 0 };
      }
      try {
        return { written: await this.#wait(key, running, caller), hasWaited: true };
      } catch (error) {
        // Otherwise the request that rendered reports it.
        if (caller.aborted) throw error;
      }
    }
    return { written: await render(caller), hasWaited: true };
  }

  #start(key: string, write: (signal: AbortSignal) => Promise<WrittenBody>): Render {
    const abandoned = new AbortController();
    const written = write(abandoned.signal).finally(() => {
      if (this.#running.get(key) === render) this.#running.delete(key);
    });
    const render: Render = { written, abandoned, waiting: 0 };
    this.#running.set(key, render);
    return render;
  }

  async #wait(key: string, render: Render, caller: AbortSignal): Promise<WrittenBody> {
    render.waiting++;
    const leave = (): void => {
      if (--render.waiting > 0) return;
      // Nobody must join what will not be finished.
      this.#running.delete(key);
      render.abandoned.abort(caller.reason);
    };
    caller.addEventListener('abort', leave, { once: true });
    try {
      return await render.written;
    } finally {
      caller.removeEventListener('abort', leave);
    }
  }
}

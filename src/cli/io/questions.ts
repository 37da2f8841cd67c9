// Questions at a terminal, answered one after the other. The terminal edits the lines itself, so that Ctrl-C is the signal
// that ends every command.
import { createInterface, type Interface } from 'node:readline/promises';
import { GazetteError } from '../../errors.ts';
import type { Io } from './io.ts';

/** A conversation with the user. Close it. */
export class Questions {
  readonly #io: Io;
  readonly #terminal: Interface;
  readonly #lines: AsyncIterator<string>;

  /** @param signal ends the conversation */
  constructor(io: Io, signal: AbortSignal) {
    this.#io = io;
    this.#terminal = createInterface({ input: io.stdin, terminal: false, signal });
    this.#lines = this.#terminal[Symbol.asyncIterator]();
  }

  /**
   * The answer; an empty line is the default.
   *
   * @throws GazetteError `aborted` when the input ends
   */
  async ask(question: string, otherwise = ''): Promise<string> {
    this.#io.stderr.write(`${question}${otherwise === '' ? '' : ` [${otherwise}]`}: `);
    const next = await this.#lines.next();
    if (next.done === true) throw new GazetteError('aborted', 'nothing was written');
    const answer = next.value.trim();
    return answer === '' ? otherwise : answer;
  }

  /** Whether the user agrees; an empty line is the default. @throws GazetteError `aborted` when the input ends */
  async agree(question: string, otherwise: boolean): Promise<boolean> {
    const answer = await this.ask(`${question} ${otherwise ? '[Y/n]' : '[y/N]'}`);
    return answer === '' ? otherwise : /^(?:y|yes|j|ja)$/i.test(answer);
  }

  /** Ends the conversation. */
  close(): void {
    this.#terminal.close();
  }
}

// A query whose rows come by COPY in binary form, over a connection of `pg`. To read a register takes three fifths of the
// processor time that it takes by rows which the driver makes. pg runs whatever has a `submit()`, as pg-cursor does; a pool that
// is not pg's own runs only statements.

/** What a CopyOut needs of pg's Connection. */
interface Wire {
  /** Sends a text by the simple protocol. */
  query(text: string): void;
  /** Says that there is nothing to copy into the server. */
  sendCopyFail(message: string): void;
}

/** The bytes that are made room for at first: a batch of a walk has some hundred thousand. */
const FIRST_LENGTH = 2 ** 18;

const NOTHING = Buffer.alloc(0);

/** Whether the clients of a pool are pg's own in JavaScript: those of pg-native have no connection, nor have those of wrappers. */
export function takesCopies(pool: object): boolean {
  const { Client, options } = pool as {
    readonly Client?: { readonly Query?: { readonly prototype?: { readonly handleCopyData?: unknown } } };
    readonly options?: { readonly pipeline?: unknown };
  };
  // In pipeline mode, pg refuses whatever is not a statement.
  return typeof Client?.Query?.prototype?.handleCopyData === 'function' && options?.pipeline !== true;
}

/**
 * A statement with whole numbers, or null, in place of its parameters: COPY takes none.
 *
 * @throws TypeError for a parameter of another kind, which would have to be quoted
 */
export function withNumbers(text: string, values: readonly unknown[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1];
    if (value === null) return 'NULL';
    if (typeof value === 'number' && Number.isSafeInteger(value)) return `(${value})`;
    throw new TypeError(`the parameter $${number} of a copied query must be a whole number or null`);
  });
}

/** A COPY to this process, as pg runs it; the pool's promise ends when all bytes are there. */
export class CopyOut {
  readonly text: string;
  readonly rowMode = 'array' as const;
  readonly query_timeout: number;
  /** Set by pg. */
  callback?: (error: unknown, result?: { rows: []; rowCount: null }) => void;
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;
  #failure: Error | null = null;

  /**
   * @param query without parameters
   * @param memory what to write to while it is large enough. Default: memory of its own
   */
  constructor(query: string, timeoutMs: number, memory?: ArrayBuffer) {
    this.#bytes = memory === undefined ? Buffer.allocUnsafeSlow(FIRST_LENGTH) : Buffer.from(memory);
    this.text = `COPY (${query}) TO STDOUT (FORMAT binary)`;
    this.query_timeout = timeoutMs;
  }

  /** All that was copied, once: with a time limit, pg's finished queries stay in memory until all of it is collected. */
  take(): Buffer<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return bytes;
  }

  submit(wire: Wire): null {
    wire.query(this.text);
    return null;
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // pg's parser writes over these bytes later: they are copied. What is thrown here would end the process.
    if (this.#failure !== null) return;
    try {
      this.#add(chunk);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  #add(chunk: Buffer): void {
    const end = this.#length + chunk.length;
    if (end > this.#bytes.length) {
      const longer = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      longer.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = longer;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = end;
  }

  handleError(error: unknown): void {
    // What still comes after a time limit has no place: others use the memory.
    this.#failure ??= error as Error;
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.callback?.(null, { rows: [], rowCount: null });
    else this.callback?.(this.#failure);
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('there is nothing to copy into the server');
  }

  handleCommandComplete(): void {
    // What matters is that the server is ready again.
  }

  handleRowDescription(): void {
    // A COPY has none.
  }

  handleDataRow(): void {
    // A COPY has none.
  }

  handlePortalSuspended(): void {
    // Only the extended protocol has portals.
  }

  handleEmptyQuery(): void {
    // The text is never empty.
  }
}

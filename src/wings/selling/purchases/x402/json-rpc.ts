// A client of Ethereum's JSON-RPC over HTTP, for the few methods that reading payments needs. It retries nothing: who
// calls it does, or says that nobody knows yet.
import { isObject } from '../../../../checks.ts';
import { GazetteError } from '../../../../errors.ts';
import type { ChainOptions } from './options.ts';

/** How a chain is asked. */
export type RpcOptions = Pick<ChainOptions, 'url' | 'timeoutMs' | 'fetch'>;

const DEFAULT_TIMEOUT_MS = 10_000;

/** An answer is longer only by mistake: a transaction has some logs of a few hundred bytes each. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** What nodes say of a call that its contract reverts. Other codes are about the node: too many questions, too old a block. */
const REVERTED: readonly unknown[] = [3, -32_000];

/** Asks a node. Every failure is `payment_unavailable`. */
export class JsonRpc {
  readonly #options: RpcOptions;
  readonly #host: string;
  #id = 0;

  /** @throws GazetteError `invalid_option` for an address that is not http(s) */
  constructor(options: RpcOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new GazetteError('invalid_option', 'the address of a chain’s node must be an http or https URL');
    }
    this.#options = options;
    this.#host = url.host;
  }

  /** @returns the member `result` of the answer; @throws GazetteError `payment_unavailable` */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    this.#id += 1;
    const answer = await this.#post(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }), method);
    if (isObject(answer) && 'result' in answer) return answer.result;
    const error = isObject(answer) && isObject(answer.error) ? answer.error : null;
    const code = error === null ? '' : ` (error ${String(error.code)})`;
    throw this.failed(method, `answered without a result${code}`, { isAnswered: REVERTED.includes(error?.code) });
  }

  /**
   * The error for an answer that is not what was asked for.
   *
   * @param options.isAnswered whether the node says that the question has no answer: asking again does not help
   */
  failed(
    method: string,
    what: string,
    { cause, isAnswered = false }: { readonly cause?: unknown; readonly isAnswered?: boolean } = {},
  ): GazetteError {
    const message = `the chain’s node at ${this.#host} ${what} to ${method}`;
    return new GazetteError('payment_unavailable', message, { cause, details: { isAnswered } });
  }

  async #post(body: string, method: string): Promise<unknown> {
    const { url, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = fetch } = this.#options;
    try {
      const response = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) throw new Error('too long');
      const answer: unknown = await response.json();
      return answer;
    } catch (cause) {
      throw this.failed(method, 'gave no usable answer', { cause });
    }
  }
}

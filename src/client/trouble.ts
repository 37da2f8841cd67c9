// What keeps a request from being answered: what a service says of it, what `fetch` says, silence, and waits.

import type { GazetteError } from '../errors.ts';

/** Why a request may be repeated, and the wait that the service asks for. */
export interface Failed {
  readonly failure: GazetteError;
  readonly asksForMs: number;
}

/** The problem details (RFC 9457) in an answer, which may contain anything. */
export function problemOf(
  body: Uint8Array,
  hide: (text: string) => string,
): { readonly code?: string; readonly detail?: string } {
  try {
    const problem = JSON.parse(new TextDecoder().decode(body)) as {
      readonly code?: unknown;
      readonly detail?: unknown;
    } | null;
    return {
      ...(typeof problem?.code === 'string' ? { code: hide(problem.code) } : {}),
      ...(typeof problem?.detail === 'string' ? { detail: hide(problem.detail) } : {}),
    };
  } catch {
    // A page for people, or nothing: only the status is used.
    return {};
  }
}

/** Whether a status says that a service, or a proxy before it, cannot answer now. */
export function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** `fetch` hides the cause behind "fetch failed"; a refusal at all addresses of a name has a code alone, and TLS lines for its makers. */
export function messageOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const { reason, code } = cause as { readonly reason?: unknown; readonly code?: unknown };
  return `${message} (${typeof reason === 'string' ? reason : cause.message || String(code)})`;
}

/**
 * Whether `fetch` refuses to send a request: a blocked port is the only reason that the checks of a URL do not cover.
 */
export function isUnaskable(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'bad port';
}

export function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done();
  });
}

/** Ends what a signal is given to if the work takes longer than so many milliseconds. */
export async function endingSilence<T>(silence: AbortController, ms: number, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    silence.abort(new DOMException(`nothing came within ${ms} ms`, 'TimeoutError'));
  }, ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

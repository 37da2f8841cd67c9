// How the processes of a benchmark answer each other.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The child's next message. @throws Error when it ends without one. */
export async function nextMessage<T>(child: ChildProcess, what: string): Promise<T> {
  const gone = new AbortController();
  try {
    const message = once(child, 'message', { signal: gone.signal }) as Promise<[T]>;
    const exit = once(child, 'exit', { signal: gone.signal }) as Promise<[number | null, string | null]>;
    const first = await Promise.race([message.then(([value]) => ({ value })), exit.then(([code]) => ({ code }))]);
    if ('value' in first) return first.value;
    throw new Error(`${what} ended with ${first.code ?? 'a signal'}; its message stands above`);
  } finally {
    // Both waits end here; the loser's rejection belongs to nobody.
    gone.abort();
  }
}

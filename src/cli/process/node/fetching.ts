// The `fetch` of the program. That of Node 22 and 24 ends the process when a server closes the connection behind an answer that is
// read more slowly than it comes (nodejs/undici#5360): each server of HTTP/1.0 does, and any that was told `Connection: close`.

/** Under this name Node keeps what sends the requests of its `fetch`. */
const SENDER = Symbol.for('undici.globalDispatcher.1');

/** Has the package undici send what `fetch` asks for, from the first request on: loading it takes 50 ms. */
export function mendFetch(): void {
  const { fetch } = globalThis;
  let mended: Promise<void> | null = null;
  globalThis.fetch = async (...request) => {
    await (mended ??= takeOver());
    return fetch(...request);
  };
}

async function takeOver(): Promise<void> {
  // Node asks proxies where it was told to (NODE_USE_ENV_PROXY, --use-env-proxy). Looked at first: the package may take its place when loaded.
  const { [SENDER]: sender } = globalThis as { readonly [SENDER]?: object };
  const { Agent, EnvHttpProxyAgent, setGlobalDispatcher } = await import('./undici.ts');
  setGlobalDispatcher(sender?.constructor.name === 'EnvHttpProxyAgent' ? new EnvHttpProxyAgent() : new Agent());
}

// The `fetch` of the program. That of Node 22 and 24 ends the process when a server closes the connection behind an answer that is
// read more slowly than it comes (nodejs/undici#5360): each server of HTTP/1.0 does, and any that was told `Connection: close`.

/** Under these names Node keeps what sends the requests of its `fetch`. */
const SENDERS = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

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
  const known = globalThis as Readonly<Record<symbol, object | undefined>>;
  const asksProxies = SENDERS.some((name) => known[name]?.constructor.name === 'EnvHttpProxyAgent');
  const { Agent, EnvHttpProxyAgent, setGlobalDispatcher } = await import('./undici.ts');
  // Over HTTP/2 it takes an answer without a length that its server broke off (RST_STREAM) for a whole one.
  const options = { allowH2: false };
  setGlobalDispatcher(asksProxies ? new EnvHttpProxyAgent(options) : new Agent(options));
}

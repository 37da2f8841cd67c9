// Exports from Cloudflare Workers. In wrangler.toml: main = "worker.ts" and compatibility_flags = ["nodejs_compat"], because
// workbooks are compressed by node:zlib.
import { exportHandler } from 'gazette';
import { permits } from './permits.ts';

const handle = exportHandler(permits);

/** Workers call `fetch` of what the module exports as its default. */
const worker = {
  fetch(request: Request): Promise<Response> {
    return handle(request);
  },
};

export { worker as default };

// Exports from Bun's own server: bun examples/bun.ts, then http://127.0.0.1:8080/feeds/permits/records/export.csv
import { exportHandler } from 'gazette';
import { permits } from './permits.ts';

/** What is used of Bun, so that this file needs none of its types. */
declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: (request: Request) => Promise<Response>;
  }): { readonly url: URL };
};

const server = Bun.serve({
  port: Number(process.env.PORT ?? 8080),
  hostname: '127.0.0.1',
  fetch: exportHandler(permits),
});
console.log(new URL('/feeds/permits/records/export.csv', server.url).href);

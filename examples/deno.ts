// Exports from Deno's own server, in a project where gazette is installed:
// deno run --allow-net --allow-env --allow-read deno.ts, then http://127.0.0.1:8080/feeds/permits/records/export.csv
import process from 'node:process';
import { exportHandler } from 'gazette';
import { permits } from './permits.ts';

/** What is used of Deno, so that this file needs none of its types. */
declare const Deno: {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
};

const port = Number(process.env.PORT ?? 8080);
const onListen = (): void => {
  console.log(`http://127.0.0.1:${port}/feeds/permits/records/export.csv`);
};
Deno.serve({ port, hostname: '127.0.0.1', onListen }, exportHandler(permits));

// The interactive reference: Swagger UI for openapi.json, served by the service itself. It works offline and under a
// policy that blocks all other hosts.
//
// Swagger UI was chosen because it is the best maintained of its kind, consists of one script and one style sheet that
// need neither `unsafe-inline` nor `unsafe-eval`, and sends real requests. Its files come from @fastify/swagger-ui, not
// from swagger-ui-dist, whose dependency reports every installation to a third party. Rejected: openapi-explorer and
// RapiDoc (inline styles, generated code), Scalar (some fifty packages), Redoc (sends no requests). It is a development
// dependency: the build copies its two files next to this module, so installing gazette installs no package for it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

const gunzip = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(zlib.gunzip);

/** A file of the reference. */
export interface ReferenceFile {
  readonly mediaType: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>API reference</title>
    <link rel="stylesheet" href="reference/swagger-ui.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    <main id="reference"></main>
    <script src="reference/swagger-ui-bundle.js"></script>
    <script src="reference/start.js"></script>
  </body>
</html>
`;

/**
 * No validator badge, because it would be fetched from another host. The theme is dark or light as in the user's
 * system.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const wear = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', wear);
wear();
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** The files by their name below `/reference/`; the page itself has the empty name. */
export const REFERENCE_FILES: ReadonlyMap<string, ReferenceFile> = new Map([
  ['', { mediaType: 'text/html; charset=utf-8', read: () => Promise.resolve(new TextEncoder().encode(PAGE)) }],
  [
    'start.js',
    { mediaType: 'text/javascript; charset=utf-8', read: () => Promise.resolve(new TextEncoder().encode(START)) },
  ],
  [
    'swagger-ui-bundle.js',
    { mediaType: 'text/javascript; charset=utf-8', read: () => packaged('swagger-ui-bundle.js') },
  ],
  ['swagger-ui.css', { mediaType: 'text/css; charset=utf-8', read: () => packaged('swagger-ui.css') }],
]);

/**
 * The page's content security policy: our script, our style sheet, and requests to this service. @param api URL of the
 * service
 */
export function referencePolicy(api: string): string {
  const service = new URL(api).origin;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Swagger UI's icons are in its style sheet.
    "img-src 'self' data:",
    `connect-src 'self' ${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function packaged(name: string): Promise<Uint8Array<ArrayBuffer>> {
  // In the package the compressed files are next to this module; in the source tree npm has installed them.
  if (!import.meta.url.endsWith('.ts'))
    return gunzip(await readFile(new URL(`./reference/${name}.gz`, import.meta.url)));
  return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${name}`)));
}

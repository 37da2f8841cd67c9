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
import { HEADER_STYLE } from '../../templates/style.ts';

const decompress = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(zlib.brotliDecompress);

/** A file of the reference. */
export interface ReferenceFile {
  readonly mediaType: string;
  /** @param header the site's header, as HTML; empty: there is none */
  read(header: string): Promise<Uint8Array<ArrayBuffer>>;
}

const page = (header: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>API reference</title>
    <link rel="stylesheet" href="reference/swagger-ui.css">
    <link rel="stylesheet" href="reference/reference.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    ${header}
    <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="content" tabindex="-1"><div id="reference"></div></div>
    <script src="reference/swagger-ui-bundle.js"></script>
    <script src="reference/start.js"></script>
  </body>
</html>
`;

/**
 * What Swagger UI's own style lacks of WCAG 2.2 AA: contrast (1.4.3), reflow (1.4.10), a focus that is seen (2.4.7).
 */
const STYLE = `${HEADER_STYLE}#content:focus { outline: none; }
.swagger-ui .info .title small pre { background: #545c66; }
.swagger-ui .info .title small.version-stamp { background: #3c6a00; }
.swagger-ui .info .title small.version-stamp pre { background: none; }
.swagger-ui .info a, .swagger-ui .info a .url { color: #0a4fa0; }
.swagger-ui .btn.authorize { color: #0b6b40; border-color: #0b6b40; }
.swagger-ui .btn.authorize span { color: inherit; }
.swagger-ui .btn.authorize svg { fill: currentColor; }
.swagger-ui .opblock .opblock-summary-method { color: #fff !important; background: #0a5aa8 !important; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14713f !important; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e !important; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6e62 !important; }
.swagger-ui .opblock-tag { color: #1a1d21; }
.swagger-ui .json-schema-2020-12-expand-deep-button, .swagger-ui .json-schema-2020-12__attribute--muted { color: #545454; }
.swagger-ui .json-schema-2020-12__constraint--string { background-color: #855500; }
.swagger-ui .markdown th, .swagger-ui .markdown td, .swagger-ui .renderedMarkdown th, .swagger-ui .renderedMarkdown td { overflow-wrap: anywhere; min-width: 0; }
.swagger-ui .renderedMarkdown table { table-layout: fixed; width: 100%; }
.swagger-ui :focus-visible { outline: 3px solid #0a4fa0 !important; outline-offset: 2px; }
.dark-mode .swagger-ui .info a, .dark-mode .swagger-ui .info a .url { color: #8cbcf5; }
.dark-mode .swagger-ui .btn.authorize { color: #6fe0a8; border-color: #6fe0a8; }
.dark-mode .swagger-ui .opblock-tag { color: #e5e8eb; }
.dark-mode .swagger-ui .json-schema-2020-12-expand-deep-button { color: #c4cbd2; }
.dark-mode .swagger-ui :focus-visible { outline-color: #8cbcf5 !important; }
@media (prefers-reduced-motion: reduce) { .swagger-ui * { transition: none !important; animation: none !important; } }
`;

/**
 * No validator badge, because it would be fetched from another host. The theme is dark or light as in the user's
 * system. What assistive technology lacks of Swagger UI's elements is added as they appear: names, levels of headings, and
 * one control where a button holds a link.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const wear = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', wear);
wear();
const reference = document.querySelector('#reference');
const say = (selector, attributes) => {
  for (const element of reference.querySelectorAll(selector))
    for (const [name, value] of Object.entries(attributes))
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};
const mend = () => {
  say('.information-container section', { 'aria-label': 'About this interface' });
  say('section.schemes', { 'aria-label': 'Server and key' });
  say('#servers', { 'aria-label': 'Server' });
  say('section.models > h4', { role: 'heading', 'aria-level': '2' });
  for (const link of reference.querySelectorAll('button a[href]')) link.removeAttribute('href');
};
new MutationObserver(mend).observe(reference, { childList: true, subtree: true });
/** A padlock says that a key is needed: none stands where one may be sent, and is not needed. */
const padlocks = () => ({
  wrapComponents: {
    OperationSummary: (Summary, { React }) => (props) => {
      const { operationProps } = props;
      const isOptional = operationProps.get('security')?.some((one) => one.isEmpty()) === true;
      const shown = isOptional ? operationProps.set('security', null) : operationProps;
      return React.createElement(Summary, { ...props, operationProps: shown });
    },
  },
});
SwaggerUIBundle({
  plugins: [padlocks],
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** The files by their name below `/reference/`; the page itself has the empty name. */
export const REFERENCE_FILES: ReadonlyMap<string, ReferenceFile> = new Map([
  ['', { mediaType: 'text/html; charset=utf-8', read: (header: string) => written(page(header)) }],
  ['start.js', { mediaType: 'text/javascript; charset=utf-8', read: () => written(START) }],
  ['reference.css', { mediaType: 'text/css; charset=utf-8', read: () => written(STYLE) }],
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

function written(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return Promise.resolve(new TextEncoder().encode(text));
}

async function packaged(name: string): Promise<Uint8Array<ArrayBuffer>> {
  // In the package the compressed files are next to this module; in the source tree npm has installed them.
  if (!import.meta.url.endsWith('.ts'))
    return decompress(await readFile(new URL(`./reference/${name}.br`, import.meta.url)));
  return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${name}`)));
}

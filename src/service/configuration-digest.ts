// A digest of everything in a service's configuration that shapes its answers, so that a restart without a change is seen to be one.
import { createHash } from 'node:crypto';
import type { Format } from '../formats/format.ts';
import { VERSION } from '../version.ts';
import type { GazetteOptions } from './gazette-options.ts';
import type { Plugin } from './plugins/plugin.ts';

/** Whether an option shapes what is answered. Formats and what is code are told in another way. */
const SHAPES = {
  ...{ product: true, baseUrl: true, trustProxy: true, trustForwardedHost: true, anyPrefix: true, allowBasic: true },
  ...{ title: true, contact: true, termsUrl: true, licenceUrl: true, keysUrl: true },
  ...{ limits: true, tiers: true, formatOptions: true, pages: true, desk: true, approve: true, mcp: true },
  ...{ formats: false, endpoints: false, uploads: false, uploadReading: false, mail: false, providers: false },
  ...{ store: false, limitCounter: false, cacheBytes: false, logger: false, logCallers: false, telemetry: false },
  ...{ now: false, createRequestId: false, plugins: false, wings: false },
} satisfies Readonly<Record<keyof GazetteOptions, boolean>>;

const SHAPING: ReadonlySet<string> = new Set(Object.entries(SHAPES).flatMap(([name, does]) => (does ? [name] : [])));

/**
 * The digest, in hex. Where a format's writer or an option is code of which nobody knows whether it is the same, it is another
 * digest each time: readers then read again after a start, and are never told that nothing has changed.
 */
export function configurationDigest(options: GazetteOptions, formats: readonly Format[]): string {
  const { endpoints, mail, providers = [], plugins = [] } = options;
  const code: unknown[] = [];
  const text = JSON.stringify(
    [
      // ICU writes the dates and numbers of pages, zlib the workbooks.
      [VERSION, process.version],
      formats.map((format) => [format.name, format.mediaType, format.extension, format.encoderVersion ?? null]),
      plugins.map(describedParts),
      [endpoints !== undefined, mail !== undefined, providers.map(({ name }) => name)],
      Object.entries(options)
        .filter(([name]) => SHAPING.has(name))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ],
    (_, value: unknown) => {
      if (typeof value === 'function') code.push(value);
      return value;
    },
  );
  const isWhole = code.length === 0 && formats.every((format) => (format.encoderVersion ?? null) !== null);
  return createHash('sha256')
    .update(isWhole ? text : crypto.randomUUID())
    .digest('hex');
}

/** What openapi.json and the reference say of a plugin. What its answers say is told by their bytes. */
function describedParts({ name, routes = [] }: Plugin): unknown {
  const described = routes.map(({ path, access, summary, description, query, mediaType, schema }) => {
    return [path, access, summary, description, query, mediaType, schema];
  });
  return [name, described];
}

// The headers of a snapshot's objects: a bucket answers with what an object was written with. They say what `_headers` says of
// the same files, and the types of those that hosts of folders know by themselves.
import { OPML_FILE, VIEW_TYPES } from '../../archive/layout.ts';
import { ndjson } from '../../formats/ndjson.ts';
import type { Tier } from '../../register/tier.ts';
import { CATALOG_TYPE } from '../../templates/catalogues/catalog.ts';
import type { PageFormat } from '../pages/formats.ts';
import { WHOLE_TYPES } from '../whole.ts';
import { cacheControl, LOG_TYPES, XML_SCHEMA } from '../pages/site-files.ts';

const OTHERS: Readonly<Record<string, string>> = {
  [ndjson.extension]: ndjson.mediaType,
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  xml: XML_SCHEMA.mediaType,
  [CATALOG_TYPE.extension]: CATALOG_TYPE.mediaType,
  [XML_SCHEMA.extension]: XML_SCHEMA.mediaType,
  ...Object.fromEntries(WHOLE_TYPES.map(({ extension, mediaType }) => [extension, mediaType])),
};

/** The headers of an object, by its name in the snapshot. */
export function objectHeaders(
  tier: Tier | undefined,
  formats: readonly PageFormat[],
): (name: string) => Readonly<Record<string, string>> {
  const own = formats.map(({ format }) => [format.extension, format.mediaType] as const);
  const types = new Map<string, string>([...Object.entries({ ...OTHERS, ...VIEW_TYPES }), ...own]);
  return (name) => ({ 'content-type': typeOf(name, types), 'cache-control': cacheControl(tier ?? 'public') });
}

function typeOf(name: string, types: ReadonlyMap<string, string>): string {
  if (name === OPML_FILE) return 'text/x-opml; charset=utf-8';
  if (/^(?:[^/]*|api\/v1)\/log\//.test(name))
    return name.endsWith('/checkpoint') ? LOG_TYPES.checkpoint : LOG_TYPES.tile;
  if (/\/search\/.*\.(?:pf_\w*|pagefind)$/.test(name)) return 'application/octet-stream';
  return types.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'text/plain; charset=utf-8';
}

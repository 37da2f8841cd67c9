// What pages load: the style sheet, the icon, and the script of the one page that has one. Their names carry a digest of their bytes, so caches may keep them for good.
import { createHash } from 'node:crypto';
import type { RouteOf } from '../access/route.ts';
import { GazetteError, quote } from '../errors.ts';
import { IMMUTABLE } from '../web/validators.ts';
import { UPLOAD_SCRIPT } from '../templates/desk/upload-script.ts';
import { ICON, STYLE } from '../templates/style.ts';
import type { PageContext } from './services.ts';

interface Asset {
  readonly mediaType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The name of a file with these bytes. */
function nameOf(text: string, extension: string): string {
  return `gazette-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${extension}`;
}

/** The file of the style sheet. */
export const STYLE_FILE: string = nameOf(STYLE, 'css');

/** The file of the icon. */
export const ICON_FILE: string = nameOf(ICON, 'svg');

/** The file of the script. */
export const SCRIPT_FILE: string = nameOf(UPLOAD_SCRIPT, 'js');

const ENCODER = new TextEncoder();

const ASSETS: ReadonlyMap<string, Asset> = new Map([
  [STYLE_FILE, { mediaType: 'text/css; charset=utf-8', body: ENCODER.encode(STYLE) }],
  [SCRIPT_FILE, { mediaType: 'text/javascript; charset=utf-8', body: ENCODER.encode(UPLOAD_SCRIPT) }],
  [ICON_FILE, { mediaType: 'image/svg+xml', body: ENCODER.encode(ICON) }],
]);

/** `/assets/{file}`. */
export const assetsRoute: RouteOf<PageContext> = {
  path: '/assets/{file}',
  access: 'public',
  documentation: null,
  isMetered: false,
  answer({ path, request, headers }, { file }) {
    const asset = ASSETS.get(file!);
    if (asset === undefined) throw new GazetteError('not_found', `nothing is served at ${quote(path)}`);
    return {
      status: 200,
      headers: {
        ...headers,
        'content-type': asset.mediaType,
        'content-length': String(asset.body.length),
        // RFC 8246.
        'cache-control': IMMUTABLE,
      },
      body: request.method === 'HEAD' ? null : asset.body,
    };
  },
};

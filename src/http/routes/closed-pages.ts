// The closed pages of a register: 100 positions that are all taken, with the bytes of the files that `gazette snapshot`
// writes. Where the address has the page's entity tag, what is there never changes, and caches keep it for good.
import { z } from 'zod';
import { refuseTier } from '../../access/scopes.ts';
import { contentOf } from '../../archive/content.ts';
import { formatDocument, jsonDocument } from '../../archive/documents.ts';
import { closedPage, closedPages, PAGES_FOLDER, type PagePlace, VIEW_TYPES } from '../../archive/layout.ts';
import { readRecords } from '../../archive/records.ts';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { Format } from '../../formats/format.ts';
import { findFormat } from '../../formats/index.ts';
import type { RegisterView } from '../../views/registers.ts';
import { isTextType } from '../../web/coding.ts';
import type { HttpResponse, WrittenBody } from '../../web/representation.ts';
import { byteTag, IMMUTABLE, IMMUTABLE_FOR_ONE } from '../../web/validators.ts';
import { closedPageQuery, feedParams, readFeedId } from '../description/parameters.ts';
import { closedPageSchema } from '../description/schemas.ts';
import type { RequestContext } from '../request-context.ts';
import type { Route } from '../route.ts';
import type { ServiceContext } from '../service-context.ts';

/** How many digits of the entity tag are in an address. */
const TAG_DIGITS = 16;

/** How often the definition may change while a page is read. */
const MAX_ATTEMPTS = 3;

/** A page's number and its extension. */
const PAGE_NAME = /^(\d{6,15})\.([^/]+)$/;

/** A document of a page. */
interface Asked {
  readonly number: number;
  /** `json`, or the name of the format. */
  readonly ending: string;
  readonly mediaType: string;
  /** Null: JSON. */
  readonly format: Format | null;
}

/** `/feeds/{feed_id}/pages/{page}`. */
export function closedPageRoutes(service: ServiceContext, served: readonly Format[]): readonly Route[] {
  // Its file has the extension; what has another name is not among the files of a snapshot.
  const formats = served.filter(({ name, extension }) => name === extension);
  const query = closedPageQuery();
  const endings = ['json', ...formats.map(({ name }) => name)];
  const types = formats.map(({ mediaType }) => mediaType.split(';')[0]!);
  return [
    {
      path: '/feeds/{feed_id}/pages/{page}',
      access: 'pro',
      isOpenable: true,
      documentation: {
        operationId: 'getClosedPage',
        tag: 'Exports',
        summary: 'A closed page of a register',
        description:
          'The records at the positions 100 × (page − 1) + 1 to 100 × page, newest first, as `gazette snapshot --base-url …/api/v1/feeds` writes them to the byte. With `etag`, as `Content-Location` has it, the address names these bytes and may be kept without end; after a correction, withdrawal or redaction there it leads to the present one (308). Pages that are not closed yet are unknown; the list has their records.',
        params: feedParams.extend({
          page: z
            .string()
            .regex(new RegExp(`^[0-9]{6,15}[.](?:${endings.join('|')})$`))
            .meta({ description: 'The number, in six digits or more, and the format.', example: '000001.csv' }),
        }),
        query: query.schema,
        codes: ['unknown_feed', 'unknown_format', 'not_found'],
        headers: ['Cache-Control: page', 'Content-Location'],
        response: {
          description: 'The page.',
          content: {
            ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
            [VIEW_TYPES.json]: { schema: closedPageSchema },
          },
        },
        otherResponses: {
          308: { description: 'The page has other bytes now: their address, in `Location`.', headers: ['Location'] },
        },
      },
      async answer(context, pathParameters) {
        const { etag: given } = query.read(context.parameters);
        const feedId = readFeedId(pathParameters);
        const asked = readPageName(pathParameters.page!, formats);
        const { view, written } = await presentPage(service, context, feedId, asked);
        const tag = written.headers.etag!;
        const digits = tag.slice(1, TAG_DIGITS + 1);
        const location = `${pagesUrl(context, feedId)}/${nameOf(asked)}?etag=${digits}`;
        if (given !== undefined && given !== digits) return referred(context, location);
        // Without a key only what is open to all gets here.
        const isForAll = context.access.tier === 'public';
        return service.answer(context, {
          ...{ view, etag: tag, isOfBytes: true },
          isText: isTextType(asked.mediaType),
          // The address without the tag has other bytes after a change.
          ...(given === undefined ? { location } : { caching: isForAll ? IMMUTABLE : IMMUTABLE_FOR_ONE }),
          write: () => written,
        });
      },
    },
  ];
}

/** The page as it is, made once for all who ask for it. @throws GazetteError `unknown_feed`, `not_found`, `not_ready` */
async function presentPage(
  service: ServiceContext,
  context: RequestContext,
  feedId: string,
  asked: Asked,
): Promise<{ readonly view: RegisterView; readonly written: WrittenBody }> {
  for (let attempt = 1; ; attempt++) {
    const view = await service.registers.view(feedId, attempt === 1 ? context.stamp : undefined);
    // The register may have been closed to the public since the caller was let in.
    if (service.tierOf(context, view) === 'public') refuseTier(context.access);
    if (asked.number > closedPages(view.entry.top)) {
      throw new GazetteError('not_found', `register ${quote(feedId)} has no closed page ${nameOf(asked)} yet`);
    }
    const key = service.tagOf(context, view, 'page', [asked.number, asked.ending]);
    const make = (signal: AbortSignal): Promise<WrittenBody> => write(service, context, view, asked, signal);
    try {
      return { view, written: await service.written(context, view, key, make) };
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isGazetteError(error, 'not_ready')) throw error;
    }
  }
}

/** Whether a view of a register has the definition of another. */
function isOf({ entry: now }: RegisterView, { entry: then }: RegisterView): boolean {
  return now.log === then.log && now.definitionVersion === then.definitionVersion;
}

/** @throws GazetteError `not_ready` if the definition changed meanwhile; errors of the store and the format */
async function write(
  service: ServiceContext,
  context: Pick<RequestContext, 'access' | 'api'>,
  view: RegisterView,
  { number, format, mediaType }: Asked,
  signal: AbortSignal,
): Promise<WrittenBody> {
  const { entry, source } = view;
  const place: PagePlace = closedPage(number);
  const register = {
    ...{ definition: entry.definition, tier: context.access.tier, tiers: service.tiers, latest: new Set<string>() },
    url: `${context.api}/feeds/${entry.definition.id}`,
  };
  const content = contentOf(register, place, await readRecords(source, place, signal), null);
  // The records of a page are read at once. The definition was read before.
  const { id } = entry.definition;
  if (!isOf(await service.registers.view(id), view)) {
    throw new GazetteError('not_ready', `the definition of register ${quote(id)} keeps changing`);
  }
  const bytes = format === null ? jsonDocument(register, content) : await formatDocument(register, content, format);
  const body = new Uint8Array(bytes);
  return {
    headers: { 'content-type': mediaType, 'content-length': String(body.length), etag: byteTag(body) },
    body,
  };
}

/** @throws GazetteError `not_found`, `unknown_format` */
function readPageName(name: string, formats: readonly Format[]): Asked {
  const [, digits = '', ending = ''] = PAGE_NAME.exec(name) ?? [];
  const number = Number(digits);
  // Each page has one name.
  if (number === 0 || closedPage(number).name !== `${PAGES_FOLDER}/${digits}`) {
    throw new GazetteError(
      'not_found',
      `no page is called ${quote(name)}: pages are 000001.json, 000002.json and so on`,
    );
  }
  if (ending === 'json') return { number, ending, mediaType: VIEW_TYPES.json, format: null };
  const format = findFormat(ending, formats);
  return { number, ending, mediaType: format.mediaType, format };
}

/** The last part of a page's address, without query. */
function nameOf({ number, ending }: Asked): string {
  return `${closedPage(number).name.slice(PAGES_FOLDER.length + 1)}.${ending}`;
}

function pagesUrl({ api }: Pick<RequestContext, 'api'>, feedId: string): string {
  return `${api}/feeds/${feedId}/${PAGES_FOLDER}`;
}

/** Tells of another address, which may be another again: nobody keeps it. */
function referred({ headers }: RequestContext, location: string): HttpResponse {
  return {
    status: 308,
    headers: { ...headers, location, 'content-length': '0', 'cache-control': 'no-store' },
    body: null,
  };
}

// The routes, pages and figures of plugins, as the surfaces have them.
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { PLUGINS_TAG } from '../../http/description/openapi.ts';
import { feedParams, recordParams } from '../../http/description/parameters.ts';
import { ASKING_PATIENCE_MS, type RegisterFigure } from '../../http/metrics-source.ts';
import type { Route } from '../../http/route.ts';
import { jsonBody, type ServiceContext, textBody } from '../../http/service-context.ts';
import { frameOf, isPlain, pageBody } from '../../pages/frame.ts';
import type { PageOptions, PageRoute, PageServices } from '../../pages/services.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { unknownParameter } from '../../register/parameters.ts';
import { layout } from '../../templates/layout.ts';
import type { WrittenBody } from '../../web/representation.ts';
import { callOf, type SeenStore } from './call.ts';
import { readSchema } from './schema.ts';
import type { JsonObject, Plugin, PluginPage, PluginRoute } from './plugin.ts';

const PARAMETER = /\{([a-z_]+)\}/g;

/** A route of the API. @param owner the name of its plugin */
export function pluginRoute(service: ServiceContext, owner: string, route: PluginRoute): Route {
  const { path, access = 'public', summary, description = summary, mediaType = JSON_TYPE, schema = {} } = route;
  const names = [...path.matchAll(PARAMETER)].map(([, name]) => name!);
  const query = queryOf(owner, route.query ?? {});
  return {
    path,
    access,
    isOpenable: true,
    isRemade: true,
    documentation: {
      operationId: `${owner}${path}`.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next?: string) => next?.toUpperCase() ?? ''),
      tag: PLUGINS_TAG,
      summary,
      description,
      ...(names.length === 0
        ? {}
        : { params: z.object(Object.fromEntries(names.map((name) => [name, KNOWN[name] ?? z.string()]))) }),
      query: query.schema,
      codes: names.some((name) => name in feedParams.shape) ? ['unknown_feed', 'not_found'] : ['not_found'],
      keyMatters: true,
      response: { description: summary, content: { [typeOf(mediaType)]: { schema } } },
    },
    async answer(context, params) {
      const { access: caller, api, stamp, request } = context;
      const asked = { api, params, query: query.read(context.parameters), language: 'en' };
      return service.answer(context, {
        ...{ view: null, etag: null, isText: true, mayNotExist: true },
        write: async (signal) =>
          bodyOf(
            await route.answer({ ...callOf(service, caller, { signal, stamp }), ...asked }),
            mediaType,
            request.url,
          ),
      });
    },
  };
}

/** The parameters of paths that gazette's own routes have, too. */
const KNOWN: Readonly<Record<string, z.ZodType>> = { ...feedParams.shape, ...recordParams.shape };

const JSON_TYPE = 'application/json';

/** A media type without its parameters. */
function typeOf(mediaType: string): string {
  return mediaType.split(';')[0]!.trim();
}

/** The origin has sessions of people: what a plugin answers there runs no script, whatever its media type. */
const INERT = { 'content-security-policy': "default-src 'none'; sandbox" };

function bodyOf(body: JsonValue | Uint8Array | undefined, mediaType: string, url: string): WrittenBody {
  const written = writtenOf(body, mediaType);
  if (written !== null) return { ...written, headers: { ...written.headers, ...INERT } };
  const expected = typeOf(mediaType) === JSON_TYPE ? 'a value of JSON' : `${mediaType} as a text or bytes`;
  throw new GazetteError('internal_error', `${new URL(url).pathname} must answer ${expected}`);
}

/** Null for what is no such body. */
function writtenOf(body: JsonValue | Uint8Array | undefined, mediaType: string): WrittenBody | null {
  if (body instanceof Uint8Array) {
    const bytes = Uint8Array.from(body);
    return { headers: { 'content-type': mediaType, 'content-length': String(bytes.length) }, body: bytes };
  }
  if (typeOf(mediaType) === JSON_TYPE) {
    return body === undefined ? null : jsonBody(body);
  }
  return typeof body === 'string' ? textBody(body, mediaType) : null;
}

/** Reads a query: the schemas that describe its parameters also refuse. */
function queryOf(
  owner: string,
  described: Readonly<Record<string, JsonObject>>,
): {
  readonly schema: z.ZodObject;
  readonly read: (given: URLSearchParams) => Readonly<Record<string, JsonValue>>;
} {
  const names = Object.keys(described);
  const schemas = names.map((name) => [name, readSchema(`the plugin ${owner}: ${name}`, described[name]!)] as const);
  return {
    schema: z.object(Object.fromEntries(schemas.map(([name, schema]) => [name, schema.optional()]))),
    read(given) {
      const read: Record<string, JsonValue> = {};
      for (const name of given.keys()) if (!Object.hasOwn(described, name)) throw unknownParameter(name, names);
      for (const [name, schema] of schemas) {
        const texts = given.getAll(name);
        if (texts.length === 0) {
          const { default: fallback } = described[name]!;
          if (fallback !== undefined) read[name] = fallback;
          continue;
        }
        const parsed = schema.safeParse(valueOf(texts[0]!, described[name]!));
        if (texts.length > 1) throw refused(name, 'must be given once', texts.join(', '));
        if (!parsed.success) throw refused(name, parsed.error.issues[0]!.message, texts[0]!);
        read[name] = parsed.data as JsonValue;
      }
      return read;
    },
  };
}

/** What a text of a query stands for. */
function valueOf(text: string, { type }: JsonObject): JsonValue {
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function refused(parameter: string, message: string, given: string): GazetteError {
  return new GazetteError('invalid_parameter', `${parameter}: ${message}, got ${quote(given)}`, {
    details: { parameter },
  });
}

/** A page. */
export function pluginPage(
  services: PageServices & SeenStore,
  options: PageOptions,
  { path, answer }: PluginPage,
): PageRoute {
  return {
    path,
    access: 'public',
    isRemade: true,
    documentation: null,
    answer(context, params) {
      const { access, api, stamp, parameters } = context;
      const frame = frameOf(context, options, isPlain(context) ? {} : { parameters: null });
      const { language } = frame.wording;
      const asked = { api, params, query: Object.fromEntries(parameters), language };
      return services.answer(context, {
        ...{ view: null, etag: null, isText: true, mayNotExist: true },
        async write(signal) {
          const { title, main } = await answer({ ...callOf(services, access, { signal, stamp }), ...asked });
          return pageBody(layout(frame, { title, main }), { language });
        },
      });
    },
  };
}

/** The figures of plugins. @param onError called when one fails, or does not come in time */
export function pluginFigures(
  seen: SeenStore,
  plugins: readonly Plugin[],
  onError: (error: unknown) => void,
): readonly RegisterFigure[] {
  return plugins.flatMap(({ metrics = [] }) =>
    metrics.map(({ name, help, read }) => ({
      ...{ name, help, onError },
      read: () => read(callOf(seen, { tier: 'pro' }, { signal: AbortSignal.timeout(ASKING_PATIENCE_MS) })),
    })),
  );
}

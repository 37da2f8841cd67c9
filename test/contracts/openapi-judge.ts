// Holds answers to openapi.json: the operation that a request is meant for, its status, every header field, the media
// type and the body, with nothing in any of them that the document does not describe.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

interface Header {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

interface Answer {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, object>>;
}

type Answers = Readonly<Record<string, Answer>>;

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Answers;
}

/** What is read of the document. */
export interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Absent from the document of one register, which describes some operations, and of them the fields that programs read. */
  readonly 'x-every-answer'?: Required<Pick<Answer, 'headers'>>;
  readonly 'x-other-answers'?: Answers;
}

/** A request as the judge needs it. */
export interface Judged {
  readonly method: string;
  readonly url: string;
}

const DECODERS: Readonly<Record<string, (body: Uint8Array) => Promise<Uint8Array>>> = {
  gzip: promisify<Uint8Array, Uint8Array>(zlib.gunzip),
  br: promisify<Uint8Array, Uint8Array>(zlib.brotliDecompress),
  zstd: promisify<Uint8Array, Uint8Array>(zlib.zstdDecompress),
};

/** The document with what operations refer to in its place; references to schemas stay. */
export function resolved<T>(document: T): T {
  const places = (document as { readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> })
    .components;
  const known = new Map<string, unknown>();
  const within = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(within);
    if (typeof node !== 'object' || node === null) return node;
    const [, kind, name] = /^#[/]components[/](parameters|responses|headers)[/](.+)$/.exec(refOf(node)) ?? [];
    if (kind === undefined) return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, within(value)]));
    const key = `${kind}/${name}`;
    if (!known.has(key)) known.set(key, within(places[kind]![name!]));
    return known.get(key);
  };
  return within(document) as T;
}

function refOf(node: object): string {
  return '$ref' in node && typeof node.$ref === 'string' ? node.$ref : '';
}

/**
 * The document with every object closed, so that an answer with a property nobody described does not validate. What `allOf`
 * adds to an object only narrows it.
 */
export function closed(node: unknown, isNarrowing = false): unknown {
  if (Array.isArray(node)) return node.map((item) => closed(item, isNarrowing));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value, name === 'allOf')]));
  return 'properties' in copy && copy.type === 'object' && !('additionalProperties' in copy) && !isNarrowing
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** RFC 6901 6: a place in a document as a fragment. */
export function pointerOf(place: readonly string[]): string {
  const parts = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${parts.join('/')}`;
}

/** Judges answers by one document. */
export class OpenApiJudge {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations: readonly { readonly pattern: RegExp; readonly path: string }[];

  constructor(published: OpenApi) {
    const document = resolved(published);
    this.#document = document;
    this.#ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
    this.#ajv.addFormat('uri-template', true);
    this.#ajv.addFormat('uuid', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    this.#ajv.addFormat('uri', (text: string) => URL.canParse(text));
    this.#ajv.addSchema(closed(document) as object, 'openapi.json');
    const api = new URL(document.servers[0]!.url).pathname;
    this.#operations = Object.keys(document.paths).map((path) => {
      // The index has two addresses.
      const address = path === '/' ? `${api}/?` : api + path;
      const pattern = address.replaceAll(/[.]/g, '\\.').replaceAll(/\{[a-z_]+\}/g, '[^/]+');
      return { path, pattern: new RegExp(`^${pattern}$`) };
    });
  }

  /** The paths of the operations that only read. */
  get reading(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));
  }

  /** What the document does not say of an answer; nothing if it is as described, null if it describes no such request. */
  async complaints({ method, url }: Judged, response: Response): Promise<readonly string[] | null> {
    const { pathname, searchParams } = new URL(url);
    const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const path = this.#operations.find(({ pattern }) => pattern.test(pathname))?.path;
    const operation = path === undefined ? undefined : this.#document.paths[path]![asked];
    const others = this.#document['x-other-answers'];
    const isNamed = (name: string): boolean => operation?.parameters?.some((one) => one.name === name) === true;
    const isDescribed = operation !== undefined && (!response.ok || [...searchParams.keys()].every(isNamed));
    if (others === undefined && !isDescribed) return null;
    const place = operation === undefined ? ['x-other-answers'] : ['paths', path!, asked, 'responses'];
    const answers = operation?.responses ?? others!;
    const status = String(response.status) in answers ? String(response.status) : 'default';
    const answer = response.status >= 400 || status !== 'default' ? answers[status] : undefined;
    const where = `${method} ${pathname} ${response.status}`;
    if (answer === undefined) return [`${where} is not described`];
    const complaints = this.#ofHeaders([...place, status], answer, response.headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (method === 'HEAD' || answer.content === undefined) {
      if (bytes.length > 0) complaints.push('it has a body');
    } else {
      complaints.push(...(await this.#ofBody([...place, status], answer, response.headers, bytes)));
    }
    return complaints.map((complaint) => `${where}: ${complaint}`);
  }

  #ofHeaders(place: readonly string[], { headers: own = {} }: Answer, headers: Headers): string[] {
    const complaints: string[] = [];
    const everywhere = this.#document['x-every-answer']?.headers ?? {};
    const named =
      (within: readonly string[]) =>
      ([name, header]: [string, Header]) =>
        [name.toLowerCase(), { header, reference: pointerOf([...within, 'headers', name]) }] as const;
    const names = new Map([
      ...Object.entries(everywhere).map(named(['x-every-answer'])),
      ...Object.entries(own).map(named(place)),
    ]);
    for (const [name, value] of headers) {
      const known = names.get(name);
      // OpenAPI 3.1, Response Object: Content-Type is described by `content`.
      if (name === 'content-type') continue;
      if (known === undefined) {
        if (this.#document['x-every-answer'] !== undefined) complaints.push(`${name} is not described`);
        continue;
      }
      const { schema } = known.header;
      const validate = this.#validator(`${known.reference}/schema`);
      if (!validate(schema.type === 'integer' ? Number(value) : value)) {
        complaints.push(`${name}: ${value} ${this.#ajv.errorsText(validate.errors)}`);
      }
    }
    for (const [name, { header }] of names) {
      if (header.required === true && !headers.has(name)) complaints.push(`${name} is missing`);
    }
    return complaints;
  }

  async #ofBody(
    place: readonly string[],
    { content }: Answer,
    headers: Headers,
    bytes: Uint8Array,
  ): Promise<readonly string[]> {
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    if (!(type in content!)) return [`the media type ${type} is not described`];
    const length = headers.get('content-length');
    // Where it is required, it was found missing above.
    if (length !== null && Number(length) !== bytes.length) return ['content-length is not the length of the body'];
    // NDJSON of no records has no lines.
    if (type === 'application/x-ndjson') return [];
    if (!/[/+]json$/.test(type)) return bytes.length === 0 ? ['the body is empty'] : [];
    const coding = headers.get('content-encoding');
    const body = coding === null ? bytes : await DECODERS[coding]!(bytes);
    const validate = this.#validator(pointerOf([...place, 'content', type, 'schema']));
    const text = Buffer.from(body).toString();
    return validate(JSON.parse(text)) ? [] : [`${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`];
  }

  #validator(pointer: string): ValidateFunction {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `openapi.json${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate;
  }
}

// Holds answers to openapi.json: the operation that a request is meant for, its status, every header field, the media
// type and the body, with nothing in any of them that the document does not describe.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

type Header = DescribedHeader | { readonly $ref: string };

interface Answer {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, object>>;
}

type Answers = Readonly<Record<string, Answer>>;

/** What is read of the document. */
export interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Answers }>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, DescribedHeader>>;
  };
  readonly 'x-other-answers': Answers;
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

/** The document with every object closed, so that an answer with a property nobody described does not validate. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  return 'properties' in copy && copy.type === 'object' && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** RFC 6901 6: a place in a document as a fragment. */
function pointerOf(place: readonly string[]): string {
  const parts = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${parts.join('/')}`;
}

/** Judges answers by one document. */
export class OpenApiJudge {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations: readonly { readonly pattern: RegExp; readonly path: string }[];

  constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
    this.#ajv.addFormat('uri', (text: string) => URL.canParse(text));
    this.#ajv.addSchema(closed(document) as object, 'openapi.json');
    const api = new URL(document.servers[0]!.url).pathname;
    this.#operations = Object.keys(document.paths).map((path) => {
      // The index says that its server is another one.
      const address = path === '/api/v1' ? api : api + path;
      const pattern = address.replaceAll(/[.]/g, '\\.').replaceAll(/\{[a-z_]+\}/g, '[^/]+');
      return { path, pattern: new RegExp(`^${pattern}$`) };
    });
  }

  /** The paths of the operations that only read. */
  get reading(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));
  }

  /** What the document does not say of an answer; nothing if it is as described. */
  async complaints({ method, url }: Judged, response: Response): Promise<readonly string[]> {
    const { pathname } = new URL(url);
    const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const path = this.#operations.find(({ pattern }) => pattern.test(pathname))?.path;
    const operation = path === undefined ? undefined : this.#document.paths[path]![asked];
    const place = operation === undefined ? ['x-other-answers'] : ['paths', path!, asked, 'responses'];
    const answers = operation?.responses ?? this.#document['x-other-answers'];
    const answer = answers[String(response.status)];
    const where = `${method} ${pathname} ${response.status}`;
    if (answer === undefined) return [`${where} is not described`];
    const complaints = this.#ofHeaders([...place, String(response.status)], answer, response.headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (method === 'HEAD' || answer.content === undefined) {
      if (bytes.length > 0) complaints.push('it has a body');
    } else {
      complaints.push(...(await this.#ofBody([...place, String(response.status)], answer, response.headers, bytes)));
    }
    return complaints.map((complaint) => `${where}: ${complaint}`);
  }

  #ofHeaders(place: readonly string[], { headers: described = {} }: Answer, headers: Headers): string[] {
    const complaints: string[] = [];
    const names = new Map(
      Object.entries(described).map(([name, header]) => [
        name.toLowerCase(),
        '$ref' in header ? header.$ref : pointerOf([...place, 'headers', name]),
      ]),
    );
    for (const [name, value] of headers) {
      const reference = names.get(name);
      // OpenAPI 3.1, Response Object: Content-Type is described by `content`.
      if (name === 'content-type') continue;
      if (reference === undefined) {
        complaints.push(`${name} is not described`);
        continue;
      }
      const { schema } = this.#header(reference);
      const validate = this.#validator(`${reference}/schema`);
      if (!validate(schema.type === 'integer' ? Number(value) : value)) {
        complaints.push(`${name}: ${value} ${this.#ajv.errorsText(validate.errors)}`);
      }
    }
    for (const [name, reference] of names) {
      if (this.#header(reference).required === true && !headers.has(name)) complaints.push(`${name} is missing`);
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
    if (!/[/+]json$/.test(type)) return bytes.length === 0 ? ['the body is empty'] : [];
    const coding = headers.get('content-encoding');
    const body = coding === null ? bytes : await DECODERS[coding]!(bytes);
    const validate = this.#validator(pointerOf([...place, 'content', type, 'schema']));
    const text = Buffer.from(body).toString();
    return validate(JSON.parse(text)) ? [] : [`${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`];
  }

  #header(reference: string): DescribedHeader {
    const parts = reference.split('/').slice(1).map(decodeURIComponent);
    const found = parts.reduce<unknown>(
      (node, part) => (node as Readonly<Record<string, unknown>>)[part],
      this.#document,
    );
    return found as DescribedHeader;
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

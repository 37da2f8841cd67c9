// What openapi.json describes of the bodies of the account's routes is what is enforced, and the other way round: a member
// is refused if and only if its schema refuses it. bounds.test.ts has the same of parameters.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { SECRETS_KEY } from '../contracts/full-store.ts';
import { tries } from '../effort.ts';
import { API, SAMPLES, type World, world } from '../world.ts';

const RUNS = tries(100, 10_000);

/** Ids that nothing has: what is refused is the body. */
const PATHS = { keys: `key_${'z'.repeat(12)}`, endpoints: `ep_${'0'.repeat(18)}`, deliveries: 'dlv_9' } as const;

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let service: World;
let key: string;
let document: Document;
let ajv: Ajv2020;

beforeAll(async () => {
  service = await world({ samples: SAMPLES, endpoints: { box: () => SecretBox.fromHex(SECRETS_KEY) } });
  ({ key } = await service.accounts.createKey('acme', { scopes: ['read', 'webhooks', 'account'] }));
  document = (await (await service.get('/openapi.json')).json()) as Document;
  ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', true).addFormat('date-time', true);
  ajv.addSchema(document, 'openapi.json');
});

afterAll(() => service.close());

describe('a body of the account’s routes', () => {
  /** What no schema can say: which registers and filters there are, what each takes, which days, what is over, and where one may send. */
  const UNSAID_OF_BODIES =
    /^(?:there is no register |filters\.\w+(?:\.\d+)?: |filter: (?:unknown (?:parameter|filter) "|q must have at |\w+ must be a date such as )|(?:since|expires_at) must be (?:a day or a date-time|a time to come))/;

  const bodies = (): readonly (readonly [method: string, path: string, name: string, schema: Schema])[] =>
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const ref = path.startsWith('/account/') ? requestBody?.content['application/json']?.schema.$ref : undefined;
        if (ref === undefined) return [];
        const name = ref.slice(ref.lastIndexOf('/') + 1);
        return [[method.toUpperCase(), path, name, document.components.schemas[name]!] as const];
      }),
    );

  /** Whether its schema takes it, after the service has said the same. */
  async function checkBody([method, path, name]: ReturnType<typeof bodies>[number], body: unknown): Promise<boolean> {
    const text = JSON.stringify(body);
    const [, kind] = /^\/account\/(\w+)/.exec(path) ?? [];
    const address = API + path.replace('{id}', PATHS[kind as keyof typeof PATHS]);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const response = await service.fetch(new Request(address, { method, body: text, headers }));
    const isDescribed = ajv.getSchema(`openapi.json#/components/schemas/${name}`)!(JSON.parse(text)) as boolean;
    const said = response.status === 400 ? ((await response.json()) as { readonly detail: string }) : null;
    const isUnsaid = UNSAID_OF_BODIES.test(said?.detail ?? '');
    const shown = [method, path, text.slice(0, 100), said?.detail.slice(0, 80)];
    expect([...shown, said !== null && !(isDescribed && isUnsaid)]).toEqual([...shown, !isDescribed]);
    return isDescribed;
  }

  const usual: Readonly<Record<string, object>> = { NewEndpoint: { url: 'https://8.8.8.8/' } };
  const TIMES = [
    ...['2090-04-01', '2090-04-31', '2090-13-01', '2090-04-01T12:00:00Z', '2090-04-01T12:00:00', '2020-04-01', 'soon'],
    ...['2090-04-01T12:00:00+14:00', '2090-04-01T12:00:00+14:01', '2090-04-01T24:00:00Z', '0000-01-01', '', null],
  ];
  /** Values just inside and just outside the bounds of a member. */
  const EDGES: Readonly<Record<string, readonly unknown[]>> = {
    name: [
      ...['', ' ', 'x', ' x ', 'x\ny', 'x\u2028', 'x\u0085', '\u00A0', 'x\uD800', '\uDC00x', '💩', null],
      ...[99, 100, 101].flatMap((length) => ['x'.repeat(length), '💩'.repeat(length), ' '.repeat(length - 1) + 'x']),
    ],
    url: ['x', '💩'].flatMap((one) =>
      [0, 1, 1983, 1984, 1985].map((length) => 'https://8.8.8.8/' + one.repeat(length)),
    ),
    limit: [
      ...[
        '1/1',
        '0/1',
        '1/0',
        '1000000/86400',
        '1000001/1',
        '1/86401',
        '1/86399',
        '999999/79999',
        '01/1',
        '1/1 ',
        '600',
      ],
      null,
    ],
    expires_at: TIMES,
    since: TIMES,
    grace_hours: [-1, 0, 0.5, 8784, 8784.5, '1'],
    filters: [
      ...[
        null,
        {},
        'x',
        [],
        { key: 'x' },
        { key: null },
        { key: [1] },
        { key: ['x', ''] },
        { stranger: ['x'] },
        { stranger: [] },
      ],
      ...['key', 'document_type', 'q', 'data.applicant'].flatMap((name) => [
        ...['x', '💩'].flatMap((one) =>
          [0, 1, 499, 500, 501, 999, 1000, 1001].map((length) => ({ [name]: [one.repeat(length)] })),
        ),
        ...[0, 1, 2, 99, 100, 101].map((count) => ({ [name]: Array.from({ length: count }, (_, at) => `${at}`) })),
      ]),
      ...TIMES.map((time) => ({ updated_since: [time], published_until: ['2026-01-01'] })),
      { updated_since: ['2026-01-01', '2026-01-02'] },
    ],
  };
  const OTHERS: readonly unknown[] = [
    ...[null, true, 'x', [], ['x'], ['read'], ['record.published'], {}, { key: ['x'] }, { key: [] }, 'record.updated'],
  ];

  it('is taken just inside each bound that openapi.json describes, and refused just outside', async () => {
    const seen = new Set<string>();
    for (const body of bodies()) {
      for (const member of Object.keys(body[3].properties ?? {})) {
        const values = [...(EDGES[member] ?? OTHERS), ''];
        for (const value of values) {
          seen.add(`${member} ${await checkBody(body, { ...usual[body[2]], [member]: value })}`);
        }
      }
    }
    const others = ['enabled', 'event', 'events', 'failed', 'feeds', 'scopes', 'standard_webhooks'];
    const all = [...others, ...Object.keys(EDGES)];
    expect([...seen].sort()).toEqual(all.flatMap((name) => [`${name} false`, `${name} true`]).sort());
  });

  it(`is refused if and only if its schema refuses it (${RUNS})`, async () => {
    const member = (schema: Schema): fc.Arbitrary<string> =>
      fc.constantFrom(...Object.keys(schema.properties ?? {}), 'stranger');
    const asked = fc.constantFrom(...bodies()).chain((body) =>
      fc.tuple(
        fc.constant(body),
        fc.oneof(
          fc.array(
            fc.tuple(member(body[3]), fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(EDGES).flat()))),
            {
              maxLength: 3,
            },
          ),
          fc.jsonValue(),
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(asked, async ([body, given]) => {
        const isChange = Array.isArray(given) && given.every((one) => Array.isArray(one) && one.length === 2);
        const changes = isChange ? Object.fromEntries(given as [string, unknown][]) : null;
        await checkBody(body, changes === null ? given : { ...usual[body[2]], ...changes });
      }),
      { numRuns: RUNS * 4 },
    );
  });
});

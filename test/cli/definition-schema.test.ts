// The published schema of definition files against the parser: what one takes the other takes, but for what JSON Schema
// cannot say.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { schemaPath } from '../../fixtures/schemas.ts';
import { isGazetteError } from '../../src/errors.ts';
import { defineFrom } from '../../src/operate/registers.ts';
import { FIELD_TYPES } from '../../src/register/definition.ts';
import { tries } from '../effort.ts';
import { dateTimes, definitions, jsonValues, texts, urls } from '../properties/arbitraries.ts';
import { gazette } from './run.ts';
import { makeStore } from './served.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
const fits = ajv.compile(JSON.parse(await readFile(schemaPath('definition.schema.json'), 'utf8')) as object);

/** What the parser refuses; null where it takes the file. */
function refusal(file: unknown): string | null {
  try {
    defineFrom(file, 'f.json', {}, { id: 'permits', created_at: '2026-01-01T00:00:00Z' });
    return null;
  } catch (error) {
    if (!isGazetteError(error, 'invalid_definition')) throw error;
    return error.message;
  }
}

/** What only the parser can say: names that two fields have, days that a month does not have, malformed URLs, what 78 digits exceed. */
const UNSAID =
  /^f\.json: (?:fields\[\d+\]\.(?:name must be a name no other field has|source_names must be names that belong to no)|created_at must be an RFC 3339 date-time such as \S+, got "\d{4}-\d\d-(?:29|30|31)T|homepage must be an absolute|prices\.x402\[\d\]\.amount must be .* below 2\^256)/;

const odd = fc.oneof(
  jsonValues(),
  fc.constantFrom<unknown>(null, '', ' ', '\ufeff', 'key', 'title', 'A', 0, 2026, 1969, 2026.5, true, [], {}, [
    'x',
    'x',
  ]),
);
const often = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: values }, { weight: 1, arbitrary: odd });
const sometimesMore = (object: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc.tuple(object, fc.nat(19)).map(([members, at]) => (at === 0 ? { ...members, feilds: [] } : members));
const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9_]{0,2}$/),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(65), 'data'),
);
const times = fc
  .tuple(dateTimes(), fc.nat(30), fc.constantFrom('', 'Z', '+14:00', '-14:01', '+5:00', '.5Z', '.1234567890Z', 'z'))
  .map(([time, at, end]) => (end === '' ? time : at < 11 ? time.slice(0, 19) + end : time.slice(0, at) + end));
const field = sometimesMore(
  fc.record(
    {
      name: often(name),
      type: often(fc.constantFrom(...FIELD_TYPES)),
      label: often(texts()),
      description: often(texts()),
      source_names: often(fc.array(name, { maxLength: 3 })),
      from_file: often(fc.boolean()),
    },
    { requiredKeys: ['name', 'type'] },
  ),
);
const amount = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constantFrom<unknown>(2 ** 53 - 1, 2 ** 53, 0.5, '2'));
const tokens = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 257n }).map(String),
  fc.constantFrom<unknown>('1', '01', '-1', '1.0', '9'.repeat(79), 1, 2 ** 60),
);
const chainPrice = fc.record(
  {
    network: often(fc.constantFrom('eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'base')),
    asset: often(fc.constantFrom(`0x${'aB'.repeat(20)}`, '')),
    amount: often(tokens),
    pay_to: often(fc.constant('0xaa')),
    name: often(texts()),
    version: often(fc.constant('2')),
  },
  { requiredKeys: ['network', 'asset', 'amount', 'pay_to', 'name', 'version'] },
);
const prices = sometimesMore(
  fc.record(
    {
      currency: often(fc.constantFrom('EUR', 'eur', 'EURO')),
      per_record: often(amount),
      x402: often(fc.array(chainPrice, { maxLength: 2 })),
    },
    { requiredKeys: ['currency', 'per_record'] },
  ),
);
const file = sometimesMore(
  fc.record(
    {
      $schema: often(fc.constant('../definition.schema.json')),
      id: often(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/)),
      title: often(texts()),
      description: often(texts()),
      language: often(fc.constantFrom('en', 'de-CH', 'x', 'sgn-BE-FR', 'en_GB', null)),
      author: often(texts()),
      rights: often(texts()),
      homepage: often(
        fc.oneof(
          urls(),
          fc.tuple(urls(), texts()).map(([url, text]) => url + text),
          fc.constantFrom('HTTP://a', 'https://:1', 'http:///a', 'https:a', 'ftp://a/'),
        ),
      ),
      created_at: often(times),
      uuid: often(fc.uuid()),
      authority: often(fc.constantFrom('example.org', 'a@example.org', 'Example.org', 'example..org', null)),
      year: often(fc.constantFrom(2026, 1970, 9999, null)),
      access: often(fc.constantFrom('tiered', 'open')),
      prices: often(prices),
      fields: often(fc.array(field, { maxLength: 3 })),
    },
    { requiredKeys: ['title'] },
  ),
);

it('takes what the parser takes, and nothing else that JSON Schema can tell', () => {
  const counts = { both: 0, neither: 0, unsaid: 0 };
  // What a file can say: JSON.
  const written = fc.oneof(file, definitions(), odd).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(written, (value) => {
      const refused = refusal(value);
      const isTaken = fits(value);
      counts[isTaken ? (refused === null ? 'both' : 'unsaid') : 'neither']++;
      expect(isTaken || refused !== null, `the parser takes ${JSON.stringify(value)}`).toBe(true);
      if (isTaken && refused !== null) expect(refused).toMatch(UNSAID);
    }),
    { numRuns: tries(1000) },
  );
  expect(Math.min(counts.both, counts.neither)).toBeGreaterThan(10);
});

it('takes the definitions that gazette writes, and a file may name its schema', async () => {
  const permits = JSON.parse(
    await readFile(join(import.meta.dirname, '../../fixtures/permits/definition.json'), 'utf8'),
  ) as object;
  expect(fits(permits), JSON.stringify(fits.errors)).toBe(true);
  const { path } = await makeStore(1);
  const show = await gazette(['register', 'show', 'permits', '--json', '--store', path]);
  const { definition } = JSON.parse(show.stdout.toString()) as { readonly definition: object };
  expect(fits(definition), JSON.stringify(fits.errors)).toBe(true);
  const named = `${path}.json`;
  await writeFile(named, JSON.stringify({ $schema: './definition.schema.json', ...definition, title: 'Named' }));
  const update = ['register', 'update', 'permits', '--store', path, '--json', '--definition'];
  const { code, stdout } = await gazette([...update, named]);
  expect([code, (JSON.parse(stdout.toString()) as { definition: object }).definition]).toEqual([
    0,
    { ...definition, title: 'Named' },
  ]);
});

it('takes --access, which stays until it is changed', async () => {
  const { path } = await makeStore(1);
  const accessAfter = async (...options: readonly string[]): Promise<unknown> => {
    const update = ['register', 'update', 'permits', '--store', path, '--json', ...options];
    const { stdout } = await gazette(update);
    const { definition } = JSON.parse(stdout.toString()) as { readonly definition: { readonly access?: string } };
    expect(fits(definition), JSON.stringify(fits.errors)).toBe(true);
    return definition.access;
  };
  expect(await accessAfter('--access', 'open')).toBe('open');
  expect(await accessAfter('--title', 'Other')).toBe('open');
  expect(await accessAfter('--access', 'tiered')).toBeUndefined();
  const refused = await gazette(['register', 'update', 'permits', '--store', path, '--access', 'closed']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('tiered, open')]);
});

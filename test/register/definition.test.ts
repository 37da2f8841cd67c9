import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DefinitionInput, defineRegister } from '../../src/register/definition.ts';
import { allFields, CORE_FIELDS, RESERVED_FIELD_NAMES } from '../../src/register/fields.ts';
import { definitions, RUNS } from '../properties/arbitraries.ts';

const MINIMAL: DefinitionInput = { id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' };

describe('defineRegister', () => {
  it('fills in what is left out', () => {
    expect(defineRegister(MINIMAL)).toEqual({
      id: 'permits',
      title: 'Permits',
      description: '',
      language: null,
      author: null,
      rights: null,
      homepage: null,
      created_at: '2026-01-01T00:00:00Z',
      uuid: null,
      authority: null,
      year: null,
      fields: [],
    });
  });

  it('keeps what is given', () => {
    const whole: DefinitionInput = {
      ...MINIMAL,
      description: 'All of them.',
      language: 'de-CH',
      author: 'Umweltamt',
      rights: 'CC0 1.0',
      homepage: 'https://permits.example.org/',
      uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
      authority: 'permits.example.org',
      year: 2026,
      fields: [{ name: 'fee_eur', label: 'Fee', type: 'number', description: 'What it costs.' }],
    };
    expect(defineRegister(whole)).toEqual(whole);
  });

  it('labels a field by its name when it has no label', () => {
    const { fields } = defineRegister({ ...MINIMAL, fields: [{ name: 'fee', type: 'number' }] });
    expect(fields).toEqual([{ name: 'fee', label: 'fee', type: 'number' }]);
  });

  it('changes nothing in a definition it has made', () => {
    fc.assert(
      fc.property(definitions(), (definition) => {
        const { title, author, rights } = definition;
        const texts = [
          title,
          author,
          rights,
          ...definition.fields.flatMap((field) => [field.label, field.description]),
        ];
        // The arbitrary's texts may be white space alone, which a definition's may not.
        fc.pre(texts.every((text) => text?.trim() !== ''));
        const made = defineRegister(definition);
        expect(made).toEqual(definition);
        expect(defineRegister(made)).toEqual(made);
      }),
      { numRuns: RUNS },
    );
  });

  it('is detached from what it was given', () => {
    const fields = [{ name: 'fee', type: 'number' as const }];
    const definition = defineRegister({ ...MINIMAL, fields });
    fields.push({ name: 'late', type: 'number' });
    expect(definition.fields).toHaveLength(1);
  });

  it.each(['a', '0', 'permits-2026', 'x'.repeat(64)])('takes the id %s', (id) => {
    expect(defineRegister({ ...MINIMAL, id }).id).toBe(id);
  });

  it.each(['en', 'de-CH', 'zh-Hant-TW', 'sl-rozaj-biske', 'ast'])('takes the language %s', (language) => {
    expect(defineRegister({ ...MINIMAL, language }).language).toBe(language);
  });

  it.each([
    'example.org',
    'a.b-c.d',
    'localhost',
    'registry@example.org',
    'First.Last@example.org',
    'xn--bcher-kva.example',
  ])('takes the authority %s', (authority) => {
    expect(defineRegister({ ...MINIMAL, authority, year: 2026 }).authority).toBe(authority);
  });

  const ID = 'id must be 1..64 of a-z 0-9 - and not starting with -';
  const LANGUAGE = 'language must be a BCP 47 language tag such as en or de-CH';
  const UUID = '2ed6657d-e927-568b-95e1-2665a8aea6a2';
  const UUID_TEXT = `uuid must be a UUID in lower case such as ${UUID}`;
  const AUTHORITY = 'authority must be a domain name in lower case, or an e-mail address';
  const CREATED = 'created_at must be an RFC 3339 date-time such as 2026-01-01T00:00:00Z';
  const TYPES = 'fields[0].type must be one of text, number, decimal, integer, boolean, date, datetime, url, json';
  const NAME = 'fields[0].name must be 1..64 of a-z 0-9 _ and starting with a letter';
  const field = (more: object): object => ({ fields: [{ name: 'fee', type: 'number', ...more }] });

  it.each<readonly [string, object, string]>([
    ['no id', { id: undefined }, `${ID}, got nothing`],
    ['an empty id', { id: '' }, `${ID}, got ""`],
    ['an id in capitals', { id: 'Permits' }, `${ID}, got "Permits"`],
    ['an id that starts with a hyphen', { id: '-a' }, `${ID}, got "-a"`],
    ['an id with a colon', { id: 'a:b' }, `${ID}, got "a:b"`],
    ['an id of 65 characters', { id: 'x'.repeat(65) }, `${ID}, got "${'x'.repeat(60)}…"`],
    ['an id with a line feed', { id: 'a\n' }, `${ID}, got "a\\n"`],
    ['a number for an id', { id: 5 }, `${ID}, got 5`],
    ['no title', { title: undefined }, 'title must be text that is not empty, got nothing'],
    ['an empty title', { title: '' }, 'title must be text that is not empty, got ""'],
    ['a title of spaces', { title: '  ' }, 'title must be text that is not empty, got "  "'],
    ['null for a title', { title: null }, 'title must be text that is not empty, got null'],
    ['a number for a description', { description: 5 }, 'description must be text, got 5'],
    ['a language that is none', { language: 'e' }, `${LANGUAGE}, got "e"`],
    ['a language with an underscore', { language: 'de_CH' }, `${LANGUAGE}, got "de_CH"`],
    ['an empty language', { language: '' }, `${LANGUAGE}, got ""`],
    ['an empty author', { author: '' }, 'author must be text that is not empty, got ""'],
    ['an object for an author', { author: { name: 'x' } }, 'author must be text that is not empty, got {"name":"x"}'],
    ['empty rights', { rights: ' ' }, 'rights must be text that is not empty, got " "'],
    ['a relative homepage', { homepage: '/permits' }, 'homepage must be an absolute http(s) URL, got "/permits"'],
    [
      'a script for a homepage',
      { homepage: 'javascript:x' },
      'homepage must be an absolute http(s) URL, got "javascript:x"',
    ],
    ['a number for a homepage', { homepage: 5 }, 'homepage must be an absolute http(s) URL, got 5'],
    ['no creation date', { created_at: undefined }, `${CREATED}, got nothing`],
    ['a creation date without a time', { created_at: '2026-01-01' }, `${CREATED}, got "2026-01-01"`],
    ['a date object', { created_at: new Date(0) }, `${CREATED}, got "1970-01-01T00:00:00.000Z"`],
    ['a UUID in capitals', { uuid: UUID.toUpperCase() }, `${UUID_TEXT}, got "${UUID.toUpperCase()}"`],
    ['a UUID in braces', { uuid: `{${UUID}}` }, `${UUID_TEXT}, got "{${UUID}}"`],
    ['a number for a UUID', { uuid: 1 }, `${UUID_TEXT}, got 1`],
    ['an authority in capitals', { authority: 'Example.org', year: 2026 }, `${AUTHORITY}, got "Example.org"`],
    [
      'an address for an authority',
      { authority: 'https://example.org', year: 2026 },
      `${AUTHORITY}, got "https://example.org"`,
    ],
    ['an authority with an empty label', { authority: 'a..b', year: 2026 }, `${AUTHORITY}, got "a..b"`],
    ['an authority that ends in a hyphen', { authority: 'a-.b', year: 2026 }, `${AUTHORITY}, got "a-.b"`],
    ['an authority with a comma', { authority: 'a,b', year: 2026 }, `${AUTHORITY}, got "a,b"`],
    ['a year as text', { authority: 'a.b', year: '2026' }, 'year must be a year such as 2026, as a number, got "2026"'],
    [
      'a year before the web',
      { authority: 'a.b', year: 1969 },
      'year must be a year such as 2026, as a number, got 1969',
    ],
    ['half a year', { authority: 'a.b', year: 2026.5 }, 'year must be a year such as 2026, as a number, got 2026.5'],
    [
      'an authority without a year',
      { authority: 'a.b' },
      'year must be given when the other of authority and year is (RFC 4151), got null',
    ],
    [
      'a year without an authority',
      { year: 2026 },
      'authority must be given when the other of authority and year is (RFC 4151), got null',
    ],
    ['fields that are no array', { fields: {} }, 'fields must be an array, got {}'],
    ['a field that is a text', { fields: ['fee'] }, 'fields[0] must be an object with name and type, got "fee"'],
    ['a field that is null', { fields: [null] }, 'fields[0] must be an object with name and type, got null'],
    ['a field without a name', field({ name: undefined }), `${NAME}, got nothing`],
    ['a field name in capitals', field({ name: 'Fee' }), `${NAME}, got "Fee"`],
    ['a field name that starts with a digit', field({ name: '1st' }), `${NAME}, got "1st"`],
    ['a field name of a prototype', field({ name: '__proto__' }), `${NAME}, got "__proto__"`],
    ['a field name of 65 characters', field({ name: 'x'.repeat(65) }), `${NAME}, got "${'x'.repeat(60)}…"`],
    [
      'a field called like a core field',
      field({ name: 'title' }),
      'fields[0].name must be no name of a core field, got "title"',
    ],
    ['a field called data', field({ name: 'data' }), 'fields[0].name must be no name of a core field, got "data"'],
    ['a field without a type', field({ type: undefined }), `${TYPES}, got nothing`],
    ['an unknown type', field({ type: 'money' }), `${TYPES}, got "money"`],
    ['an empty label', field({ label: '' }), 'fields[0].label must be text that is not empty, got ""'],
    [
      'a number for a description of a field',
      field({ description: 1 }),
      'fields[0].description must be text that is not empty, got 1',
    ],
    [
      'an unknown member of a field',
      field({ unit: 'EUR' }),
      'fields[0].unit must be absent: a field has name, label, type, description, source_names, from_file, filterable, got "EUR"',
    ],
    [
      'another mark of a field from a file',
      field({ from_file: 'yes' }),
      'fields[0].from_file must be true, or left out, got "yes"',
    ],
    [
      'two fields of one name',
      {
        fields: [
          { name: 'a', type: 'text' },
          { name: 'a', type: 'date' },
        ],
      },
      'fields[1].name must be a name no other field has, got "a"',
    ],
    [
      'a price of a fraction',
      { prices: { currency: 'EUR', per_record: 1.5 } },
      'prices.per_record must be a whole number from 1 on, in the smallest unit of the currency, got 1.5',
    ],
    [
      'a price without its currency',
      { prices: { per_record: 2 } as never },
      'prices.currency must be a code of ISO 4217 such as EUR, got nothing',
    ],
    [
      'a price of another kind',
      { prices: { currency: 'EUR', per_record: 2, per_feed: 9 } as never },
      'prices.per_feed must be absent: known are currency, per_record, x402, got 9',
    ],
    [
      'prices of an open register',
      { access: 'open' as const, prices: { currency: 'EUR', per_record: 2 } },
      'prices must be left out: everybody reads an open register whole, got {"currency":"EUR","per_record":2}',
    ],
    [
      'no prices on chain',
      { prices: { currency: 'EUR', per_record: 2, x402: [] } },
      'prices.x402 must be a list of 1..8 prices, got []',
    ],
    ['entries of a log for others', { log: 'open' as never }, 'log must be public or pro, got "open"'],
  ])('refuses %s', (_, change, message) => {
    const member = /^(\S+) must/.exec(message)![1];
    expect(() => defineRegister({ ...MINIMAL, ...change })).toThrow(
      expect.objectContaining({ code: 'invalid_definition', message, details: { member } }),
    );
  });

  it('says only where entries of its log are kept that they are', () => {
    expect(defineRegister({ ...MINIMAL, log: 'pro' }).log).toBe('pro');
    for (const log of ['public', undefined, null as never] as const)
      expect(defineRegister({ ...MINIMAL, ...(log === undefined ? {} : { log }) })).not.toHaveProperty('log');
  });

  it('keeps prices, and has none of its own', () => {
    const network = 'eip155:8453';
    const x402 = [
      { network, asset: '0xA0', amount: '1000000000000000000', pay_to: '0xB0', name: 'USD Coin', version: '2' },
    ];
    for (const prices of [
      { currency: 'EUR', per_record: 2 },
      { currency: 'USD', per_record: 1, x402 },
    ]) {
      expect(defineRegister({ ...MINIMAL, prices }).prices).toEqual(prices);
    }
    expect(defineRegister(MINIMAL)).not.toHaveProperty('prices');
  });

  it('takes every amount of a token as digits, and none as a number', () => {
    const priced = (amount: unknown): (() => unknown) => {
      const offer = { network: 'eip155:8453', asset: '0xA0', amount, pay_to: '0xB0', name: 'Token', version: '2' };
      const prices = { currency: 'EUR', per_record: 2, x402: [offer] } as never;
      return () => defineRegister({ ...MINIMAL, prices }).prices?.x402?.[0]?.amount;
    };
    for (const units of [1n, 10n ** 18n, 2n ** 63n, 2n ** 256n - 1n])
      expect(priced(String(units))()).toBe(String(units));
    const wrong = [
      20_000,
      1e18,
      '',
      '0',
      '01',
      '-1',
      '+1',
      '1.5',
      '1e18',
      ' 1',
      '0x10',
      String(2n ** 256n),
      '9'.repeat(79),
    ];
    for (const amount of wrong) {
      expect(priced(amount), String(amount)).toThrow(
        expect.objectContaining({
          code: 'invalid_definition',
          message: expect.stringContaining('[0].amount must be a text of digits from "1" on and below 2^256') as string,
        }),
      );
    }
  });

  it('refuses an unknown member and names those it knows', () => {
    expect(() => defineRegister({ ...MINIMAL, titel: 'x' } as DefinitionInput)).toThrow(
      expect.objectContaining({
        code: 'invalid_definition',
        message:
          'unknown member "titel" in the definition; known are id, title, description, language, author, rights, homepage, created_at, uuid, authority, year, access, prices, search, log, fields',
        details: { member: 'titel' },
      }),
    );
  });

  it.each([[null], ['text'], [[]], [undefined], [5]])('refuses %j for a definition', (input) => {
    expect(() => defineRegister(input as never)).toThrow(/^definition must be a JSON object, got /);
  });

  it('comes to an end with a hostile authority', () => {
    const authority = `${'a-'.repeat(20_000)}!`;
    expect(() => defineRegister({ ...MINIMAL, authority, year: 2026 })).toThrow(/^authority must be/);
  });
});

describe('the fields of a register', () => {
  it('are the core fields, then its own', () => {
    const definition = defineRegister({ ...MINIMAL, fields: [{ name: 'fee', type: 'number' }] });
    expect(allFields(definition).map(({ name }) => name)).toEqual([
      ...['id', 'feed_id', 'key', 'title', 'summary', 'content', 'content_type', 'author', 'document_type'],
      ...['facility_id', 'source_url', 'published_at', 'observed_at', 'updated_at', 'version', 'position', 'fee'],
    ]);
  });

  it('may not be called like a core field or data', () => {
    expect([...RESERVED_FIELD_NAMES]).toEqual([...CORE_FIELDS.map(({ name }) => name), 'data']);
  });
});

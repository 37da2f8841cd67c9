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

  it('says only where entries of its log are kept that they are', () => {
    expect(defineRegister({ ...MINIMAL, log: 'pro' }).log).toBe('pro');
    for (const log of ['public', undefined, null as never] as const)
      expect(defineRegister({ ...MINIMAL, ...(log === undefined ? {} : { log }) })).not.toHaveProperty('log');
  });

  it.each(['1h', '36h', '7d', '9999w'])('expects a file every %s', (every) => {
    expect(defineRegister({ ...MINIMAL, every }).every).toBe(every);
  });

  it.each(['0d', '7', 'd', '7 d', '7D', '1.5d', '10000d', 7 as never])('cannot expect a file every %s', (every) => {
    expect(() => defineRegister({ ...MINIMAL, every })).toThrow('every must be such as 36h, 7d or 2w');
  });

  it.each([null, undefined])('expects no file where every is %s', (every) => {
    expect(defineRegister({ ...MINIMAL, ...(every === undefined ? {} : { every }) })).not.toHaveProperty('every');
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
          'unknown member "titel" in the definition; known are id, title, description, language, author, rights, homepage, created_at, uuid, authority, year, access, prices, search, log, every, fields',
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

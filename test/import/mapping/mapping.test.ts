import { describe, expect, it } from 'vitest';
import { parseMapping, readSource, resolveTargets } from '../../../src/import/mapping/mapping.ts';
import type { RawValue } from '../../../src/import/readers/raw-record.ts';

/** What `FIELD=SOURCE` gives for a record. */
function read(expression: string, record: RawValue): RawValue | undefined {
  return readSource(parseMapping([expression])[0]!, record, 'file: line 1');
}

describe('a mapping', () => {
  it('holds rules separated by commas, in one expression or several', () => {
    const targets = (...expressions: string[]): string[] => parseMapping(expressions).map(({ target }) => target);
    expect(targets('id=cveID,title=vulnerabilityName')).toEqual(['id', 'title']);
    expect(targets('id=cveID', ' title = name , data.cvss_v3=score')).toEqual(['id', 'title', 'data.cvss_v3']);
  });

  it.each<[string, string, RawValue, RawValue | undefined]>([
    ['takes a property', 'title=name', { name: 'A' }, 'A'],
    [
      'takes a value of any kind as it is',
      'data.x=list',
      { list: [1, { a: 12345678901234567890n }] },
      [1, { a: 12345678901234567890n }],
    ],
    ['takes a column with spaces around its name', 'title=Amount', { ' Amount ': 'A' }, 'A'],
    ['takes such a column in a template', 'title={Amount}-{n}', { ' Amount ': 'A', 'n\t': 1 }, 'A-1'],
    ['takes a column of the very name first', 'title=Amount', { ' Amount ': 'A', Amount: 'B' }, 'B'],
    ['follows a path', 'author=meta.org.name', { meta: { org: { name: 'EPA' } } }, 'EPA'],
    ['follows a path into arrays', 'author=links.1.href', { links: [{ href: 'a' }, { href: 'b' }] }, 'b'],
    ['follows a JSON Pointer', 'author=/meta/org.name', { meta: { 'org.name': 'EPA' } }, 'EPA'],
    ['finds nothing where there is nothing', 'author=meta.org.name', { meta: { org: null } }, undefined],
    ['finds nothing that objects only inherit', 'author=constructor.name', {}, undefined],
    ['keeps null', 'author=name', { name: null }, null],
    ['fills a URL', 'source_url=https://example.org/{id}', { id: 'a/b c&ü' }, 'https://example.org/a%2Fb%20c%26%C3%BC'],
    [
      'fills a URL from numbers',
      'source_url=https://example.org/{a.b}?n={n}',
      { a: { b: 12345678901234567890n }, n: 5 },
      'https://example.org/12345678901234567890?n=5',
    ],
    ['fills a text as it is', 'title={product} ({vendor})', { product: 'A/B', vendor: 'C & D' }, 'A/B (C & D)'],
    [
      'takes a URL without places as a constant',
      'source_url=http://example.org/register',
      {},
      'http://example.org/register',
    ],
    [
      'keeps what has a meaning in a URL where it is told to',
      'source_url=https://example.org/{+number}',
      { number: "2026/0417 ü?a=[1]&50%#'%20" },
      "https://example.org/2026/0417%20%C3%BC?a=[1]&50%25#'%20",
    ],
    ['writes a default for what is null', 'title=No. {n|none}', { n: null }, 'No. none'],
    ['writes a default for what is absent', 'title=No. {n|none}', {}, 'No. none'],
    ['writes no default for what is there', 'title=No. {n|none}', { n: 0 }, 'No. 0'],
    ['may write nothing at all', 'title=A{n|}', {}, 'A'],
    [
      'encodes a default like a value',
      'source_url=https://example.org/{+a|b c}/{d|e/f}',
      {},
      'https://example.org/b%20c/e%2Ff',
    ],
    ['knows columns by names in any script', 'title={Größe} {Название}', { Größe: 'XL', Название: 'Б' }, 'XL Б'],
    ['knows a letter however it is composed', 'title=Gro\u0308\u00dfe', { 'Gr\u00f6\u00dfe': 'XL' }, 'XL'],
    ['knows a column with dots', 'id=lfd. Nr.', { 'lfd. Nr.': '7' }, '7'],
    ['knows a column with dots in a template', 'title={Tel. privat}', { 'Tel. privat': '1' }, '1'],
    ['prefers a column to a path', 'title=a.b', { 'a.b': 'column', a: { b: 'path' } }, 'column'],
    ['writes braces that are doubled', 'title={{{a}}}', { a: 1 }, '{1}'],
    [
      'allows commas in a template',
      'source_url=https://example.org/?q=a,{id},b',
      { id: 1 },
      'https://example.org/?q=a,1,b',
    ],
  ])('%s', (_title, expression, record, expected) => {
    expect(read(expression, record)).toEqual(expected);
  });

  it.each<[string, string, RawValue, string]>([
    ['is absent', 'source_url=https://example.org/{id}', {}, 'file: line 1: source_url needs "id", which is absent'],
    ['is null', 'title={a.b}', { a: { b: null } }, 'file: line 1: title needs "a.b", which is null'],
    ['is an array', 'title={a}', { a: [] }, 'file: line 1: title needs "a", which is an array'],
    ['is an object', 'title={a}', { a: {} }, 'file: line 1: title needs "a", which is an object'],
    [
      'is no Unicode text',
      'source_url=https://example.org/{a}',
      { a: '\ud800' },
      'file: line 1: source_url needs "a", which is no Unicode text',
    ],
  ])('refuses a record where what a template needs %s', (_title, expression, record, message) => {
    expect(() => read(expression, record)).toThrow(expect.objectContaining({ code: 'invalid_record', message }));
  });

  it.each<[string, string[], string]>([
    ['no equals sign', ['title'], 'expected FIELD=SOURCE, got "title"'],
    ['no source', ['title='], 'expected FIELD=SOURCE, got "title="'],
    ['no field', ['=name'], 'expected FIELD=SOURCE, got "=name"'],
    ['nothing', [''], 'expected FIELD=SOURCE, got ""'],
    ['a field that the register gives', ['position=n'], '"position" is not a field'],
    ['a field name no definition can have', ['data.Due-Date=n'], '"data.Due-Date" is not a field'],
    ['one field twice', ['title=a', 'title=b'], 'title is mapped twice'],
    [
      'a name that no field can have',
      ['title=name,größe=Größe'],
      '"größe" is not a field; expected id, title, summary, content, content_type, author, document_type, facility_id, source_url, published_at, observed_at, updated_at, version, or data.NAME (in a template write , before name= as %2C)',
    ],
    ['an open brace', ['title={a'], 'unpaired { in "{a"; a brace itself is written twice'],
    ['a closing brace alone', ['title=a}'], 'unpaired } in "a}"; a brace itself is written twice'],
    ['empty braces', ['title={}'], 'unpaired { in "{}"; a brace itself is written twice'],
  ])('is refused with %s', (_title, expressions, message) => {
    expect(() => parseMapping(expressions)).toThrow(
      expect.objectContaining({
        code: 'invalid_mapping',
        message: expect.stringContaining(`the mapping is not valid: ${message}`) as unknown,
      }),
    );
  });
});

describe('the targets of a mapping', () => {
  const definition = { fields: [{ name: 'area', label: 'Area', type: 'number' as const }] };
  const targets = (expression: string, given: typeof definition | null, keeps = false): string[] =>
    resolveTargets(parseMapping([expression]), given, keeps).map(({ target }) => target);

  it('are core fields, and the definition’s own by their names alone', () => {
    expect(targets('title=Name,area=Größe', definition)).toEqual(['title', 'data.area']);
    expect(targets('data.area=Größe', definition)).toEqual(['data.area']);
  });

  it('may be other names only behind data, where they are kept or yet to be found', () => {
    expect(targets('data.colour=Farbe', null)).toEqual(['data.colour']);
    expect(targets('data.colour=Farbe', definition, true)).toEqual(['data.colour']);
  });

  it.each<[string, string, typeof definition | null, string]>([
    ['a wrong name', 'titel=Name', null, '"titel" is not a field, the nearest is title; expected id, title'],
    [
      'a wrong name for a declared field',
      'aera=Größe',
      definition,
      '"aera" is not a field, the nearest is area; expected id, ',
    ],
    ['a field that is not declared', 'data.colour=Farbe', definition, '"data.colour" is not a field; expected id, '],
    ['one field under both its names', 'area=a,data.area=b', definition, 'data.area is mapped twice'],
  ])('are refused with %s', (_title, expression, given, message) => {
    expect(() => targets(expression, given)).toThrow(
      expect.objectContaining({
        code: 'invalid_mapping',
        message: expect.stringContaining(`the mapping is not valid: ${message}`) as unknown,
      }),
    );
  });
});

// Two registers with fields of their own of every type, one open and one of both tiers, and questions that find something
// in them: filters, figures, chosen fields, pages, changes, exports, agents' calls.
import fc from 'fast-check';
import { defineRegister } from '../../src/register/definition.ts';
import { uuidsIn } from '../../src/register/uuid.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { at, say } from './store-register.ts';

const FIELDS = [
  { name: 'place', type: 'text', filterable: true },
  { name: 'area', type: 'number', filterable: true },
  { name: 'floors', type: 'integer', filterable: true },
  { name: 'price', type: 'decimal', filterable: true },
  { name: 'is_new', type: 'boolean', filterable: true },
  { name: 'due', type: 'date', filterable: true },
  { name: 'seen', type: 'datetime', filterable: true },
  { name: 'page', type: 'url', filterable: true },
  { name: 'codes', type: 'json', filterable: true },
  { name: 'rest', type: 'json' },
] as const;

const RECORDS = 40;

/** Every third has no values. */
const valuesAt = (n: number): object => ({
  ...{ place: n % 2 === 0 ? 'Ede' : 'ede', area: n / 4, floors: n, price: `${n}.10`, is_new: n % 5 === 0 },
  ...{ due: `2026-0${1 + (n % 9)}-15`, seen: `2026-04-0${1 + (n % 9)}T08:00:00Z`, page: `https://example.org/${n}` },
  ...{ codes: ['CWE-79', `CWE-${n}`], rest: { list: [n, { more: null }], text: 'a "phrase" of words' } },
});

/** The registers. */
export const TYPED: readonly string[] = ['sites', 'open'];

/** Makes them, and changes some of their records once more. */
export async function addTypedRegisters(store: RegisterStore): Promise<void> {
  for (const id of TYPED) {
    await store.createRegister(
      defineRegister({
        ...{ id, title: 'Sites', created_at: at(0), uuid: uuidsIn('2ed6657d-e927-568b-95e1-2665a8aea6a2')(id) },
        ...(id === 'open' ? { access: 'open' } : {}),
        fields: FIELDS,
      }),
    );
    const records = (title: string, count: number): ReturnType<typeof say>[] =>
      Array.from({ length: count }, (_, n) => {
        const data = n % 3 === 2 ? Object.fromEntries(FIELDS.map(({ name }) => [name, null])) : valuesAt(n);
        return say(String(n), { title: `${title} ${n}`, content: 'Much\nmore', data: data as never }, id);
      });
    await store.apply(id, records('Site', RECORDS), { recordedAt: at(0) });
    await store.apply(id, records('Site corrected', 9), { recordedAt: at(1) });
    await store.withdraw(id, [`${id}:1`], { recordedAt: at(1) });
  }
}

/** What finds something, or nothing. */
const FILTERS: readonly string[] = [
  ...['document_type=adopted', 'document_type=draft', 'facility_id=FAC-0001', 'key=5', 'key=5&key=6', 'q=site'],
  ...['q=%22site+corrected%22', 'q=-corrected', 'q=cwe-79', 'q=nothing', 'published_since=2026-01-01'],
  ...['published_until=2026-01-01', 'updated_since=2026-05-01', 'data.place=EDE', 'data.place=a&data.place=ede'],
  ...['data.area=1', 'data.area_min=2.5', 'data.area_max=5', 'data.floors=4', 'data.floors_min=3'],
  ...['data.price=4.10', 'data.price_max=12.1', 'data.is_new=true', 'data.is_new=false', 'data.due=2026-01-15'],
  ...['data.due_since=2026-03-01', 'data.due_until=2026-03-01', 'data.seen_since=2026-04-03T00:00:00Z'],
  ...['data.page=https://example.org/4', 'data.codes=cwe-79', 'data.codes=CWE-4&data.codes=CWE-6'],
];

const pages = fc.oneof(
  fc.constantFrom('limit=1', 'limit=2', 'limit=100', 'limit=3&offset=2', 'offset=39', 'limit=5&as_of=20', 'as_of=40'),
  fc.constantFrom('fields=id', 'fields=title,data.codes', 'fields=data,summary&limit=2', 'fields=data.price,key'),
);
const FIGURES: readonly string[] = [
  ...['measure=count', 'by=document_type', 'by=data.place', 'by=data.due:month&top=2', 'by=data.codes&order=key'],
  ...['measure=sum:data.price', 'measure=avg:data.area&by=data.is_new', 'measure=min:data.due', 'measure=max:seen'],
  ...['measure=max:published_at&by=data.place,data.seen:day', 'measure=sum:data.floors&by=data.codes&order=value'],
  ...['field=data.codes', 'field=document_type,data.place', 'by=data.floors&top=1&offset=3', 'measure=avg:data.rest'],
];

const joined = (...parts: readonly string[]): string => {
  const given = parts.filter((part) => part !== '').join('&');
  return given === '' ? '' : `?${given}`;
};
const filters = fc.uniqueArray(fc.constantFrom(...FILTERS), { maxLength: 2 }).map((chosen) => chosen.join('&'));
const ids = fc.constantFrom(...TYPED);
const optional = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(''), arbitrary);

/** Addresses below `/api/v1`. */
export const typedTargets: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(ids, filters, optional(pages))
      .map(([id, chosen, page]) => `/feeds/${id}/records${joined(chosen, page)}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(ids, fc.constantFrom('csv', 'xlsx', 'xml', 'rss', 'atom'), filters, optional(pages))
      .map(([id, format, chosen, page]) => `/feeds/${id}/records/export.${format}${joined(chosen, page)}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(ids, filters, optional(fc.constantFrom(...FIGURES)))
      .map(([id, chosen, figures]) => `/feeds/${id}/facets${joined(figures, chosen)}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ids, filters, fc.constantFrom('', 'since=0', 'since=41&limit=3', 'since=45', 'statement=1', 'proof=1'))
      .map(([id, chosen, since]) => `/feeds/${id}/changes${joined(since, chosen)}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ids, fc.constantFrom('csv', 'xlsx', 'xml', 'ndjson'), filters, fc.constantFrom('', 'fields=id,data.codes'))
      .map(([id, format, chosen, fields]) => `/feeds/${id}/register.${format}${joined(chosen, fields)}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ids, fc.nat({ max: RECORDS }), fc.constantFrom('', '/history', '/history?limit=1', '/history?statement=1'))
      .map(([id, n, rest]) => `/records/${id}:${n}${rest}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ids, fc.constantFrom('', '/register.xsd', '/openapi.json', '/records/pages/000001.json'))
      .map(([id, rest]) => `/feeds/${id}${rest}`),
  },
);

/** Calls of agents' tools. */
export const typedCalls: fc.Arbitrary<{ readonly tool: string; readonly given: object }> = fc
  .tuple(
    ids,
    fc.constantFrom(
      { tool: 'read_register', given: { limit: 2, where: [{ field: 'codes', op: 'is', value: 'cwe-79' }] } },
      { tool: 'ask_register', given: { by: ['data.codes'] } },
      { tool: 'changes', given: { since: 0 } },
      { tool: 'search', given: { query: 'site' } },
    ),
  )
  .map(([feed_id, { tool, given }]) => ({ tool, given: { feed_id, ...given } }));

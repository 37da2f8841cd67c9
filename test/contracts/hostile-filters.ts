// The worst that a caller could ask a register of HOSTILE_RECORDS: words and values that all have, that half have and never
// together, phrases and beginnings that none has, as many as a filter takes.
import type { Filter } from '../../src/register/page.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import { say } from './store-register.ts';

/** The register that is asked. */
export const HOSTILE_REGISTER: RegisterDefinition = defineRegister({
  ...{ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' },
  fields: [
    { name: 'area', type: 'number', filterable: true },
    { name: 'municipality', type: 'text', filterable: true },
    { name: 'decided', type: 'date', filterable: true },
    { name: 'is_final', type: 'boolean', filterable: true },
  ],
});

/** The record of a position: every word that is asked for is common, and two halves have nothing in common. */
export function hostileRecord(position: number): PublishedRecord {
  const half = position % 2 === 0 ? 'even' : 'odd';
  const many = Array.from({ length: 32 }, (_, index) => `w${index}`).join(' ');
  return say(String(position), {
    title: `common notice public ${half}`,
    summary: many,
    document_type: `type ${position % 5}`,
    facility_id: `F${position % 100}`,
    published_at: `20${String(10 + (position % 15))}-0${1 + (position % 9)}-1${position % 10}`,
    data: {
      area: (position % 1000) + 0.5,
      municipality: `M${position % 50}`,
      decided: `2025-0${1 + (position % 9)}-01`,
      is_final: position % 2 === 0,
    },
  });
}

const list = (count: number, toValue: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => toValue(at));
const words = list(32, (index) => `w${index}`);

/** What is asked, by what is bad about it. None of them matches a record. */
export const HOSTILE_FILTERS: Readonly<Record<string, Filter>> = {
  'two halves': { q: 'even odd' },
  'two halves and what all have': { q: 'common even odd public' },
  'two halves, the one as a value': { q: 'odd', 'data.is_final': 'true' },
  'two values that exclude each other': { 'data.is_final': 'true', 'data.area_max': '0.4' },
  'a phrase in the wrong order': { q: '"public notice"' },
  'a phrase of 32 words': { q: `"${words.toReversed().join(' ')}"` },
  'a phrase over two texts': { q: '"even w0"' },
  '16 phrases': { q: list(16, (index) => `"w${index + 1} w${index}"`).join(' ') },
  'a phrase of one word twice': { q: '"common common"' },
  'a phrase with a beginning': { q: '"notice comm"*' },
  'a beginning that none has': { q: 'zzz*' },
  'the shortest beginning and none': { q: 'c* zzz*' },
  '32 beginnings, one that none has': { q: `${list(31, (index) => `w${index}*`).join(' ')} zzz*` },
  'everything but what all have': { q: '-common' },
  'everything but both halves': { q: '-even -odd' },
  'everything but a beginning that all have': { q: '-w*' },
  'everything but 32 words': { q: words.map((word) => `-${word}`).join(' ') },
  'a common word without what all have': { q: 'common -w31' },
  'a common word without a phrase that all have': { q: 'common -"common notice"' },
  '32 words that all have, without one': { q: `${words.slice(1).join(' ')} -w0` },
  '31 words that all have, and one that none has': { q: `${words.slice(1).join(' ')} nothing` },
  'a word that none has': { q: 'nothing' },
  '32 words that none has': { q: list(32, (index) => `nothing${index}`).join(' ') },
  'a hundred document types that none has': { document_type: list(100, (index) => `other ${index}`) },
  'a hundred facilities, and the other half': { facility_id: list(50, (index) => `F${index * 2}`), q: 'odd' },
  'fifty municipalities, and the other half': {
    'data.municipality': list(25, (index) => `M${index * 2 + 1}`),
    q: 'even',
  },
  'a hundred municipalities that none has': { 'data.municipality': list(100, (index) => `other ${index}`) },
  'fifty facilities and other municipalities': {
    facility_id: list(50, (index) => `F${index * 2}`),
    'data.municipality': list(25, (index) => `M${index * 2 + 1}`),
  },
  'every number, and two halves': { 'data.area_min': '-1e300', 'data.area_max': '1e300', q: 'even odd' },
  'a bucket between its numbers': { 'data.area_min': '0.51', 'data.area_max': '1.49' },
  'numbers between the numbers': { 'data.area_min': '500.6', 'data.area_max': '501.4' },
  'numbers that none has': { 'data.area_min': '1e9' },
  'numbers the wrong way round': { 'data.area_min': '10', 'data.area_max': '5' },
  'all numbers but the least': { 'data.area_min': '0.500001', 'data.area_max': '1.499999', q: 'common' },
  'every day until today, and two halves': { published_until: '2200-01-01', q: 'even odd' },
  'a day between the days': { published_since: '2020-05-19T00:00:00.001Z', published_until: '2020-05-20' },
  'a hundred centuries': { published_since: '0001-01-01', published_until: '9999-12-31', q: 'nothing' },
  'the days before the first': { published_until: '2009-12-31' },
  'a month without its days': { published_since: '2020-01-20', published_until: '2020-02-01' },
  'days the wrong way round': { published_since: '2026-01-01', published_until: '2025-01-01' },
  'a millisecond after the imports': { updated_since: '2026-05-01T00:59:59.999Z' },
  'a moment in the midst of the imports': {
    updated_since: '2026-05-01T00:00:00.0001Z',
    updated_until: '2026-05-01T00:00:00.0002Z',
  },
  'observed before all': { observed_until: '2026-04-30' },
  'own days between the days': { 'data.decided_since': '2025-03-02', 'data.decided_until': '2025-03-31' },
  'own days and the other half': {
    'data.decided_since': '2025-01-01',
    'data.decided_until': '2026-01-01',
    q: 'even odd',
  },
  'both of a truth': { 'data.is_final': ['true', 'false'], q: 'even odd' },
  'one type and another facility': { document_type: 'type 1', facility_id: list(20, (index) => `F${index * 5}`) },
  'everything at once': {
    ...{ document_type: list(5, (index) => `type ${index}`), facility_id: list(100, (index) => `F${index}`) },
    ...{ published_since: '2010-01-02', published_until: '2025-01-01', updated_since: '2026-01-01' },
    ...{ 'data.area_min': '0', 'data.area_max': '2000', 'data.municipality': list(50, (index) => `M${index}`) },
    ...{ 'data.is_final': ['true', 'false'], q: `${words.slice(0, 28).join(' ')} even odd` },
  },
  'everything at once, and a phrase': {
    ...{ facility_id: list(100, (index) => `F${index}`), 'data.area_min': '0.1', published_until: '2199-01-01' },
    ...{ q: 'common "notice common"' },
  },
  'everything at once, and not what all have': {
    'data.area_max': '999999',
    published_since: '1800-01-02',
    q: 'w1 -common',
  },
};

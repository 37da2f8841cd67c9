// Well-formed for any input whatever: records and heads an embedder may hand over without having checked anything. Either
// a coded error or a document that parses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import { FORMATS } from '../../src/formats/index.ts';
import type { DocumentHead } from '../../src/formats/format.ts';
import type { RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { encodeAll } from '../contracts/readers.ts';
import { parseXml } from '../contracts/xml-tree.ts';
import { dateTimes, numbers, RUNS, texts, times, urls } from './arbitraries.ts';

const text = texts(4);
const optional = fc.option(text);
/** URLs that begin as they must and go on as they like. */
const looseUrl = fc.oneof(
  urls(),
  text.map((rest) => `https://a.example/${rest}`),
);
const optionalUrl = fc.option(looseUrl, { nil: undefined });

const record: fc.Arbitrary<RegisterRecord> = fc.record({
  id: text,
  feed_id: text,
  key: text,
  title: text,
  summary: optional,
  content: optional,
  content_type: fc.constantFrom('text', 'html'),
  author: optional,
  document_type: optional,
  facility_id: optional,
  source_url: looseUrl,
  published_at: fc.option(times()),
  observed_at: times(),
  updated_at: fc.option(times()),
  version: fc.oneof(fc.constant(1), numbers()),
  position: fc.option(fc.oneof(fc.constant(1), numbers())),
  data: fc.record({ text: optional, json: fc.oneof(optional, fc.dictionary(text, text)) }),
});

const definition: fc.Arbitrary<RegisterDefinition> = fc.record({
  id: text,
  title: text,
  description: text,
  language: optional,
  author: optional,
  rights: optional,
  homepage: fc.option(looseUrl),
  created_at: dateTimes(),
  uuid: fc.constant(null),
  authority: text,
  year: fc.integer(),
  fields: fc.constant([
    { name: 'text', label: 'Text', type: 'text' },
    { name: 'json', label: 'JSON', type: 'json' },
  ] as const),
});

const head: fc.Arbitrary<DocumentHead> = fc
  .record({
    definition,
    lastChange: fc.option(times()),
    asOf: fc.option(fc.oneof(text, fc.nat())),
    links: fc.record({
      self: optionalUrl,
      first: optionalUrl,
      next: optionalUrl,
      alternate: optionalUrl,
      list: optionalUrl,
    }),
    filter: fc.record({ document_type: text, facility_id: text }, { requiredKeys: [] }),
    recordUrl: fc.option(
      looseUrl.map((url) => () => url),
      { nil: undefined },
    ),
  })
  .map((made) => made as DocumentHead);

describe.each(['xml', 'rss', 'atom'])('a document in %s', (name) => {
  it('is well formed, or there is an error with a code, whatever is in it', async () => {
    let documents = 0;
    await fc.assert(
      fc.asyncProperty(head, fc.array(record, { maxLength: 3 }), async (top, records) => {
        try {
          parseXml(await encodeAll(FORMATS[name]!, top, [{ records, nextOffset: null, asOf: null }]));
          documents++;
        } catch (error) {
          if (!isGazetteError(error)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
    // One of three is, of XML.
    expect(documents).toBeGreaterThan(RUNS / 25);
  });
});

import { describe, expect, it } from 'vitest';
import { atom } from '../../../src/formats/feeds/atom.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { ATOM, readAtomWithSaxes } from '../../contracts/feed-entries.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { childOf, parseXml, textOf } from '../../contracts/xml-tree.ts';
import { expectedFeed, FEED_CASES } from './cases.ts';
import { FEED_CHANGES, FEED_REFUSALS } from './refusals.ts';

describeFormat('atom', atom, {
  countRecords: (document) => readAtomWithSaxes(document).length,
  changes: FEED_CHANGES,
});

describe('the Atom writer', () => {
  it.each(FEED_CASES)('writes the bytes of the document $name in fixtures/expected/atom', async (example) => {
    const document = await encodeAll(atom, example.head, pagesOfSize(example.records));
    expect(document.toString()).toBe(await expectedFeed('atom', example.name));
  });

  it.each(FEED_REFUSALS)('refuses %s, naming the record and the field', async (_, changes, field) => {
    const record = { ...sampleRecord(7), ...changes };
    await expect(encodeAll(atom, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
      details: { id: 'permits:2026-0007', field },
    });
  });

  it.each([null, '', ' ', '\u0085'])('names the register itself where no author can be seen: %j', async (author) => {
    const head = { ...SAMPLE_HEAD, definition: { ...SAMPLE_HEAD.definition, author } };
    const feed = parseXml(await encodeAll(atom, head, []));
    expect(textOf(childOf(feed, `${ATOM}author`)!, `${ATOM}name`)).toBe('Environmental permits');
  });

  it('needs a uuid or an authority for permanent ids', async () => {
    const definition = { ...SAMPLE_HEAD.definition, uuid: null, authority: null, year: null };
    await expect(encodeAll(atom, { ...SAMPLE_HEAD, definition }, [])).rejects.toMatchObject({
      code: 'authority_required',
    });
  });

  it('makes permanent ids of the UUID where there is no authority', async () => {
    const uuid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    const definition = { ...SAMPLE_HEAD.definition, uuid, authority: null, year: null };
    const head = { ...SAMPLE_HEAD, definition };
    const document = parseXml(await encodeAll(atom, head, pagesOfSize([sampleRecord(7, { id: 'www.example.com' })])));
    expect(textOf(document, `${ATOM}id`)).toBe(`urn:uuid:${uuid}`);
    const entry = childOf(document, `${ATOM}entry`)!;
    expect(textOf(entry, `${ATOM}id`)).toBe('urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2');
    const filtered = parseXml(await encodeAll(atom, { ...head, filter: { document_type: 'adopted' } }, []));
    const changes = parseXml(await encodeAll(atom, { ...head, part: 'changes' }, []));
    const ids = [document, filtered, changes].map((feed) => textOf(feed, `${ATOM}id`));
    expect(ids.every((id) => /^urn:uuid:[0-9a-f-]{36}$/.test(id!))).toBe(true);
    expect(new Set(ids).size).toBe(3);
    const withdrawn = [{ recordId: 'www.example.com', at: '2026-05-02T10:00:00Z' }];
    const tombstone = (await encodeAll(atom, { ...head, withdrawn }, [])).toString();
    expect(tombstone).toContain('ref="urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2"');
  });
});

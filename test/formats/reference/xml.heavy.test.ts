import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { referenceXml } from '../../../src/formats/reference/xml.ts';
import { REGISTER_NAMESPACE } from '../../../src/formats/xml/xml.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { childrenOf, parseXml } from '../../contracts/xml-tree.ts';
import { XML_CASES } from '../xml/cases.ts';

describeFormat('the reference xml', referenceXml, {
  countRecords: (document) => childrenOf(parseXml(document), `{${REGISTER_NAMESPACE}}record`).length,
  changes: [
    {
      record: sampleRecord(9, { title: 'lone \ud800 surrogate and \u0000' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
  ],
});

describe('the reference XML writer', () => {
  for (const { name, head, records } of XML_CASES) {
    it(`writes the bytes of fixtures/expected/xml/${name}.xml`, async () => {
      const expected = await readFile(new URL(`../../../fixtures/expected/xml/${name}.xml`, import.meta.url));
      expect((await encodeAll(referenceXml, head, pagesOfSize(records))).toString()).toBe(expected.toString());
    });
  }

  it('refuses a value that does not fit its type, as the native writer does', async () => {
    const record = sampleRecord(7, { data: { amount: 'much' } });
    await expect(encodeAll(referenceXml, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
      details: { id: 'permits:2026-0007', field: 'data.amount', expected: 'a number' },
    });
  });
});

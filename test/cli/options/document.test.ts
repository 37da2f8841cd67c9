import { describe, expect, it } from 'vitest';
import { readWriting, type WritingOptions } from '../../../src/cli/options/document.ts';

describe('the options that say how a document is written', () => {
  it.each<[format: string, options: WritingOptions, message: string]>([
    ['csv', { level: '5' }, '--level applies to XLSX; the format is csv'],
    ['xlsx', { level: '0' }, '--level must be 1..9, got "0"'],
    ['xlsx', { level: '10' }, '--level must be 1..9, got "10"'],
    ['xlsx', { level: 'best' }, '--level must be 1..9, got "best"'],
    ['xlsx', { formulas: 'raw' }, '--formulas applies to CSV; the format is xlsx'],
    ['csv', { self: 'https://example.org/' }, '--self applies to XLSX, XML, RSS, Atom and Parquet; the format is csv'],
    ['atom', { self: '/feed' }, '--self must be an absolute http(s) URL, got "/feed"'],
    ['atom', { schemaLocation: 'a.xsd' }, '--schema-location applies to XML; the format is atom'],
    ['XSD', { schemaLocation: 'a.xsd' }, '--schema-location applies to XML; the format is XSD'],
    ['xml', { schemaLocation: 'a b.xsd' }, '--schema-location must be a URL without spaces, got "a b.xsd"'],
  ])('are refused for %s: %j', (format, options, message) => {
    expect(() => readWriting(options, format)).toThrow(expect.objectContaining({ code: 'usage', message }) as Error);
  });

  it('let a format from outside use the address of the document', () => {
    expect(readWriting({ self: 'https://example.org/records.tsv' }, 'tsv').links).toEqual({
      self: 'https://example.org/records.tsv',
    });
  });
});

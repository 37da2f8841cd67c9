import { describe, expect, it } from 'vitest';
import { firstUrl, linkHeader, nextUrl, selfUrl } from '../../src/export/page-links.ts';
import type { PageQuery } from '../../src/register/page.ts';

const url = new URL('https://example.org/feeds/permits/records/export.csv?api_key=secret&limit=7#top');
const first: PageQuery = { limit: 100, offset: 0 };
const deep: PageQuery = {
  limit: 50,
  offset: 150,
  asOf: 1312,
  filter: { document_type: 'a&b=c ü', facility_id: 'F 1' },
};

describe('the URLs of a page', () => {
  it('name the next page with the limit, the view and the filters, and nothing else of the request', () => {
    const page = { records: [], nextOffset: 200, asOf: 1312 };
    expect(nextUrl(url, deep, page)?.href).toBe(
      'https://example.org/feeds/permits/records/export.csv?limit=50&offset=200&as_of=1312&document_type=a%26b%3Dc+%C3%BC&facility_id=F+1',
    );
  });

  it('carry an opaque view as it is', () => {
    const page = { records: [], nextOffset: 100, asOf: '2026-04-17T00:00:00Z/7' };
    expect(nextUrl(url, first, page)?.searchParams.get('as_of')).toBe('2026-04-17T00:00:00Z/7');
  });

  it('carry no view when the source has none', () => {
    expect(nextUrl(url, first, { records: [], nextOffset: 100, asOf: null })?.search).toBe('?limit=100&offset=100');
  });

  it('name no next page after the last one', () => {
    expect(nextUrl(url, deep, { records: [], nextOffset: null, asOf: 1312 })).toBeNull();
  });

  it('name the newest page without paging, and other pages as they are', () => {
    expect(selfUrl(url, first).href).toBe('https://example.org/feeds/permits/records/export.csv');
    expect(selfUrl(url, { ...first, limit: 10 }).href).toBe('https://example.org/feeds/permits/records/export.csv');
    expect(selfUrl(url, deep).searchParams.get('offset')).toBe('150');
    expect(selfUrl(url, { ...first, asOf: 7 }).search).toBe('?limit=100&offset=0&as_of=7');
  });

  it('name the first page with its filters and an unusual limit', () => {
    expect(firstUrl(url, deep).search).toBe('?limit=50&document_type=a%26b%3Dc+%C3%BC&facility_id=F+1');
    expect(firstUrl(url, first).search).toBe('');
  });

  it('stand in a Link header', () => {
    expect(linkHeader(new URL('https://example.org/?a=1&b=%3E'), 'next')).toBe(
      '<https://example.org/?a=1&b=%3E>; rel="next"',
    );
  });
});

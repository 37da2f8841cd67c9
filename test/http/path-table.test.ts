// Which route a path leads to.
import { describe, expect, it } from 'vitest';
import { pathTable } from '../../src/http/route.ts';

const PATHS = [
  '/records/{record_id}',
  '/feeds/{feed_id}/records/{record_id}',
  '/feeds/{feed_id}/records/export.{format}',
  '/feeds/{feed_id}/records/latest',
  '/feeds',
  '/',
];

const find = pathTable(PATHS.map((path) => [path, path]));

describe('a table of paths', () => {
  it.each([
    ['/', '/', {}],
    ['/feeds', '/feeds', {}],
    ['/records/kev:CVE-2024-1', '/records/{record_id}', { record_id: 'kev:CVE-2024-1' }],
    ['/records/a%2Fb%20%C3%A9', '/records/{record_id}', { record_id: 'a/b é' }],
    ['/records/100%', '/records/{record_id}', { record_id: '100%' }],
    ['/records/%ff%20', '/records/{record_id}', { record_id: '%ff%20' }],
    ['/feeds/kev/records/latest', '/feeds/{feed_id}/records/latest', undefined],
    ['/feeds/kev/records/export.csv', '/feeds/{feed_id}/records/export.{format}', { feed_id: 'kev', format: 'csv' }],
    ['/feeds/kev/records/export.', '/feeds/{feed_id}/records/{record_id}', { feed_id: 'kev', record_id: 'export.' }],
    ['/feeds/kev/records/exports', '/feeds/{feed_id}/records/{record_id}', { feed_id: 'kev', record_id: 'exports' }],
  ])('leads %s to %s', (path, route, parameters) => {
    const found = find(path);
    expect(found?.value).toBe(route);
    if (parameters !== undefined) expect(found?.parameters).toEqual(parameters);
  });

  it.each([
    '',
    '/records',
    '/records/',
    '/records/a/b',
    '/feeds/',
    '/feeds//records/latest',
    '/feeds/kev',
    'records/a',
    '/x/records/a',
  ])('leads %j nowhere', (path) => {
    expect(find(path)).toBeNull();
  });
});

// Whether a form was sent from a page of the service: what browsers say of it, true and false.
import { describe, expect, it } from 'vitest';
import { checkOwnPage } from '../../src/web/own-page.ts';

const API = 'https://example.org/registers/api/v1';

function sentWith(fields: Readonly<Record<string, string>>): () => void {
  const request = new Request('http://127.0.0.1:8080/sign-in', { method: 'POST', headers: fields });
  return () => {
    checkOwnPage({ request, api: API });
  };
}

describe('a form', () => {
  it.each([{ origin: 'https://example.org' }, { origin: 'https://example.org', 'sec-fetch-site': 'same-origin' }])(
    'is taken from a page of the service: %j',
    (fields) => {
      expect(sentWith(fields)).not.toThrow();
    },
  );

  it.each([
    {},
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://example.org.evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'http://example.org' },
    { origin: 'https://example.org:8443' },
    { origin: 'https://example.org/registers' },
    { origin: 'https://example.org', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://example.org', 'sec-fetch-site': 'same-site' },
    { origin: 'https://example.org', 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { referer: 'https://example.org/registers/sign-in' },
  ])('is refused from elsewhere: %j', (fields) => {
    expect(sentWith(fields)).toThrow(
      expect.objectContaining({
        code: 'origin_refused',
        message: expect.stringContaining('a page of https://example.org, got') as unknown,
      }),
    );
  });
});

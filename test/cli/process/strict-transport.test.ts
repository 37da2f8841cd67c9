import { expect, it } from 'vitest';
import { transportFields } from '../../../src/cli/process/strict-transport.ts';

const YEAR = { 'strict-transport-security': 'max-age=31536000' };

it.each([
  ['https://registers.example.org', YEAR],
  ['https://registers.example.org:443/open-data', YEAR],
  ['HTTPS://registers.example.org/', YEAR],
  ['https://registers.example.org:8443', {}],
  ['http://registers.example.org', {}],
  ['http://registers.example.org:443', {}],
  [undefined, {}],
])('%s: %j', (baseUrl, expected) => {
  const url = baseUrl === undefined ? {} : { baseUrl };
  expect(transportFields({ ...url, hsts: true })).toEqual(expected);
  expect(transportFields({ ...url, hsts: false })).toEqual({});
});

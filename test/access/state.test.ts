// What an account and a key are at a moment: before, at and after the times that decide it.
import { describe, expect, test } from 'vitest';
import { accountStateAt, hasAccessAt, keyStateAt } from '../../src/access/state.ts';
import type { Account, ApiKeyEntry } from '../../src/stores/contract/accounts.ts';

const END = '2026-06-01T00:00:00.000Z';
const END_MS = Date.parse(END);

const KEY: ApiKeyEntry = {
  id: 'key_1',
  accountId: 'acme',
  product: 'gazette',
  lastFour: 'abcd',
  createdAt: '2026-01-01T00:00:00.000Z',
  endsAt: null,
  revokedAt: null,
  lastUsedAt: null,
  requests: 0,
  expiresAt: null,
  name: null,
  scopes: ['read'],
  feeds: null,
  limit: null,
};

const ACCOUNT: Account = {
  id: 'acme',
  accessUntil: END,
  isSuspended: false,
  limit: null,
  email: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('a key', () => {
  test.each([
    [{}, END_MS, 'active'],
    [{ endsAt: END }, END_MS - 1, 'rotated'],
    [{ endsAt: END }, END_MS, 'ended'],
    [{ revokedAt: END }, END_MS - 1, 'revoked'],
    [{ endsAt: END, revokedAt: END }, END_MS, 'revoked'],
    [{ expiresAt: END }, END_MS - 1, 'active'],
    [{ expiresAt: END }, END_MS, 'expired'],
    [{ endsAt: END, expiresAt: END }, END_MS - 1, 'rotated'],
    [{ endsAt: END, expiresAt: END }, END_MS, 'ended'],
  ])('with %o is, at %d, %s', (members, atMs, state) => {
    expect(keyStateAt({ ...KEY, ...members }, atMs)).toBe(state);
  });
});

describe('an account', () => {
  test.each([
    [{}, END_MS - 1, 'active'],
    [{}, END_MS, 'lapsed'],
    [{ accessUntil: null }, 0, 'lapsed'],
    [{ isSuspended: true }, END_MS - 1, 'suspended'],
    [{ isSuspended: true, accessUntil: null }, END_MS, 'suspended'],
  ])('with %o is, at %d, %s', (members, atMs, state) => {
    expect(accountStateAt({ ...ACCOUNT, ...members }, atMs)).toBe(state);
  });

  test('has access by time alone', () => {
    expect([hasAccessAt(END, END_MS - 1), hasAccessAt(END, END_MS), hasAccessAt(null, 0)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

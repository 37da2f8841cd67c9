// What an account and a key are at a moment: decided here alone, for those who check keys and for those who show them.
import type { Account, ApiKeyEntry } from '../stores/contract/accounts.ts';

/**
 * The state of a key: `active`, in the grace period after its rotation (`rotated`), after it (`ended`), after the time
 * until which it was made to work (`expired`), or `revoked`.
 */
export type KeyState = 'active' | 'rotated' | 'ended' | 'expired' | 'revoked';

/** The state of an account: active, without access because it ended or never began, or suspended by the operator. */
export type AccountState = 'active' | 'lapsed' | 'suspended';

/** The state of a key at a time, in milliseconds since 1970, whatever its account may do. */
export function keyStateAt({ revokedAt, endsAt, expiresAt }: ApiKeyEntry, atMs: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  // Stores keep times in one valid form, so they need no check.
  if (endsAt !== null && atMs >= Date.parse(endsAt)) return 'ended';
  if (expiresAt !== null && atMs >= Date.parse(expiresAt)) return 'expired';
  return endsAt === null ? 'active' : 'rotated';
}

/** The state of an account at a time, in milliseconds since 1970. */
export function accountStateAt({ isSuspended, accessUntil }: Account, atMs: number): AccountState {
  return isSuspended ? 'suspended' : hasAccessAt(accessUntil, atMs) ? 'active' : 'lapsed';
}

/** Whether access is paid for at a time, in milliseconds since 1970. @param accessUntil when it ends; null for none */
export function hasAccessAt(accessUntil: string | null, atMs: number): boolean {
  return accessUntil !== null && atMs < Date.parse(accessUntil);
}

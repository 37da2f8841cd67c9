// The accounts of a store on either database: checks the input, then runs the rules (accounts.ts, keys.ts).
import { checkRateLimit } from '../../web/rate-limit.ts';
import type { AccountChange, AccountStore } from '../contract/accounts.ts';
import { keptAccount, keptEmail, keptTime } from '../rows/accounts.ts';
import { keptKey, keptKeyChange } from '../rows/keys.ts';
import { accountsOfEmail, allAccounts, createAccount, findAccount, removeAccount, updateAccount } from './accounts.ts';
import { createKey, keysOf, revokeKey, rotateKey, updateKey } from './keys.ts';
import { removeEndpoint } from './webhooks/delivery-store.ts';
import type { Engine } from './rule.ts';

/** Runs with every request, or for many keys at once: each database has its own fastest way. */
export type AccountHooks = Pick<AccountStore, 'findKey' | 'isUnchanged' | 'recordKeyUses'>;

/** The accounts of a store. @param isOpen whether it was not closed */
export function accountsOn(engine: Engine, hooks: AccountHooks, isOpen: () => boolean): AccountStore {
  return {
    createAccount: async (account) => engine.write(createAccount, keptAccount(account)),
    account: (accountId) => engine.read(findAccount, accountId),
    accounts: () => engine.read(allAccounts),
    accountsOfEmail: (email) => engine.read(accountsOfEmail, email.toLowerCase()),
    updateAccount: async (accountId, change) => engine.write(updateAccount, accountId, keptChange(change)),
    removeAccount: async (accountId, { at }) => {
      const removedAt = keptTime('at', at);
      for (;;) {
        const endpoints = await engine.write(removeAccount, accountId);
        if (endpoints.length === 0) return;
        for (const endpoint of endpoints) await removeEndpoint(engine, endpoint, removedAt);
      }
    },
    createKey: async (key, { by = null } = {}) => engine.write(createKey, keptKey(key), key.digest, by),
    updateKey: async (key, change, { by = null } = {}) => engine.write(updateKey, key, keptKeyChange(change), by),
    rotateKey: async (keyId, successor, { endsAt, by = null }) => {
      const options = { endsAt: keptTime('endsAt', endsAt), by };
      return engine.write(rotateKey, keyId, keptKey(successor), successor.digest, options);
    },
    revokeKey: async (keyId, { revokedAt }) => engine.write(revokeKey, keyId, keptTime('revokedAt', revokedAt)),
    keys: (accountId) => engine.read(keysOf, accountId),
    findKey: (digest) => hooks.findKey(digest),
    isUnchanged: (since) => hooks.isUnchanged?.(since) ?? false,
    // A service records at intervals, and may be left alone by those who close its store.
    recordKeyUses: async (uses) => (isOpen() ? hooks.recordKeyUses(uses) : undefined),
  };
}

function keptChange(change: AccountChange): AccountChange {
  if (change.limit != null) checkRateLimit('limit', change.limit);
  return {
    ...change,
    ...(change.email == null ? {} : { email: keptEmail(change.email) }),
    ...(change.accessUntil == null ? {} : { accessUntil: keptTime('accessUntil', change.accessUntil) }),
  };
}

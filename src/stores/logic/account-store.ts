// The accounts of a store on either database: checks the input, then runs the rules (accounts.ts, keys.ts).
import { checkRateLimit } from '../../web/rate-limit.ts';
import type { AccountChange, AccountStore } from '../contract/accounts.ts';
import { keptAccount, keptKey, keptTime } from '../rows/accounts.ts';
import { allAccounts, createAccount, findAccount, updateAccount } from './accounts.ts';
import { createKey, keysOf, revokeKey, rotateKey } from './keys.ts';
import type { Engine } from './rule.ts';

/** Runs with every request, or for many keys at once: each database has its own fastest way. */
export type AccountHooks = Pick<AccountStore, 'findKey' | 'recordKeyUses'>;

/** The accounts of a store. */
export function accountsOn(engine: Engine, hooks: AccountHooks): AccountStore {
  return {
    createAccount: async (account) => engine.write(createAccount, keptAccount(account)),
    account: (accountId) => engine.read(findAccount, accountId),
    accounts: () => engine.read(allAccounts),
    updateAccount: async (accountId, change) => engine.write(updateAccount, accountId, keptChange(change)),
    createKey: async (key) => engine.write(createKey, keptKey(key), key.digest),
    rotateKey: async (keyId, successor, { endsAt }) => {
      return engine.write(rotateKey, keyId, keptKey(successor), successor.digest, keptTime('endsAt', endsAt));
    },
    revokeKey: async (keyId, { revokedAt }) => engine.write(revokeKey, keyId, keptTime('revokedAt', revokedAt)),
    keys: (accountId) => engine.read(keysOf, accountId),
    findKey: (digest) => hooks.findKey(digest),
    recordKeyUses: (uses) => hooks.recordKeyUses(uses),
  };
}

function keptChange(change: AccountChange): AccountChange {
  if (change.limit != null) checkRateLimit('limit', change.limit);
  if (change.accessUntil == null) return change;
  return { ...change, accessUntil: keptTime('accessUntil', change.accessUntil) };
}

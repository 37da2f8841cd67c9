// Whose account a session opens, and the way into an account. The cookie is `SameSite=Lax`: a link from elsewhere to a record
// opens what its reader pays for, and nothing is changed by a GET.
import { type Access, PUBLIC_ACCESS } from '../../access/access.ts';
import { accountStateAt } from '../../access/state.ts';
import type { SignIns } from '../../operate/sign-in.ts';
import type { Account } from '../../stores/contract/accounts.ts';
import type { Door } from '../sign-in/door.ts';
import { type CookieRequest, sessionSecret } from '../sign-in/session.ts';
import type { OwnerServices } from './services.ts';

/** The cookie of an owner's session. */
const COOKIE = 'gazette';

/** The secret of the owner's session that a request names; null if it names none, or more than one. */
export function ownersSecret(asked: CookieRequest): string | null {
  return sessionSecret(asked, COOKIE);
}

/**
 * Finds out who asks for a page: the owner of an account, with the tier that the account has at that moment. A cookie that
 * is nobody's session is nobody's. Without access until a date, who has credit buys records one by one.
 */
export function recogniser(signIns: SignIns<Account>, now: () => number): (asked: CookieRequest) => Promise<Access> {
  return async (asked) => {
    const secret = ownersSecret(asked);
    const account = secret === null ? null : await signIns.ownerOf(secret);
    if (account === null) return PUBLIC_ACCESS;
    const state = accountStateAt(account, now());
    if (state === 'active') return { tier: 'pro', account, key: null };
    if (state === 'suspended' || account.balance === undefined) return { tier: 'public', account };
    return { tier: 'public', account, buyer: { account, key: null, paysByReading: false } };
  };
}

/** The way into an account, and out. The request is already known to be its owner's. */
export function ownersDoor({
  signIns,
  mail,
  options,
}: Pick<OwnerServices, 'signIns' | 'mail' | 'options'>): Door<Account> {
  return {
    ...{ cookie: COOKIE, path: '/sign-in', outPath: '/sign-out', homePath: '/account', current: 'account' },
    ...{ signIns, mail, options },
    textsIn: ({ account }) => account,
    idOf: ({ id }) => id,
    signedIn(context) {
      const { account: owner } = context.access;
      const secret = ownersSecret(context);
      return Promise.resolve(owner === undefined || secret === null ? null : { owner, secret });
    },
  };
}

// What a key may be used for. The public and owners who signed in have no key, and are not asked here.
import { GazetteError } from '../errors.ts';
import type { Tier } from '../register/tier.ts';
import type { ApiKeyEntry, KeyScope } from '../stores/contract/accounts.ts';
import { hasScope, opensFeeds } from '../stores/rows/keys.ts';
import type { Buyer } from './access.ts';
import type { RouteOf } from './route.ts';

/** Whose key it is, if there is one; every `Access` is one. */
export interface KeyHolder {
  /** What the caller sees of registers that the key opens. */
  readonly tier: Tier;
  /** The key of PRO. Null or absent: there is none. */
  readonly key?: HeldKey | null;
  /** Who can buy records. */
  readonly buyer?: Buyer;
}

/** What a key may be used for. */
type HeldKey = Pick<ApiKeyEntry, 'scopes' | 'feeds' | 'lastFour'>;

/** The key that came with a request, a buyer's too. */
function keyOf({ key, buyer }: KeyHolder): HeldKey | null {
  return key ?? buyer?.key ?? null;
}

/**
 * Refuses a key that a route is not for. What is the same for everybody is for every key; everything else of registers
 * needs the scope `read`, and a register that the key opens: no key gets the public's records by mistake.
 *
 * @param feedId the register that is asked for; undefined if there is none
 * @throws GazetteError `insufficient_scope`
 */
export function checkKey(
  holder: KeyHolder,
  { access, documentation, scope: own }: Pick<RouteOf<never>, 'access' | 'documentation' | 'scope'>,
  feedId: string | undefined,
): void {
  const scope = own ?? scopeOfReading(access === 'pro' || documentation?.keyMatters === true);
  const key = keyOf(holder);
  if (key === null || scope === null) return;
  if (!hasScope(key, scope)) throw lacking(key, scope);
  if (scope === 'read' && feedId !== undefined) checkFeed(holder, feedId);
}

function scopeOfReading(isDifferent: boolean): KeyScope | null {
  return isDifferent ? 'read' : null;
}

/**
 * Refuses a caller of the public tier what is for PRO: a buyer may do what concerns the own account.
 *
 * @throws GazetteError `credentials_required`, `insufficient_scope`
 */
export function refuseTier({ buyer }: KeyHolder, { scope = 'read' }: Pick<RouteOf<never>, 'scope'> = {}): void {
  if (buyer === undefined) {
    throw new GazetteError('credentials_required', 'this needs an API key: send Authorization: Bearer <API_KEY>');
  }
  if (scope !== 'read') return;
  throw new GazetteError(
    'insufficient_scope',
    'this needs paid access until a date: credit buys single records, each at its buy_url',
  );
}

/** The registers that the caller's key opens. Null: all. */
export function openedFeeds(holder: KeyHolder): readonly string[] | null {
  return keyOf(holder)?.feeds ?? null;
}

/** Whether the caller's key, if there is one, opens a register. */
export function opensFeed(holder: KeyHolder, feedId: string): boolean {
  const key = keyOf(holder);
  return key === null || opensFeeds(key, [feedId]);
}

/** Refuses a register that the caller's key does not open. @throws GazetteError `insufficient_scope` */
export function checkFeed(holder: KeyHolder, feedId: string): void {
  const key = keyOf(holder);
  if (key === null || opensFeed(holder, feedId)) return;
  throw new GazetteError(
    'insufficient_scope',
    `the key ending in ${key.lastFour} opens these registers only: ${key.feeds!.join(', ')}`,
  );
}

function lacking({ lastFour, scopes }: HeldKey, scope: KeyScope): GazetteError {
  return new GazetteError(
    'insufficient_scope',
    `this needs a key with the scope ${scope}; the key ending in ${lastFour} has ${scopes.join(' ')}`,
    { details: { scope } },
  );
}

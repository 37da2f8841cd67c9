// Counts requests against the limits of their senders.
import type { Access } from '../access/access.ts';
import type { RateLimits, RatePolicy, RateState, TakeOptions } from '../access/rate-limits.ts';
import { GazetteError } from '../errors.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Counts a request against its key, or against its account if that has a limit; without a key against its address.
 *
 * @returns a function that undoes the count, and that of a preview
 * @throws GazetteError `rate_limited`; so does `context.countPreviews` from now on
 */
export function countRequest(context: RequestContext, limits: RateLimits | null): () => void {
  const { access, remoteAddress } = context;
  const { policy, id, rate } = senderOf(access, remoteAddress);
  // If the host does not report addresses, requests cannot be counted by address.
  if (limits === null || id === null) return () => undefined;
  const counted: RatePolicy[] = [];
  const take = (asked: RatePolicy, times: number): void => {
    const state = limits.take(asked, id, { times, ...(asked === policy ? rate : {}) });
    if (!state.isAllowed) {
      context.standing = state;
      throw limited(state);
    }
    // The previews of a record that is not known are not given back: its answer is never a 304.
    counted.push(asked);
    if (asked === policy) context.standing = state;
  };
  take(policy, 1);
  context.countPreviews = (times) => {
    take('previews', times);
  };
  return () => {
    for (const one of counted) {
      const state = limits.giveBack(one, id, one === policy ? rate : {});
      if (one === policy) context.standing = state;
    }
  };
}

/** Who is counted, by which policy, and with which limit if not that of all. */
function senderOf(
  access: Access,
  remoteAddress: string | null,
): { readonly policy: RatePolicy; readonly id: string | null; readonly rate: Pick<TakeOptions, 'rate'> } {
  if (access.tier === 'public') return { policy: 'address', id: remoteAddress, rate: {} };
  const { key, account } = access;
  if (account.limit === null) return { policy: 'key', id: (key ?? account).id, rate: {} };
  return { policy: 'account', id: account.id, rate: { rate: account.limit } };
}

function limited({ policy, limit, windowSeconds, resetSeconds }: RateState): GazetteError {
  const what = policy === 'previews' ? 'previews' : 'requests';
  return new GazetteError(
    'rate_limited',
    `at most ${limit} ${what} in ${windowSeconds} seconds are answered; try again in ${resetSeconds} seconds`,
  );
}

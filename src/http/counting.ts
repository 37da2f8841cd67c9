// Counts requests against the limits of their senders.
import type { Access } from '../access/access.ts';
import type { RateLimits, RatePolicy, RateState, TakeOptions } from '../access/rate-limits.ts';
import { GazetteError } from '../errors.ts';
import type { RequestContext } from './request-context.ts';

/** Who is counted, by which policy, and with which limit if not that of all. */
interface Sender extends Pick<TakeOptions, 'rate'> {
  readonly policy: RatePolicy;
  readonly id: string;
}

/**
 * Counts a request against its key, or against its account if that has a limit, or against both if the key has a limit
 * too; without a key against its address.
 *
 * @returns a function that undoes the count, and that of a preview
 * @throws GazetteError `rate_limited`; so does `context.countPreviews` from now on
 */
export function countRequest(context: RequestContext, limits: RateLimits | null): () => void {
  const { access, remoteAddress } = context;
  const senders = sendersOf(access, remoteAddress);
  const [first] = senders;
  // If the host does not report addresses, requests cannot be counted by address.
  if (limits === null || first === undefined) return () => undefined;
  const counted: Sender[] = [];
  const take = (sender: Sender, times: number, isStanding: boolean): void => {
    const state = limits.take(sender.policy, sender.id, { ...sender, times });
    if (!state.isAllowed) {
      context.standing = state;
      throw limited(state);
    }
    // The previews of a record that is not known are not given back: its answer is never a 304.
    counted.push(sender);
    if (isStanding) context.standing = nearer(context.standing, state);
  };
  for (const sender of senders) take(sender, 1, true);
  context.countPreviews = (times) => {
    take({ policy: 'previews', id: first.id }, times, false);
  };
  return () => {
    context.standing = null;
    for (const sender of counted) {
      const state = limits.giveBack(sender.policy, sender.id, sender);
      if (sender.policy !== 'previews') context.standing = nearer(context.standing, state);
    }
  };
}

/** The state of which less is left. */
function nearer(one: RateState | null, other: RateState): RateState {
  return one === null || other.remaining < one.remaining ? other : one;
}

function sendersOf(access: Access, remoteAddress: string | null): readonly Sender[] {
  const sender = access.tier === 'public' ? access.buyer : access;
  if (sender === undefined) return remoteAddress === null ? [] : [{ policy: 'address', id: remoteAddress }];
  const { key, account } = sender;
  const ofAccount: Sender[] =
    account.limit === null ? [] : [{ policy: 'account', id: account.id, rate: account.limit }];
  if (key !== null && key.limit !== null) return [{ policy: 'key', id: key.id, rate: key.limit }, ...ofAccount];
  return ofAccount.length > 0 ? ofAccount : [{ policy: 'key', id: (key ?? account).id }];
}

function limited({ policy, limit, windowSeconds, resetSeconds }: RateState): GazetteError {
  const what = policy === 'previews' ? 'previews' : 'requests';
  return new GazetteError(
    'rate_limited',
    `at most ${limit} ${what} in ${windowSeconds} seconds are answered; try again in ${resetSeconds} seconds`,
  );
}

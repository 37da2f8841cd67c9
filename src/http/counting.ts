// Counts requests against the limits of their senders.
import type { Access, Authenticate } from '../access/access.ts';
import type { CallerLimits, RatePolicy, RateState, TakeOptions } from '../access/rate-limits.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import type { RequestContext } from './request-context.ts';

/** Who is counted, by which policy, and with which limit if not that of all. */
interface Sender extends Pick<TakeOptions, 'rate'> {
  readonly policy: RatePolicy;
  readonly id: string;
}

/**
 * Counts a request against its key, or against its account if that has a limit, or against both if the key has a limit
 * too; without a key against its address. If the host does not report addresses, those without a key cannot be counted.
 */
export class RequestCount {
  readonly #context: RequestContext;
  readonly #limits: CallerLimits | null;
  readonly #counted: (Sender & Pick<RateState, 'window'>)[] = [];

  constructor(context: RequestContext, limits: CallerLimits | null) {
    this.#context = context;
    this.#limits = limits;
  }

  /** @throws GazetteError `rate_limited`; so does `context.countPreviews` from now on */
  async take(): Promise<void> {
    const { access, remoteAddress } = this.#context;
    const senders = sendersOf(access, remoteAddress);
    for (const sender of senders) await this.#take(sender, 1);
    const [first] = senders;
    if (first === undefined) return;
    this.#context.countPreviews = (times) => this.#take({ policy: 'previews', id: first.id }, times);
  }

  /** Undoes the count, and that of a preview. That of an unknown record stays: its answer is never a 304. */
  giveBack(): void {
    this.#context.standing = null;
    for (const sender of this.#counted) {
      this.#inform(sender.policy, this.#limits!.giveBack(sender.policy, sender.id, sender));
    }
  }

  async #take(sender: Sender, times: number): Promise<void> {
    if (this.#limits === null) return;
    const taken = this.#limits.take(sender.policy, sender.id, { ...sender, times });
    if (taken instanceof Promise) this.#context.hasWaited = true;
    const state = await taken;
    if (!state.isAllowed) {
      this.#context.standing = state;
      throw limited(state);
    }
    this.#counted.push({ ...sender, window: state.window });
    this.#inform(sender.policy, state);
  }

  /** Clients are told of the limit of which less is left; previews are told of only when they are refused. */
  #inform(policy: RatePolicy, state: RateState): void {
    if (policy !== 'previews') this.#context.standing = nearer(this.#context.standing, state);
  }
}

/**
 * Finds out who sent a request, and counts a key that does not exist against its address: somebody may be guessing. A valid key
 * is accepted from any address, so that mistakes of others lock nobody out who shares it, and one that has ended is told why
 * each time.
 *
 * @throws GazetteError the errors of `authenticate`, or `rate_limited` instead for an address with too many failures.
 */
export async function authenticateCounted(
  context: RequestContext,
  authenticate: Authenticate,
  limits: CallerLimits | null,
): Promise<void> {
  const { request, remoteAddress } = context;
  try {
    context.access = await authenticate(request, context.stamp);
  } catch (error) {
    const isFailure = isGazetteError(error, 'unknown_key') || isGazetteError(error, 'malformed_key');
    if (!isFailure || limits === null || remoteAddress === null) throw error;
    const failures = await limits.take('failures', remoteAddress);
    if (failures.isAllowed) throw error;
    context.standing = failures;
    throw new GazetteError('rate_limited', 'too many requests from this address came with keys that do not exist');
  }
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

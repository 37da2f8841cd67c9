// An open store with two accounts and an empty register, and helpers to write to it and to process its deliveries: the
// setup of the suites of endpoints and deliveries.
import { around, group, type Test } from '../test.ts';
import type {
  ClaimedDelivery,
  DeliveryOutcome,
  DeliveryState,
  DeliveryStore,
  LoggedVersion,
} from '../../stores/contract/deliveries.ts';
import type { NewEndpoint } from '../../stores/contract/endpoints.ts';
import type { BatchResult } from '../../stores/contract/registers.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { accountNamed, type OpenServiceStore } from './accounts/keys.ts';
import { at, permits, say } from './said.ts';

/** A secret in the form for a store: encrypted. */
export const SEALED: Uint8Array<ArrayBuffer> = Uint8Array.from([1, 2, 3]);

/** Gives an event a name that tests can read. */
export function toEvent({ recordId, version, cause }: LoggedVersion): { id: string; type: string } {
  return { id: `evt_${recordId}_${version}`, type: cause === 'withdrawn' ? 'record.withdrawn' : 'record.published' };
}

/** An endpoint of the account `acme`. */
export function endpointNamed(id: string, given: Partial<NewEndpoint> = {}): NewEndpoint {
  const all = { feeds: null, types: null, filter: null, createdAt: at(0), secret: SEALED };
  return { id, accountId: 'acme', url: `https://${id}.example.org/hook`, ...all, ...given };
}

/** A store that is opened before each test and closed after it. */
export class OnDeliveries {
  store!: ServiceStore;

  get deliveries(): DeliveryStore {
    return this.store.deliveries;
  }

  readonly apply = (keys: readonly string[], said: object = {}, feedId = 'permits'): Promise<BatchResult> => {
    const batch = keys.map((key) => say(key, said, feedId));
    return this.store.apply(feedId, batch, { recordedAt: at(1) });
  };
  readonly fanOut = async (): Promise<void> => {
    while (await this.deliveries.fanOut({ at: at(2), baseUrl: 'https://example.org', toEvent }));
  };
  readonly eventsOf = async (endpointId: string): Promise<string[]> => {
    const found = await this.deliveries.deliveries(endpointId, { limit: 1000 });
    return found.map(({ event }) => event.id.replace('evt_', '')).reverse();
  };
  readonly claim = (now: string, until: string, more: object = {}): Promise<readonly ClaimedDelivery[]> => {
    const lease = `lease ${now}`;
    const room = { limit: 1000, room: new Map(), limitPerEndpoint: 1000, accountRoom: new Map() };
    return this.deliveries.claim({ now, until, lease, ...room, ...more });
  };
  readonly outcome = (id: string, lease: string, state: DeliveryState, more: object = {}): DeliveryOutcome => {
    const isFailure = state !== 'acknowledged';
    const attempt = {
      at: at(3),
      durationMs: 7,
      status: isFailure ? 500 : 200,
      error: null,
      response: isFailure ? 'no' : null,
    };
    return {
      ...{ id, lease: `lease ${lease}`, state, reason: null, attempt, isGone: false },
      nextAttemptAt: state === 'pending' ? at(30) : null,
      ...more,
    };
  };
  readonly settle = (time: string, ...outcomes: DeliveryOutcome[]): ReturnType<DeliveryStore['settle']> => {
    return this.deliveries.settle(outcomes, { at: time, failingBefore: at(-1000) });
  };
  /** One delivery that has been claimed at `at(3)` until `at(4)`. */
  readonly oneClaimed = async (): Promise<string> => {
    await this.deliveries.createEndpoint(endpointNamed('ep_a'));
    await this.apply(['a']);
    await this.fanOut();
    const [claimed] = await this.claim(at(3), at(4));
    return claimed!.id;
  };
}

/** Tests whose titles begin with the same words, each on a store without endpoints. */
export function onDeliveries(
  test: Test,
  words: string,
  open: OpenServiceStore,
  register: (it: Test, on: OnDeliveries) => void,
): void {
  const on = new OnDeliveries();
  let dispose: () => Promise<void>;
  const it = around(
    test,
    async () => {
      ({ store: on.store, dispose } = await open());
      await on.store.accounts.createAccount(accountNamed('acme'));
      await on.store.accounts.createAccount(accountNamed('other'));
      await on.store.createRegister(permits());
    },
    () => dispose(),
  );
  group(it, words, (grouped) => {
    register(grouped, on);
  });
}

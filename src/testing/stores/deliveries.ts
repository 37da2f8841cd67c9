// What every store of endpoints and deliveries must do. Each implementation runs it; what differs by engine is tested
// beside it.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { around, each, group, type Test } from '../test.ts';
import type {
  ClaimedDelivery,
  DeliveryOutcome,
  DeliveryState,
  DeliveryStore,
  LoggedVersion,
  NewEndpoint,
} from '../../stores/contract/deliveries.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { OpenServiceStore } from './accounts.ts';
import { accountNamed } from './keys.ts';
import { at, permits, say } from './said.ts';

const SEALED = Uint8Array.from([1, 2, 3]);

/** Names an event so that tests can read it. */
const toEvent = ({ recordId, version, cause }: LoggedVersion): { id: string; type: string } => {
  return { id: `evt_${recordId}_${version}`, type: cause === 'withdrawn' ? 'record.withdrawn' : 'record.published' };
};

function endpointNamed(id: string, given: Partial<NewEndpoint> = {}): NewEndpoint {
  const all = { feeds: null, types: null, createdAt: at(0), secret: SEALED };
  return { id, accountId: 'acme', url: `https://${id}.example.org/hook`, ...all, ...given };
}

/** Registers the suite for one implementation. */
export function deliveryStoreContract(test: Test, open: OpenServiceStore): void {
  group(test, 'keeps endpoints and deliveries', (test) => {
    let store: ServiceStore;
    let deliveries: DeliveryStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        ({ deliveries } = store);
        await store.accounts.createAccount(accountNamed('acme'));
        await store.accounts.createAccount(accountNamed('other'));
        await store.createRegister(permits());
      },
      () => dispose(),
    );

    const apply = (keys: readonly string[], said: object = {}, feedId = 'permits') => {
      const batch = keys.map((key) => say(key, said, feedId));
      return store.apply(feedId, batch, { recordedAt: at(1) });
    };
    const fanOut = async (): Promise<void> => {
      while (await deliveries.fanOut({ at: at(2), baseUrl: 'https://example.org', toEvent }));
    };
    const eventsOf = async (endpointId: string): Promise<string[]> => {
      const found = await deliveries.deliveries(endpointId, { limit: 1000 });
      return found.map(({ event }) => event.id.replace('evt_', '')).reverse();
    };
    const claim = (now: string, until: string, more: object = {}): Promise<readonly ClaimedDelivery[]> => {
      const lease = `lease ${now}`;
      return deliveries.claim({ now, until, lease, limit: 1000, room: new Map(), limitPerEndpoint: 1000, ...more });
    };
    const outcome = (id: string, lease: string, state: DeliveryState, more: object = {}): DeliveryOutcome => {
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
    const settle = (time: string, ...outcomes: DeliveryOutcome[]) => {
      return deliveries.settle(outcomes, { at: time, failingBefore: at(-1000) });
    };
    /** One delivery that has been claimed at `at(3)` until `at(4)`. */
    const oneClaimed = async (): Promise<string> => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a']);
      await fanOut();
      const [claimed] = await claim(at(3), at(4));
      return claimed!.id;
    };

    it('and finds endpoints by id, by account, and all of them in the order in which they were made', async () => {
      const made = await deliveries.createEndpoint(
        endpointNamed('ep_z', { feeds: ['permits'], types: ['record.withdrawn'] }),
      );
      assert.deepEqual(made, {
        ...{ id: 'ep_z', accountId: 'acme', url: 'https://ep_z.example.org/hook', createdAt: at(0) },
        ...{ feeds: ['permits'], types: ['record.withdrawn'], hasNextSecret: false },
        ...{ disabledAt: null, disabledReason: null, failingSince: null },
      });
      assert.deepEqual(await deliveries.endpoint('ep_z'), made);
      const other = await deliveries.createEndpoint(endpointNamed('ep_a', { accountId: 'other' }));
      assert.deepEqual(await deliveries.endpoints(), [made, other]);
      assert.deepEqual(await deliveries.endpoints('other'), [other]);
      const { secret, ...owner } = (await deliveries.anySecret())!;
      assert.deepEqual(owner, { endpointId: 'ep_z' });
      assert.deepEqual(Uint8Array.from(secret), SEALED);
    });

    it('and refuses what does not exist, by name', async () => {
      const refused = async (call: Promise<unknown>, code: string): Promise<void> => {
        await rejects(call, { code });
      };
      await refused(deliveries.createEndpoint(endpointNamed('ep_a', { accountId: 'x' })), 'unknown_account');
      await refused(deliveries.createEndpoint(endpointNamed('ep_a', { feeds: ['permits', 'x'] })), 'unknown_feed');
      await refused(deliveries.createEndpoint(endpointNamed('ep_a', { createdAt: 'now' })), 'invalid_option');
      assert.deepEqual(await deliveries.endpoints(), []);
      assert.equal(await deliveries.anySecret(), null);
      await refused(deliveries.endpoints('x'), 'unknown_account');
      for (const id of ['ep_x', 'ep_\0', '']) {
        for (const call of [
          () => deliveries.endpoint(id),
          () => deliveries.enableEndpoint(id),
          () => deliveries.disableEndpoint(id, { at: at(1), reason: 'operator' }),
          () => deliveries.prepareSecret(id, SEALED),
          () => deliveries.activateSecret(id),
          () => deliveries.createTest(id, { id: 'evt_1', type: 'endpoint.test' }, { at: at(1) }),
          () => deliveries.deliveries(id, { limit: 1 }),
          () => deliveries.replay({ endpointId: id, since: at(0) }, { at: at(1) }),
        ]) {
          await refused(call(), 'unknown_endpoint');
        }
      }
      for (const id of ['dlv_1', 'dlv_0', 'dlv_1e3', 'dlv_', '1', '']) {
        await refused(deliveries.delivery(id), 'unknown_delivery');
        await refused(deliveries.attempts(id), 'unknown_delivery');
        await refused(deliveries.replay({ deliveryId: id }, { at: at(1) }), 'unknown_delivery');
      }
    });

    it('and stops an endpoint with its first reason, and lets it go on', async () => {
      const made = await deliveries.createEndpoint(endpointNamed('ep_a'));
      const stopped = { ...made, disabledAt: at(1), disabledReason: 'gone' };
      assert.deepEqual(await deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'gone' }), stopped);
      assert.deepEqual(await deliveries.disableEndpoint('ep_a', { at: at(2), reason: 'operator' }), stopped);
      assert.deepEqual(await deliveries.enableEndpoint('ep_a'), made);
    });

    it('and changes a secret in two steps', async () => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await rejects(deliveries.activateSecret('ep_a'), { code: 'no_next_secret' });
      assert.equal((await deliveries.prepareSecret('ep_a', Uint8Array.from([8]))).hasNextSecret, true);
      await deliveries.prepareSecret('ep_a', Uint8Array.from([9]));
      assert.deepEqual(Uint8Array.from((await deliveries.anySecret())!.secret), SEALED);
      assert.equal((await deliveries.activateSecret('ep_a')).hasNextSecret, false);
      assert.deepEqual([...(await deliveries.anySecret())!.secret], [9]);
      await rejects(deliveries.activateSecret('ep_a'), { code: 'no_next_secret' });
    });

    it('and makes a delivery for each version that was committed once the endpoint was there, and none before', async () => {
      await apply(['before']);
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await fanOut();
      assert.deepEqual(await eventsOf('ep_a'), []);
      await apply(['a', 'b']);
      // Not fanned out yet when the second one comes.
      await deliveries.createEndpoint(endpointNamed('ep_b'));
      await apply(['a'], { title: 'Anew' });
      await store.withdraw('permits', ['permits:b'], { recordedAt: at(2) });
      await fanOut();
      await fanOut();
      assert.deepEqual(await eventsOf('ep_a'), ['permits:a_1', 'permits:b_1', 'permits:a_2', 'permits:b_2']);
      assert.deepEqual(await eventsOf('ep_b'), ['permits:a_2', 'permits:b_2']);
    });

    it('and gives each endpoint the registers and types it asked for, of later registers too', async () => {
      await store.createRegister(permits('notices'));
      await deliveries.createEndpoint(endpointNamed('ep_all'));
      await deliveries.createEndpoint(endpointNamed('ep_feed', { feeds: ['notices'] }));
      await deliveries.createEndpoint(endpointNamed('ep_type', { types: ['record.withdrawn'] }));
      await apply(['a']);
      await apply(['n'], {}, 'notices');
      await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
      await store.createRegister(permits('later'));
      await apply(['l'], {}, 'later');
      await fanOut();
      assert.deepEqual((await eventsOf('ep_all')).sort(), ['later:l_1', 'notices:n_1', 'permits:a_1', 'permits:a_2']);
      assert.deepEqual(await eventsOf('ep_feed'), ['notices:n_1']);
      assert.deepEqual(await eventsOf('ep_type'), ['permits:a_2']);
    });

    it('and walks a long log in steps, losing and repeating nothing', async () => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await deliveries.createEndpoint(endpointNamed('ep_b', { feeds: ['permits'] }));
      const keys = Array.from({ length: 2500 }, (_, index) => `k${index}`);
      await apply(keys);
      let steps = 0;
      while (await deliveries.fanOut({ at: at(2), baseUrl: 'https://example.org', toEvent })) steps++;
      assert.ok(steps > 2);
      const found = await deliveries.deliveries('ep_b', { limit: 5000 });
      assert.deepEqual(
        found.map(({ event }) => event.id).reverse(),
        keys.map((key) => `evt_permits:${key}_1`),
      );
      const [, second, third] = found;
      const page = await deliveries.deliveries('ep_b', { limit: 1, before: second!.id });
      assert.deepEqual(page, [third]);
    });

    it('and hands a delivery out with what it takes to send it', async () => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a']);
      await fanOut();
      const test = await deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(2) });
      matches(test, {
        event: { id: 'evt_t' },
        recordId: null,
        version: null,
        state: 'pending',
        attempts: 0,
      });
      const [first, second, ...more] = await claim(at(3), at(4));
      assert.deepEqual(more, []);
      assert.match(first!.id, /^dlv_\d+$/);
      assert.deepEqual(
        { ...first, endpoint: { ...first!.endpoint, secret: null } },
        {
          ...{
            id: first!.id,
            createdAt: at(2),
            dueAt: at(2),
            tries: 0,
            isTest: false,
          },
          event: { id: 'evt_permits:a_1', type: 'record.published' },
          baseUrl: 'https://example.org',
          endpoint: {
            ...(await deliveries.endpoint('ep_a')),
            account: await store.accounts.account('acme'),
            secret: null,
          },
          version: {
            ...{ feedId: 'permits', recordId: 'permits:a', version: 1, change: 1, cause: 'first_observed' },
            ...{ recordedAt: at(1), title: 'Permit a', sourceUrl: 'https://example.org/permits/a' },
            ...{ publishedAt: '2026-04-17', observedAt: at(1), isLatest: true },
          },
        },
      );
      assert.deepEqual([...first!.endpoint.secret], [...SEALED]);
      matches(second, { id: test.id, isTest: true, version: null, baseUrl: null });
      matches(await deliveries.delivery(first!.id), {
        state: 'pending',
        nextAttemptAt: at(4),
        lastAttempt: null,
      });
    });

    it('and tells of each version what it said, until its content is erased or its register is gone', async () => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a', 'b']);
      await apply(['a'], { title: 'Anew', published_at: null });
      await store.redact('permits:b', { recordedAt: at(2) });
      await fanOut();
      const told = async (now: string, until: string): Promise<unknown[]> => {
        const claimed = await claim(now, until);
        return claimed.map(({ event, version }) => [
          event.id.replace('evt_permits:', ''),
          version === null ? null : [version.title, version.publishedAt, version.isLatest],
        ]);
      };
      assert.deepEqual(await told(at(3), at(4)), [
        ['a_1', ['Permit a', '2026-04-17', false]],
        ['b_1', [null, null, false]],
        ['a_2', ['Anew', null, true]],
        ['b_2', [null, null, true]],
      ]);
      await store.removeRegister('permits');
      await store.createRegister(permits());
      await apply(['a']);
      assert.deepEqual(await told(at(5), at(6)), [['a_1', null], ['b_1', null], ['a_2', null], ['b_2', null]]); // prettier-ignore
    });

    it('and hands each out once, until its lease ends', async () => {
      const id = await oneClaimed();
      assert.deepEqual(await claim(at(3), at(4)), []);
      const [again] = await claim(at(4), at(5));
      assert.deepEqual([again?.id, again?.tries, again?.dueAt], [id, 0, at(4)]);
    });

    it('and hands out no more than there is room for, in all and for each endpoint, the oldest first', async () => {
      for (const id of ['ep_a', 'ep_b', 'ep_c']) await deliveries.createEndpoint(endpointNamed(id));
      await apply(['1', '2', '3', '4']);
      await fanOut();
      const counts = (claimed: readonly ClaimedDelivery[]): unknown => {
        const events = Object.groupBy(claimed, ({ endpoint }) => endpoint.id);
        return Object.fromEntries(
          Object.entries(events).map(([id, own]) => [id, own!.map(({ event }) => event.id.at(-3)).join('')]),
        );
      };
      const room = new Map([['ep_b', 0], ['ep_c', 3]]); // prettier-ignore
      assert.deepEqual(counts(await claim(at(3), at(9), { room, limitPerEndpoint: 1 })), { ep_a: '1', ep_c: '123' });
      const next = await claim(at(4), at(9), { limit: 5, limitPerEndpoint: 3 });
      assert.equal(next.length, 5);
      const rest = await claim(at(4), at(9));
      assert.equal(rest.length, 3);
      assert.equal(new Set([...next, ...rest].map(({ id }) => id)).size, 8);
    });

    it('and passes over no endpoint for ever when there is room for one only', async () => {
      const ids = ['ep_a', 'ep_b', 'ep_c'];
      for (const id of ids) await deliveries.createEndpoint(endpointNamed(id));
      await apply(['1', '2', '3']);
      await fanOut();
      const served: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const [claimed] = await claim(at(3), at(9), { limit: 1 });
        served.push(claimed!.endpoint.id);
      }
      assert.deepEqual(served.sort(), ids);
    });

    it('and records what became of it, with every attempt', async () => {
      const id = await oneClaimed();
      await settle(at(3), outcome(id, at(3), 'pending'));
      const failure = { at: at(3), durationMs: 7, status: 500, error: null, response: 'no' };
      matches(await deliveries.delivery(id), {
        state: 'pending',
        attempts: 1,
        nextAttemptAt: at(30),
        lastAttempt: failure,
      });
      assert.deepEqual(await claim(at(29), at(40)), []);
      matches((await claim(at(30), at(31)))[0], { id, tries: 1 });
      await settle(at(30), outcome(id, at(30), 'acknowledged'));
      const done = await deliveries.delivery(id);
      matches(done, {
        state: 'acknowledged',
        attempts: 2,
        nextAttemptAt: null,
        lastAttempt: { status: 200 },
      });
      assert.deepEqual(await deliveries.attempts(id), [failure, { ...failure, status: 200, response: null }]);
      assert.deepEqual(await claim(at(100), at(101)), []);
    });

    it('and takes a success however late, and nothing else that is late', async () => {
      const id = await oneClaimed();
      await claim(at(4), at(5));
      await settle(at(4), outcome(id, at(3), 'failed', { reason: 'exhausted' }));
      matches(await deliveries.delivery(id), { state: 'pending', attempts: 0 });
      await settle(at(4), outcome(id, at(3), 'acknowledged'));
      matches(await deliveries.delivery(id), { state: 'acknowledged', attempts: 1 });
      await settle(at(5), outcome(id, at(4), 'pending'), outcome('dlv_999', at(4), 'acknowledged'));
      await settle(at(5), outcome(id, at(4), 'acknowledged'));
      matches(await deliveries.delivery(id), { state: 'acknowledged', attempts: 1, nextAttemptAt: null });
      assert.equal((await deliveries.endpoint('ep_a')).failingSince, null);
    });

    it('and gives back what was claimed and not sent, as it was', async () => {
      const id = await oneClaimed();
      const before = await deliveries.delivery(id);
      await settle(at(3), outcome(id, at(3), 'pending', { attempt: null, nextAttemptAt: at(2) }));
      assert.deepEqual(await deliveries.delivery(id), { ...before, nextAttemptAt: at(2) });
      assert.equal((await claim(at(3), at(4)))[0]?.id, id);
      assert.equal((await deliveries.endpoint('ep_a')).failingSince, null);
    });

    it('and knows since when an endpoint fails, forgets it at a success, and stops it after too long', async () => {
      const id = await oneClaimed();
      const fail = async (time: string, failingBefore: string): Promise<unknown> => {
        await deliveries.settle([outcome(id, time, 'pending', { nextAttemptAt: time })], { at: time, failingBefore });
        const { failingSince, disabledAt, disabledReason } = await deliveries.endpoint('ep_a');
        return [failingSince, disabledAt, disabledReason];
      };
      assert.deepEqual(await fail(at(3), at(-1)), [at(3), null, null]);
      await claim(at(5), at(6));
      assert.deepEqual(await fail(at(5), at(2)), [at(3), null, null]);
      await claim(at(7), at(8));
      await settle(at(7), outcome(id, at(7), 'acknowledged'));
      assert.equal((await deliveries.endpoint('ep_a')).failingSince, null);
      await deliveries.replay({ deliveryId: id }, { at: at(8) });
      await claim(at(8), at(9));
      assert.deepEqual(await fail(at(8), at(7)), [at(8), null, null]);
      await claim(at(9), at(10));
      assert.deepEqual(await fail(at(9), at(8)), [at(8), at(9), 'failing']);
      await deliveries.enableEndpoint('ep_a');
      await claim(at(11), at(12));
      assert.deepEqual(await fail(at(11), at(9)), [at(11), null, null]);
    });

    it('and stops an endpoint that is gone', async () => {
      const id = await oneClaimed();
      await settle(at(3), outcome(id, at(3), 'failed', { reason: 'gone', isGone: true }));
      matches(await deliveries.endpoint('ep_a'), { disabledAt: at(3), disabledReason: 'gone' });
      matches(await deliveries.delivery(id), { state: 'failed', reason: 'gone' });
    });

    it('and replays one, or all since a time, but none that is being sent', async () => {
      await deliveries.createEndpoint(endpointNamed('ep_a'));
      await deliveries.createEndpoint(endpointNamed('ep_b'));
      await apply(['a', 'b']);
      await fanOut();
      await deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(8) });
      const claimed = await claim(at(9), at(20));
      const own = claimed.filter(({ endpoint }) => endpoint.id === 'ep_a').map(({ id }) => id);
      const [first, second, test] = own as [string, string, string];
      await settle(
        at(9),
        outcome(first, at(9), 'acknowledged'),
        outcome(second, at(9), 'failed', { reason: 'exhausted' }),
      );
      assert.equal(await deliveries.replay({ deliveryId: test }, { at: at(10) }), 0);
      assert.equal(await deliveries.replay({ deliveryId: second }, { at: at(10) }), 1);
      const due = { state: 'pending', reason: null, attempts: 1, nextAttemptAt: at(10) };
      matches(await deliveries.delivery(second), due);
      matches(await claim(at(10), at(11)), [{ id: second, tries: 0, event: { id: 'evt_permits:b_1' } }]);
      assert.equal(await deliveries.replay({ endpointId: 'ep_a', since: at(8) }, { at: at(12) }), 0);
      assert.equal(await deliveries.replay({ endpointId: 'ep_a', since: at(2) }, { at: at(12) }), 2);
      matches(await deliveries.delivery(first), { ...due, nextAttemptAt: at(12) });
      assert.equal(await deliveries.replay({ endpointId: 'ep_a', since: at(8) }, { at: at(20) }), 1);
    });

    it('and forgets old deliveries that are done, and no others', async () => {
      const id = await oneClaimed();
      await deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(8) });
      assert.equal(await deliveries.prune({ before: at(100) }), 0);
      await settle(at(3), outcome(id, at(3), 'acknowledged'));
      assert.equal(await deliveries.prune({ before: at(2) }), 0);
      assert.equal(await deliveries.prune({ before: at(3) }), 1);
      await rejects(deliveries.attempts(id), { code: 'unknown_delivery' });
      assert.deepEqual(await eventsOf('ep_a'), ['t']);
    });

    it('and hands each out once when many ask at once', async () => {
      for (const id of ['ep_a', 'ep_b']) await deliveries.createEndpoint(endpointNamed(id));
      await apply(Array.from({ length: 40 }, (_, index) => `k${index}`));
      await Promise.all([fanOut(), fanOut(), fanOut()]);
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, n) => claim(at(3), at(9), { lease: `l${n}`, limitPerEndpoint: 10 })),
      );
      const rest = await claim(at(3), at(9));
      const ids = [...claims.flat(), ...rest].map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size], [80, 80]);
    });
  });
}

// The contract of stores of deliveries for existing ones: claim them, and record their outcomes.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { type Test } from '../test.ts';
import type { ClaimedDelivery } from '../../stores/contract/deliveries.ts';
import type { OpenServiceStore } from './accounts/keys.ts';
import { endpointNamed, onDeliveries } from './on-deliveries.ts';
import { at } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function outcomesContract(test: Test, open: OpenServiceStore): void {
  onDeliveries(test, 'keeps endpoints and deliveries', open, (it, on) => {
    const { apply, fanOut, eventsOf, claim, outcome, settle, oneClaimed } = on;

    it('and hands each out once, until its lease ends', async () => {
      const id = await oneClaimed();
      assert.deepEqual(await claim(at(3), at(4)), []);
      const [again] = await claim(at(4), at(5));
      assert.deepEqual([again?.id, again?.tries, again?.dueAt], [id, 0, at(4)]);
    });

    it('and frees what senders that are gone had claimed, and nothing of those that run', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['1', '2', '3', '4', '5']);
      await fanOut();
      for (const lease of ['gone.1', 'gone.2', 'running.1', 'named otherwise']) {
        await claim(at(3), at(9), { limit: 1, lease });
      }
      const asked: string[] = [];
      const free = (until: string): Promise<readonly string[]> => {
        const isGone = (mark: string): boolean => asked.push(mark) > 0 && mark === 'gone';
        return on.deliveries.freeClaims({ now: at(4), until, isGone });
      };
      assert.deepEqual([await free(at(8)), asked], [[], []]);
      assert.deepEqual(await free(at(9)), ['gone']);
      assert.deepEqual(asked.sort(), ['gone', 'named otherwise', 'running']);
      // The fifth was claimed by nobody.
      const next = await claim(at(4), at(9));
      assert.deepEqual(next.map(({ dueAt }) => dueAt).sort(), [at(2), at(4), at(4)]);
    });

    it('and hands out no more than there is room for, in all and for each endpoint, the oldest first', async () => {
      for (const id of ['ep_a', 'ep_b', 'ep_c']) await on.deliveries.createEndpoint(endpointNamed(id));
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
      for (const id of ids) await on.deliveries.createEndpoint(endpointNamed(id));
      await apply(['1', '2', '3']);
      await fanOut();
      const served: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const [claimed] = await claim(at(3), at(9), { limit: 1 });
        served.push(claimed!.endpoint.id);
      }
      assert.deepEqual(served.sort(), ids);
    });

    it('and hands out those of endpoints that hang or fail by bounds of their own, which take nothing from the others', async () => {
      for (const id of ['ep_a', 'ep_b', 'ep_c', 'ep_d']) await on.deliveries.createEndpoint(endpointNamed(id));
      await apply(['0']);
      await fanOut();
      // The last attempts to a, b and c fail; those to c and d are not known to the store.
      for (const { id, endpoint } of await claim(at(3), at(9))) {
        await settle(at(4), outcome(id, at(3), endpoint.id === 'ep_d' ? 'acknowledged' : 'failed'));
      }
      await apply(['1', '2', '3']);
      await fanOut();
      const counts = async (lease: string, doubtful?: object): Promise<unknown> => {
        const claimed = await claim(at(5), at(9), { lease, limit: 2, limitPerEndpoint: 2, doubtful });
        const events = Object.groupBy(claimed, ({ endpoint }) => endpoint.id);
        return Object.fromEntries(Object.entries(events).map(([id, own]) => [id, own!.length]));
      };
      const none = { limit: 0, accountRoom: new Map(), endpoints: new Map() };
      assert.deepEqual(await counts('1', none), { ep_d: 2 });
      // What the sender knows comes before what the store does.
      const known = { limit: 3, accountRoom: new Map(), endpoints: new Map([['ep_c', false], ['ep_d', true]]) }; // prettier-ignore
      const some = (await counts('2', known)) as Readonly<Record<string, number>>;
      assert.equal(some.ep_c, 2);
      assert.equal((some.ep_a ?? 0) + (some.ep_b ?? 0) + (some.ep_d ?? 0), 3);
      const ofAccount = { ...known, accountRoom: new Map([['acme', 1]]) };
      const last = (await counts('3', ofAccount)) as Readonly<Record<string, number>>;
      assert.equal((last.ep_a ?? 0) + (last.ep_b ?? 0) + (last.ep_d ?? 0), 1);
    });

    it('and gives every account its turn, however much is due to one, and none more than it may have', async () => {
      for (const id of ['ep_a', 'ep_b', 'ep_c', 'ep_d']) await on.deliveries.createEndpoint(endpointNamed(id));
      await on.deliveries.createEndpoint(endpointNamed('ep_z', { accountId: 'other' }));
      await apply(Array.from({ length: 9 }, (_, index) => `k${index}`));
      await fanOut();
      const counts = async (more: object): Promise<unknown> => {
        const claimed = await claim(at(3), at(9), more);
        const byEndpoint = Object.groupBy(claimed, ({ endpoint }) => endpoint.id);
        return Object.fromEntries(Object.entries(byEndpoint).map(([id, own]) => [id, own!.length]));
      };
      assert.deepEqual(await counts({ limit: 5, limitPerEndpoint: 2 }), { ep_a: 2, ep_z: 2, ep_b: 1 });
      // Each goes on where it was.
      assert.deepEqual(await counts({ limit: 3, limitPerEndpoint: 1 }), { ep_c: 1, ep_z: 1, ep_d: 1 });
      const accountRoom = new Map([['acme', 12]]);
      assert.deepEqual(await counts({ limitPerEndpoint: 20, accountRoom }), { ep_a: 7, ep_b: 5, ep_z: 6 });
      // What an endpoint leaves of its share goes to those after it.
      assert.deepEqual(await counts({ limit: 17, limitPerEndpoint: 16 }), { ep_c: 8, ep_d: 8, ep_b: 1 });
    });

    it('and skips what happens while an account has no access, until it is replayed', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.store.accounts.updateAccount('acme', { accessUntil: at(1) });
      await apply(['a']);
      await fanOut();
      await on.store.accounts.updateAccount('acme', { accessUntil: at(99), isSuspended: true });
      await apply(['b']);
      await fanOut();
      await on.store.accounts.updateAccount('acme', { isSuspended: false });
      const found = await on.deliveries.deliveries('ep_a', { limit: 9 });
      assert.deepEqual(
        found.map(({ recordId, state, reason, nextAttemptAt }) => [recordId, state, reason, nextAttemptAt]),
        [
          ['permits:b', 'skipped', 'account_suspended', null],
          ['permits:a', 'skipped', 'access_lapsed', null],
        ],
      );
      assert.deepEqual(await claim(at(3), at(4)), []);
      assert.equal(await on.deliveries.replay({ endpointId: 'ep_a', since: at(0), isMissed: true }, { at: at(4) }), 2);
      assert.equal((await claim(at(4), at(5))).length, 2);
    });

    it('and keeps what is due when access ends until it returns, but no longer than told', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b', { accountId: 'other' }));
      await apply(['a']);
      await fanOut();
      const [{ id } = { id: '' }] = await on.deliveries.deliveries('ep_a', { limit: 1 });
      await on.store.accounts.updateAccount('acme', { accessUntil: at(3) });
      const claimed = await claim(at(3), at(20));
      assert.deepEqual(
        claimed.map(({ endpoint }) => endpoint.id),
        ['ep_b'],
      );
      const waiting = await on.deliveries.delivery(id);
      matches(waiting, { state: 'pending', reason: null, nextAttemptAt: at(2) });
      const said = { ...waiting, reason: 'access_lapsed' };
      assert.deepEqual(await on.deliveries.delivery(id, { now: at(3) }), said);
      assert.deepEqual(await on.deliveries.deliveries('ep_a', { limit: 1, now: at(3) }), [said]);
      assert.equal(await on.deliveries.skipLapsed({ now: at(3), dueBefore: at(1) }), 0);
      await on.store.accounts.updateAccount('acme', { accessUntil: at(30) });
      assert.equal(await on.deliveries.skipLapsed({ now: at(4), dueBefore: at(4) }), 0);
      assert.deepEqual((await on.deliveries.delivery(id, { now: at(4) })).reason, null);
      matches(await claim(at(4), at(5)), [{ id, tries: 0, dueAt: at(2) }]);
      await on.store.accounts.updateAccount('acme', { isSuspended: true });
      // While it is sent, it is not skipped.
      assert.equal(await on.deliveries.skipLapsed({ now: at(4), dueBefore: at(4) }), 0);
      await settle(at(4), outcome(id, at(4), 'pending', { nextAttemptAt: at(5) }));
      assert.equal(await on.deliveries.skipLapsed({ now: at(6), dueBefore: at(5) }), 1);
      matches(await on.deliveries.delivery(id), { state: 'skipped', reason: 'account_suspended', attempts: 1, nextAttemptAt: null }); // prettier-ignore
      matches((await on.deliveries.deliveries('ep_b', { limit: 1 }))[0], { state: 'pending' });
    });

    it('and records what became of it, with every attempt', async () => {
      const id = await oneClaimed();
      await settle(at(3), outcome(id, at(3), 'pending'));
      const failure = { at: at(3), durationMs: 7, status: 500, error: null, response: 'no' };
      matches(await on.deliveries.delivery(id), {
        state: 'pending',
        attempts: 1,
        nextAttemptAt: at(30),
        lastAttempt: failure,
      });
      assert.deepEqual(await claim(at(29), at(40)), []);
      matches((await claim(at(30), at(31)))[0], { id, tries: 1 });
      await settle(at(30), outcome(id, at(30), 'acknowledged'));
      const done = await on.deliveries.delivery(id);
      matches(done, {
        state: 'acknowledged',
        attempts: 2,
        nextAttemptAt: null,
        lastAttempt: { status: 200 },
      });
      assert.deepEqual(await on.deliveries.attempts(id), [failure, { ...failure, status: 200, response: null }]);
      assert.deepEqual(await claim(at(100), at(101)), []);
    });

    it('and takes a success however late, and nothing else that is late', async () => {
      const id = await oneClaimed();
      await claim(at(4), at(5));
      await settle(at(4), outcome(id, at(3), 'failed', { reason: 'exhausted' }));
      matches(await on.deliveries.delivery(id), { state: 'pending', attempts: 0 });
      await settle(at(4), outcome(id, at(3), 'acknowledged'));
      matches(await on.deliveries.delivery(id), { state: 'acknowledged', attempts: 1 });
      await settle(at(5), outcome(id, at(4), 'pending'), outcome('dlv_999', at(4), 'acknowledged'));
      await settle(at(5), outcome(id, at(4), 'acknowledged'));
      matches(await on.deliveries.delivery(id), { state: 'acknowledged', attempts: 1, nextAttemptAt: null });
      assert.equal((await on.deliveries.endpoint('ep_a')).failingSince, null);
    });

    it('and gives back what was claimed and not sent, as it was', async () => {
      const id = await oneClaimed();
      const before = await on.deliveries.delivery(id);
      await settle(at(3), outcome(id, at(3), 'pending', { attempt: null, nextAttemptAt: at(2) }));
      assert.deepEqual(await on.deliveries.delivery(id), { ...before, nextAttemptAt: at(2) });
      assert.equal((await claim(at(3), at(4)))[0]?.id, id);
      assert.equal((await on.deliveries.endpoint('ep_a')).failingSince, null);
    });

    it('and knows since when an endpoint fails, forgets it at a success, and stops it after too long', async () => {
      const id = await oneClaimed();
      const fail = async (time: string, failingBefore: string): Promise<unknown> => {
        await on.deliveries.settle([outcome(id, time, 'pending', { nextAttemptAt: time })], {
          at: time,
          failingBefore,
        });
        const { failingSince, disabledAt, disabledReason } = await on.deliveries.endpoint('ep_a');
        return [failingSince, disabledAt, disabledReason];
      };
      assert.deepEqual(await fail(at(3), at(-1)), [at(3), null, null]);
      await claim(at(5), at(6));
      assert.deepEqual(await fail(at(5), at(2)), [at(3), null, null]);
      await claim(at(7), at(8));
      await settle(at(7), outcome(id, at(7), 'acknowledged'));
      assert.equal((await on.deliveries.endpoint('ep_a')).failingSince, null);
      await on.deliveries.replay({ deliveryId: id }, { at: at(8) });
      await claim(at(8), at(9));
      assert.deepEqual(await fail(at(8), at(7)), [at(8), null, null]);
      await claim(at(9), at(10));
      assert.deepEqual(await fail(at(9), at(8)), [at(8), at(9), 'failing']);
      await on.deliveries.enableEndpoint('ep_a');
      await claim(at(11), at(12));
      assert.deepEqual(await fail(at(11), at(9)), [at(11), null, null]);
    });

    it('and stops an endpoint that is gone', async () => {
      const id = await oneClaimed();
      await settle(at(3), outcome(id, at(3), 'failed', { reason: 'gone', isGone: true }));
      matches(await on.deliveries.endpoint('ep_a'), { disabledAt: at(3), disabledReason: 'gone' });
      matches(await on.deliveries.delivery(id), { state: 'failed', reason: 'gone' });
    });

    it('and replays one, or all since a time, but none that is being sent', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b'));
      await apply(['a', 'b']);
      await fanOut();
      await on.deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(8) });
      const claimed = await claim(at(9), at(20));
      const own = claimed.filter(({ endpoint }) => endpoint.id === 'ep_a').map(({ id }) => id);
      const [first, second, test] = own as [string, string, string];
      await settle(
        at(9),
        outcome(first, at(9), 'acknowledged'),
        outcome(second, at(9), 'failed', { reason: 'exhausted' }),
      );
      assert.equal(await on.deliveries.replay({ deliveryId: test }, { at: at(10) }), 0);
      assert.equal(await on.deliveries.replay({ deliveryId: second }, { at: at(10) }), 1);
      const due = { state: 'pending', reason: null, attempts: 1, nextAttemptAt: at(10) };
      matches(await on.deliveries.delivery(second), due);
      matches(await claim(at(10), at(11)), [{ id: second, tries: 0, event: { id: 'evt_permits:b_1' } }]);
      assert.equal(await on.deliveries.replay({ endpointId: 'ep_a', since: at(8) }, { at: at(12) }), 0);
      assert.equal(await on.deliveries.replay({ endpointId: 'ep_a', since: at(2) }, { at: at(12) }), 2);
      matches(await on.deliveries.delivery(first), { ...due, nextAttemptAt: at(12) });
      assert.equal(await on.deliveries.replay({ endpointId: 'ep_a', since: at(8) }, { at: at(20) }), 1);
    });

    it('and forgets old deliveries that are done, and no others', async () => {
      const id = await oneClaimed();
      await on.deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(8) });
      assert.equal(await on.deliveries.prune({ before: at(100) }), 0);
      await settle(at(3), outcome(id, at(3), 'acknowledged'));
      assert.equal(await on.deliveries.prune({ before: at(2) }), 0);
      assert.equal(await on.deliveries.prune({ before: at(3) }), 1);
      await rejects(on.deliveries.attempts(id), { code: 'unknown_delivery' });
      assert.deepEqual(await eventsOf('ep_a'), ['t']);
    });

    it('and hands each out once when many ask at once', async () => {
      for (const id of ['ep_a', 'ep_b']) await on.deliveries.createEndpoint(endpointNamed(id));
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

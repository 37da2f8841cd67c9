// The contract of every store of endpoints and deliveries: endpoints, and which deliveries are created for them.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { type Test } from '../test.ts';
import type { OpenServiceStore } from './accounts/keys.ts';
import { endpointChangesContract } from './endpoint-changes.ts';
import { noticesContract } from './notices.ts';
import { outcomesContract } from './outcomes.ts';
import type { ClaimedDelivery } from '../../stores/contract/deliveries.ts';
import { endpointNamed, onDeliveries, SEALED, toEvent } from './on-deliveries.ts';
import { at, permits } from './said.ts';

/** Registers the suite for one implementation. */
export function deliveryStoreContract(test: Test, open: OpenServiceStore): void {
  outcomesContract(test, open);
  endpointChangesContract(test, open);
  noticesContract(test, open);

  onDeliveries(test, 'keeps endpoints and deliveries', open, (it, on) => {
    const { apply, fanOut, eventsOf, claim } = on;

    it('and finds endpoints by id, by account, and all of them in the order in which they were made', async () => {
      const made = await on.deliveries.createEndpoint(
        endpointNamed('ep_z', { feeds: ['permits'], types: ['record.withdrawn'] }),
      );
      assert.deepEqual(made, {
        ...{ id: 'ep_z', accountId: 'acme', url: 'https://ep_z.example.org/hook', createdAt: at(0) },
        ...{ feeds: ['permits'], types: ['record.withdrawn'], filter: null, hasNextSecret: false },
        ...{ isStandard: false, previousUntil: null },
        ...{ disabledAt: null, disabledReason: null, failingSince: null },
      });
      assert.deepEqual(await on.deliveries.endpoint('ep_z'), made);
      const other = await on.deliveries.createEndpoint(endpointNamed('ep_a', { accountId: 'other' }));
      assert.deepEqual(await on.deliveries.endpoints(), [made, other]);
      assert.deepEqual(await on.deliveries.endpoints('other'), [other]);
      const { secret, ...owner } = (await on.deliveries.anySecret())!;
      assert.deepEqual(owner, { endpointId: 'ep_z' });
      assert.deepEqual(Uint8Array.from(secret), SEALED);
    });

    it('and refuses what does not exist, by name', async () => {
      const refused = async (call: Promise<unknown>, code: string): Promise<void> => {
        await rejects(call, { code });
      };
      await refused(on.deliveries.createEndpoint(endpointNamed('ep_a', { accountId: 'x' })), 'unknown_account');
      await refused(on.deliveries.createEndpoint(endpointNamed('ep_a', { feeds: ['permits', 'x'] })), 'unknown_feed');
      await refused(on.deliveries.createEndpoint(endpointNamed('ep_a', { createdAt: 'now' })), 'invalid_option');
      assert.deepEqual(await on.deliveries.endpoints(), []);
      assert.equal(await on.deliveries.anySecret(), null);
      await refused(on.deliveries.endpoints('x'), 'unknown_account');
      for (const id of ['ep_x', 'ep_\0', '']) {
        for (const call of [
          () => on.deliveries.endpoint(id),
          () => on.deliveries.enableEndpoint(id),
          () => on.deliveries.disableEndpoint(id, { at: at(1), reason: 'operator' }),
          () => on.deliveries.updateEndpoint(id, { types: null }),
          () => on.deliveries.removeEndpoint(id, { at: at(1) }),
          () => on.deliveries.prepareSecret(id, SEALED),
          () => on.deliveries.activateSecret(id),
          () => on.deliveries.createTest(id, { id: 'evt_1', type: 'endpoint.test' }, { at: at(1) }),
          () => on.deliveries.deliveries(id, { limit: 1 }),
          () => on.deliveries.replay({ endpointId: id, since: at(0) }, { at: at(1) }),
        ]) {
          await refused(call(), 'unknown_endpoint');
        }
      }
      for (const id of ['dlv_1', 'dlv_0', 'dlv_1e3', 'dlv_', '1', '']) {
        await refused(on.deliveries.delivery(id), 'unknown_delivery');
        await refused(on.deliveries.attempts(id), 'unknown_delivery');
        await refused(on.deliveries.replay({ deliveryId: id }, { at: at(1) }), 'unknown_delivery');
      }
    });

    it('and stops an endpoint with its first reason, and lets it go on', async () => {
      const made = await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      const stopped = { ...made, disabledAt: at(1), disabledReason: 'gone' };
      assert.deepEqual(await on.deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'gone' }), stopped);
      assert.deepEqual(await on.deliveries.disableEndpoint('ep_a', { at: at(2), reason: 'operator' }), stopped);
      assert.deepEqual(await on.deliveries.enableEndpoint('ep_a'), made);
    });

    it('and changes a secret in two steps', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await rejects(on.deliveries.activateSecret('ep_a'), { code: 'no_next_secret' });
      assert.equal((await on.deliveries.prepareSecret('ep_a', Uint8Array.from([8]))).hasNextSecret, true);
      await on.deliveries.prepareSecret('ep_a', Uint8Array.from([9]));
      assert.deepEqual(Uint8Array.from((await on.deliveries.anySecret())!.secret), SEALED);
      assert.equal((await on.deliveries.activateSecret('ep_a')).hasNextSecret, false);
      assert.deepEqual([...(await on.deliveries.anySecret())!.secret], [9]);
      await rejects(on.deliveries.activateSecret('ep_a'), { code: 'no_next_secret' });
    });

    it('and hands out the previous secret with its end, when it is kept', async () => {
      const made = await on.deliveries.createEndpoint(endpointNamed('ep_a', { isStandard: true }));
      assert.equal(made.isStandard, true);
      matches(await on.deliveries.updateEndpoint('ep_a', { isStandard: false }), { isStandard: false });
      const claimed = async (): Promise<unknown> => {
        await on.deliveries.createTest('ep_a', { id: 'evt_1', type: 'endpoint.test' }, { at: at(1) });
        const [{ endpoint }] = (await claim(at(3), at(4))) as [ClaimedDelivery];
        return [[...endpoint.secret], endpoint.previousSecret && [...endpoint.previousSecret], endpoint.previousUntil];
      };
      await on.deliveries.prepareSecret('ep_a', Uint8Array.from([8]));
      await rejects(on.deliveries.activateSecret('ep_a', { previousUntil: 'soon' }), { code: 'invalid_option' });
      await on.deliveries.activateSecret('ep_a', { previousUntil: at(9) });
      assert.deepEqual(await claimed(), [[8], [...SEALED], at(9)]);
      const again = { from: SEALED, to: Uint8Array.from([7]) };
      assert.equal(await on.deliveries.replaceSecret('ep_a', again), true);
      assert.deepEqual(await claimed(), [[8], [7], at(9)]);
      await on.deliveries.prepareSecret('ep_a', Uint8Array.from([6]));
      await on.deliveries.activateSecret('ep_a');
      assert.deepEqual(await claimed(), [[6], null, null]);
    });

    it('and replaces the encryption of a secret, also after its activation, and of no other', async () => {
      const replace = (from: number, to: number, id = 'ep_a'): Promise<boolean> => {
        return on.deliveries.replaceSecret(id, { from: Uint8Array.from([from]), to: Uint8Array.from([to]) });
      };
      const current = async (): Promise<number[]> => [...(await on.deliveries.anySecret())!.secret];
      await on.deliveries.createEndpoint(endpointNamed('ep_a', { secret: Uint8Array.from([8]) }));
      await on.deliveries.prepareSecret('ep_a', Uint8Array.from([9]));
      assert.deepEqual([await replace(9, 10), await current()], [true, [8]]);
      assert.deepEqual([await replace(8, 11), await current()], [true, [11]]);
      assert.deepEqual([await replace(8, 12), await replace(11, 12, 'ep_x'), await current()], [false, false, [11]]);
      await on.deliveries.activateSecret('ep_a');
      assert.deepEqual([await replace(11, 12), await current()], [false, [10]]);
      assert.deepEqual([await replace(10, 9), await current()], [true, [9]]);
    });

    it('and makes a delivery for each version that was committed once the endpoint was there, and none before', async () => {
      await apply(['before']);
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await fanOut();
      assert.deepEqual(await eventsOf('ep_a'), []);
      await apply(['a', 'b']);
      // Not fanned out yet when the second one comes.
      await on.deliveries.createEndpoint(endpointNamed('ep_b'));
      await apply(['a'], { title: 'Anew' });
      await on.store.withdraw('permits', ['permits:b'], { recordedAt: at(2) });
      await fanOut();
      await fanOut();
      assert.deepEqual(await eventsOf('ep_a'), ['permits:a_1', 'permits:b_1', 'permits:a_2', 'permits:b_2']);
      assert.deepEqual(await eventsOf('ep_b'), ['permits:a_2', 'permits:b_2']);
    });

    it('and gives each endpoint the registers and types it asked for, of later registers too', async () => {
      await on.store.createRegister(permits('notices'));
      await on.deliveries.createEndpoint(endpointNamed('ep_all'));
      await on.deliveries.createEndpoint(endpointNamed('ep_feed', { feeds: ['notices'] }));
      await on.deliveries.createEndpoint(endpointNamed('ep_type', { types: ['record.withdrawn'] }));
      await apply(['a']);
      await apply(['n'], {}, 'notices');
      await on.store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
      await on.store.createRegister(permits('later'));
      await apply(['l'], {}, 'later');
      await fanOut();
      assert.deepEqual((await eventsOf('ep_all')).sort(), ['later:l_1', 'notices:n_1', 'permits:a_1', 'permits:a_2']);
      assert.deepEqual(await eventsOf('ep_feed'), ['notices:n_1']);
      assert.deepEqual(await eventsOf('ep_type'), ['permits:a_2']);
    });

    it('and walks a long log in steps, losing and repeating nothing', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b', { feeds: ['permits'] }));
      const keys = Array.from({ length: 2500 }, (_, index) => `k${index}`);
      await apply(keys);
      let steps = 0;
      while (await on.deliveries.fanOut({ at: at(2), baseUrl: 'https://example.org', toEvent })) steps++;
      assert.ok(steps > 2);
      const found = await on.deliveries.deliveries('ep_b', { limit: 5000 });
      assert.deepEqual(
        found.map(({ event }) => event.id).reverse(),
        keys.map((key) => `evt_permits:${key}_1`),
      );
      const [, second, third] = found;
      const page = await on.deliveries.deliveries('ep_b', { limit: 1, before: second!.id });
      assert.deepEqual(page, [third]);
    });

    it('and lets no register wait until another one is through', async () => {
      await on.store.createRegister(permits('notices'));
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(Array.from({ length: 2500 }, (_, index) => `k${index}`));
      await apply(['n'], {}, 'notices');
      for (let step = 0; step < 2; step++) {
        assert.ok(await on.deliveries.fanOut({ at: at(2), baseUrl: 'https://example.org', toEvent }));
      }
      const found = await on.deliveries.deliveries('ep_a', { limit: 5000 });
      assert.ok(found.length < 2501);
      assert.ok(found.some(({ recordId }) => recordId === 'notices:n'));
    });

    it('and hands a delivery out with what it takes to send it', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a']);
      await fanOut();
      const test = await on.deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(2) });
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
            disabled: null,
          },
          event: { id: 'evt_permits:a_1', type: 'record.published' },
          baseUrl: 'https://example.org',
          endpoint: {
            ...(await on.deliveries.endpoint('ep_a')),
            account: await on.store.accounts.account('acme'),
            ...{ secret: null, previousSecret: null },
          },
          version: {
            ...{ feedId: 'permits', recordId: 'permits:a', version: 1, change: 1, cause: 'first_observed' },
            ...{ recordedAt: at(1), undoes: null, title: 'Permit a', sourceUrl: 'https://example.org/permits/a' },
            ...{ publishedAt: '2026-04-17', observedAt: at(1) },
          },
        },
      );
      assert.deepEqual([...first!.endpoint.secret], [...SEALED]);
      matches(second, { id: test.id, isTest: true, version: null, baseUrl: null });
      matches(await on.deliveries.delivery(first!.id), {
        state: 'pending',
        nextAttemptAt: at(4),
        lastAttempt: null,
      });
    });

    it('and ends those of a record that is erased, with what receivers answered to them', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a', 'b']);
      await apply(['a'], { title: 'Anew' });
      await fanOut();
      const claimed = await claim(at(3), at(4), { limit: 2 });
      const said = { attempt: { at: at(3), durationMs: 7, status: 500, error: null, response: 'Permit a?' } };
      await on.settle(at(3), ...claimed.map(({ id }) => on.outcome(id, at(3), 'pending', said)));
      const [sending] = await claim(at(3), at(9));
      await on.store.redact('permits:a', { recordedAt: at(3) });
      await on.settle(at(3), on.outcome(sending!.id, at(3), 'failed', said));
      await fanOut();
      const found = await on.deliveries.deliveries('ep_a', { limit: 9 });
      assert.deepEqual(
        found.map(({ event, state, reason, lastAttempt }) => [event.id, state, reason, lastAttempt?.response ?? null]),
        [
          ['evt_permits:a_3', 'pending', null, null],
          ['evt_permits:a_2', 'skipped', 'redacted', null],
          ['evt_permits:b_1', 'pending', null, 'Permit a?'],
          ['evt_permits:a_1', 'skipped', 'redacted', null],
        ],
      );
    });

    it('and tells of each version what it said, until its content is erased or its register is gone', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a', 'b']);
      await apply(['a'], { title: 'Anew', published_at: null });
      await on.store.redact('permits:b', { recordedAt: at(2) });
      await fanOut();
      const told = async (now: string, until: string): Promise<unknown[]> => {
        const claimed = await claim(now, until);
        return claimed.map(({ event, version }) => [
          event.id.replace('evt_permits:', ''),
          version === null ? null : [version.title, version.publishedAt],
        ]);
      };
      assert.deepEqual(await told(at(3), at(4)), [
        ['a_1', ['Permit a', '2026-04-17']],
        ['b_1', [null, null]],
        ['a_2', ['Anew', null]],
        ['b_2', [null, null]],
      ]);
      await on.store.removeRegister('permits');
      await on.store.createRegister(permits());
      await apply(['a']);
      assert.deepEqual(await told(at(5), at(6)), [['a_1', null], ['b_1', null], ['a_2', null], ['b_2', null]]); // prettier-ignore
    });
  });
}

// The contract of stores of deliveries for what is told of endpoints: events to the others of the account, and notices.
import assert from 'node:assert/strict';
import { type Test } from '../test.ts';
import type { DeliveryEntry } from '../../stores/contract/deliveries.ts';
import type { OpenServiceStore } from './accounts/keys.ts';
import { endpointNamed, onDeliveries } from './on-deliveries.ts';
import { at } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function noticesContract(test: Test, open: OpenServiceStore): void {
  onDeliveries(test, 'tells of an endpoint', open, (it, on) => {
    const { apply, fanOut, claim, outcome } = on;
    const toldTo = async (id: string): Promise<readonly DeliveryEntry[]> => {
      const found = await on.deliveries.deliveries(id, { limit: 10 });
      return found.filter(({ event }) => event.type === 'endpoint.disabled');
    };
    const addAll = async (): Promise<void> => {
      await on.deliveries.createEndpoint(endpointNamed('ep_e'));
      await on.deliveries.disableEndpoint('ep_e', { at: at(0), reason: 'operator' });
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b', { feeds: ['permits'], filter: { document_type: ['x'] } })); // prettier-ignore
      await on.deliveries.createEndpoint(endpointNamed('ep_c', { types: ['endpoint.disabled'] }));
      await on.deliveries.createEndpoint(endpointNamed('ep_d', { types: ['record.published'] }));
      await on.deliveries.createEndpoint(endpointNamed('ep_z', { accountId: 'other' }));
    };
    /** Has the delivery of a new record to `ep_a` end. */
    const end = async (
      more: object,
      options: { readonly at: string; readonly failingBefore: string },
    ): Promise<void> => {
      const claimed = await claim(options.at, at(55));
      const { id } = claimed.find(({ endpoint, version }) => endpoint.id === 'ep_a' && version !== null)!;
      await on.deliveries.settle([outcome(id, options.at, 'failed', more)], options);
    };

    it('that is disabled, the enabled others of its account that take such events, once', async () => {
      await addAll();
      await on.deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'operator' });
      await on.deliveries.disableEndpoint('ep_a', { at: at(2), reason: 'gone' });
      const [[toB, ...others], [toC, ...more]] = [await toldTo('ep_b'), await toldTo('ep_c')];
      assert.deepEqual([others, more], [[], []]);
      assert.deepEqual([toB!.event, toB!.state, toB!.createdAt, toB!.recordId], [toC!.event, 'pending', at(1), null]);
      assert.match(toB!.event.id, /^evt_[0-9a-f]{32}$/);
      for (const id of ['ep_a', 'ep_d', 'ep_e', 'ep_z']) assert.deepEqual(await toldTo(id), []);
      const claimed = await claim(at(3), at(4));
      const got = claimed.filter(({ event }) => event.id === toB!.event.id);
      assert.deepEqual(
        got.map(({ endpoint, disabled, isTest, version }) => [endpoint.id, disabled, isTest, version]),
        ['ep_b', 'ep_c'].map((id) => [id, { endpoint: 'ep_a', reason: 'operator' }, false, null]),
      );
    });

    it('that answered that it is gone, or has failed for long', async () => {
      await addAll();
      await apply(['1']);
      await fanOut();
      await end({ isGone: true }, { at: at(3), failingBefore: at(-9) });
      await on.deliveries.enableEndpoint('ep_a');
      await apply(['2']);
      await fanOut();
      await end({}, { at: at(4), failingBefore: at(-9) });
      assert.equal((await on.deliveries.endpoint('ep_a')).disabledAt, null);
      await apply(['3']);
      await fanOut();
      await end({}, { at: at(50), failingBefore: at(4) });
      const reasons = (await claim(at(56), at(57))).filter(({ endpoint }) => endpoint.id === 'ep_c');
      assert.deepEqual(
        reasons.flatMap(({ disabled }) => (disabled?.endpoint === 'ep_a' ? [disabled.reason] : [])).sort(),
        ['failing', 'gone'],
      );
    });

    it('that is enabled and disabled again, again by another event', async () => {
      await addAll();
      await on.deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'operator' });
      await on.deliveries.enableEndpoint('ep_a');
      await on.deliveries.disableEndpoint('ep_a', { at: at(2), reason: 'operator' });
      const [last, first] = await toldTo('ep_c');
      assert.notEqual(last!.event.id, first!.event.id);
    });

    it('that is removed, nobody', async () => {
      await addAll();
      await apply(Array.from({ length: 3 }, (_, index) => `k${index}`));
      await fanOut();
      await on.deliveries.removeEndpoint('ep_a', { at: at(3) });
      assert.deepEqual(await toldTo('ep_c'), []);
    });

    it('whose account has no access, by events that are skipped', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b'));
      await on.store.accounts.updateAccount('acme', { accessUntil: null });
      await on.deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'operator' });
      const [told] = await toldTo('ep_b');
      assert.deepEqual([told?.state, told?.reason], ['skipped', 'access_lapsed']);
    });

    it('its owner, by one notice for each state, which one process takes', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      const take = async (now: number, until: number): Promise<string | undefined> => {
        const notices = await Promise.all(
          [0, 1, 2].map(() => {
            return on.deliveries.takeNotice({ now: at(now), until: at(until), failingBefore: at(now - 10), since: at(0) }); // prettier-ignore
          }),
        );
        const [notice, ...more] = notices.filter((one) => one !== null);
        assert.deepEqual(more, []);
        return notice?.state;
      };
      assert.equal(await take(1, 2), undefined);
      await apply(['1']);
      await fanOut();
      await end({ state: 'pending', nextAttemptAt: at(40) }, { at: at(3), failingBefore: at(-9) });
      assert.equal(await take(12, 20), undefined);
      const failing = await take(13, 20);
      assert.equal(failing, `failing ${at(3)}`);
      // Whoever took it may have been killed; then it is another's.
      assert.equal(await take(19, 25), undefined);
      assert.equal(await take(20, 25), failing);
      await on.deliveries.endNotice('ep_a', failing);
      assert.equal(await take(30, 31), undefined);
      await on.deliveries.disableEndpoint('ep_a', { at: at(32), reason: 'failing' });
      const disabled = await take(33, 99);
      assert.equal(disabled, `disabled ${at(32)}`);
      // The end of another state ends nothing.
      await on.deliveries.endNotice('ep_a', failing);
      assert.equal(await take(99, 100), disabled);
      await on.deliveries.endNotice('ep_a', disabled);
      assert.equal(await take(200, 201), undefined);
      await on.deliveries.enableEndpoint('ep_a');
      assert.equal(await take(202, 203), undefined);
      await on.deliveries.disableEndpoint('ep_a', { at: at(-1), reason: 'operator' });
      assert.equal(await take(204, 205), undefined);
    });
  });
}

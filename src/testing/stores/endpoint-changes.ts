// The contract of stores of deliveries for endpoints that change: filters, new addresses and subscriptions, removal,
// replays of what was missed, and what waits.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { type Test } from '../test.ts';
import { defineRegister } from '../../register/definition.ts';
import type { Filter } from '../../register/finding/filter.ts';
import type { Backlog } from '../../stores/contract/sending.ts';
import type { EndpointChange } from '../../stores/contract/endpoints.ts';
import type { OpenServiceStore } from './accounts/keys.ts';
import { endpointNamed, onDeliveries } from './on-deliveries.ts';
import { at, inFacility, permits } from './said.ts';

/** More deliveries than one step of a removal deletes. */
const MANY = 2500;

const NONE: Backlog = {
  ...{ deliveries: 0, changes: 0, oldestDueAt: null },
  disabledEndpoints: { operator: 0, gone: 0, failing: 0 },
};

/** Registers this part of the suite for one implementation. */
export function endpointChangesContract(test: Test, open: OpenServiceStore): void {
  onDeliveries(test, 'keeps endpoints and deliveries', open, (it, on) => {
    const { apply, fanOut, eventsOf, claim, outcome, settle, oneClaimed } = on;

    it('and sends a filtered endpoint what matches before or after the version, and every erasure', async () => {
      const type = { document_type: ['adopted'] };
      await on.deliveries.createEndpoint(endpointNamed('ep_all'));
      const made = endpointNamed('ep_type', { filter: { document_type: 'adopted' } });
      matches(await on.deliveries.createEndpoint(made), { filter: type });
      const both = { document_type: '\u0000 draft', ...inFacility('F2') };
      await on.deliveries.createEndpoint(endpointNamed('ep_both', { filter: both }));
      await apply(['a', 'b']);
      await apply(['a'], { document_type: '\u0000 draft' });
      await apply(['a'], { document_type: '\u0000 draft', ...inFacility('F2') });
      await apply(['a'], { document_type: '\u0000 draft', ...inFacility(null) });
      await apply(['a'], { document_type: null, ...inFacility(null) });
      await apply(['b'], { title: 'Second' });
      await on.store.withdraw('permits', ['permits:b'], { recordedAt: at(2) });
      await fanOut();
      assert.deepEqual(await eventsOf('ep_type'), [
        ...['permits:a_1', 'permits:b_1', 'permits:a_2', 'permits:b_2', 'permits:b_3'],
      ]);
      assert.deepEqual(await eventsOf('ep_both'), ['permits:a_3', 'permits:a_4']);
      assert.equal((await eventsOf('ep_all')).length, 8);
      await on.store.redact('permits:a', { recordedAt: at(3) });
      await fanOut();
      assert.deepEqual((await eventsOf('ep_type')).slice(5), ['permits:a_6']);
      assert.deepEqual((await eventsOf('ep_both')).slice(2), ['permits:a_6']);
    });

    it('and filters by any filter of the table, own fields and words', async () => {
      const { id, created_at, title } = permits('sites');
      const fields = [
        { name: 'country', type: 'text', filterable: true },
        { name: 'area', type: 'integer', filterable: true },
      ] as const;
      await on.store.createRegister(defineRegister({ id, created_at, title, fields }));
      const filters: Readonly<Record<string, Filter>> = {
        ep_key: { key: ['s2', 's9'] },
        ep_types: { document_type: ['refused', 'granted'] },
        ep_since: { published_since: '2026-05-01', updated_since: at(1) },
        ep_later: { updated_until: at(1) },
        ep_words: { q: 'asbestos -roof' },
        ep_own: { 'data.country': ['BE', 'NL'], 'data.area_min': '10' },
      };
      for (const [name, filter] of Object.entries(filters))
        await on.deliveries.createEndpoint(endpointNamed(name, { filter }));
      const small = { data: { country: 'NL', area: 1 } };
      await apply(['s1'], small, 'sites');
      await apply(['s1'], { ...small, published_at: '2026-05-01', content: 'Asbestos, in Text' }, 'sites');
      await apply(['s1'], { document_type: 'granted', summary: 'asbestos', content: 'roof', data: {} }, 'sites');
      await apply(['s2'], { data: { country: 'BE', area: 10 }, published_at: null }, 'sites');
      await apply(['s2'], { data: { country: 'BE', area: 9 }, published_at: null }, 'sites');
      await on.store.withdraw('sites', ['sites:s2'], { recordedAt: at(2) });
      await apply(['p1'], { data: { country: 'NL', area: 10 } });
      await fanOut();
      const heard = await Promise.all(Object.keys(filters).map(async (name) => [name, await eventsOf(name)] as const));
      assert.deepEqual(Object.fromEntries(heard), {
        ep_key: ['sites:s2_1', 'sites:s2_2', 'sites:s2_3'],
        ep_types: ['sites:s1_3'],
        ep_since: ['sites:s1_2', 'sites:s1_3'],
        ep_later: [],
        ep_words: ['sites:s1_2', 'sites:s1_3'],
        // A register that does not know the field has no record that matches.
        ep_own: ['sites:s2_1', 'sites:s2_2'],
      });
      await on.store.redact('sites:s1', { recordedAt: at(3) });
      await fanOut();
      for (const name of ['ep_words', 'ep_own']) assert.deepEqual((await eventsOf(name)).slice(2), ['sites:s1_4']);
    });

    it('and keeps a filter in one form, if one of the registers knows it', async () => {
      const { created_at, title } = permits('sites');
      const fields = [{ name: 'area', type: 'integer', filterable: true }] as const;
      await on.store.createRegister(defineRegister({ id: 'sites', created_at, title, fields }));
      const made = await on.deliveries.createEndpoint(
        endpointNamed('ep_a', { filter: { 'data.area': ['7', '10', '7'], q: 'word' } }),
      );
      assert.deepEqual(made.filter, { q: ['word'], 'data.area': ['10', '7'] });
      const refused: readonly EndpointChange[] = [
        { filter: { 'data.area': 'ten' } },
        { filter: { 'data.owner': 'x' } },
        { filter: { title: 'x' } },
        { filter: { document_type: '' } },
        { filter: { q: '?' } },
        // Its filter is none of this register.
        { feeds: ['permits'] },
      ];
      for (const change of refused) {
        await rejects(on.deliveries.updateEndpoint('ep_a', change), { code: 'invalid_option' });
      }
      assert.deepEqual(await on.deliveries.endpoint('ep_a'), made);
      matches(await on.deliveries.updateEndpoint('ep_a', { filter: {} }), { filter: null });
    });

    it('and changes where events go and which, and keeps the id and the secret', async () => {
      const made = await on.deliveries.createEndpoint(endpointNamed('ep_a', { types: ['record.withdrawn'] }));
      const change = { url: 'https://new.example.org/', filter: { document_type: ['final'] } };
      assert.deepEqual(await on.deliveries.updateEndpoint('ep_a', change), { ...made, ...change });
      assert.deepEqual(await on.deliveries.updateEndpoint('ep_a', {}), { ...made, ...change });
      assert.deepEqual(await on.deliveries.updateEndpoint('ep_a', { types: null, filter: null }), {
        ...{ ...made, url: change.url },
        types: null,
      });
      await rejects(on.deliveries.updateEndpoint('ep_a', { feeds: ['x'] }), { code: 'unknown_feed' });
      await apply(['a']);
      await fanOut();
      const [claimed] = await claim(at(3), at(4));
      assert.equal(claimed!.endpoint.url, change.url);
      assert.deepEqual([...claimed!.endpoint.secret], [1, 2, 3]);
    });

    it('and forgets the failures of an address that is replaced, and of no other', async () => {
      const id = await oneClaimed();
      await settle(at(3), outcome(id, at(3), 'pending'));
      matches(await on.deliveries.updateEndpoint('ep_a', { types: null }), { failingSince: at(3) });
      matches(await on.deliveries.updateEndpoint('ep_a', { url: 'https://b.example.org/' }), { failingSince: null });
    });

    it('and sends of a register that an endpoint subscribes to later only what is committed from then on', async () => {
      await on.store.createRegister(permits('notices'));
      await on.deliveries.createEndpoint(endpointNamed('ep_a', { feeds: ['permits'] }));
      await apply(['n1'], {}, 'notices');
      await apply(['p1']);
      // Nothing is fanned out yet.
      await on.deliveries.updateEndpoint('ep_a', { feeds: ['permits', 'notices'] });
      await apply(['n2'], {}, 'notices');
      await apply(['p2']);
      await fanOut();
      assert.deepEqual((await eventsOf('ep_a')).sort(), ['notices:n2_1', 'permits:p1_1', 'permits:p2_1']);
    });

    it('and removes an endpoint with all its deliveries, also while they are sent', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b'));
      await apply(Array.from({ length: MANY }, (_, index) => `k${index}`));
      await fanOut();
      const claimed = await claim(at(3), at(4), { limitPerEndpoint: 2 });
      const mine = claimed.filter(({ endpoint }) => endpoint.id === 'ep_a');
      await on.deliveries.removeEndpoint('ep_a', { at: at(3) });
      await settle(at(3), ...claimed.map(({ id }) => outcome(id, at(3), 'acknowledged')));
      await rejects(on.deliveries.endpoint('ep_a'), { code: 'unknown_endpoint' });
      for (const { id } of mine) {
        await rejects(on.deliveries.delivery(id), { code: 'unknown_delivery' });
        await rejects(on.deliveries.attempts(id), { code: 'unknown_delivery' });
      }
      const rest = await claim(at(5), at(6), { limit: 9000, limitPerEndpoint: 9000 });
      assert.deepEqual([rest.length, new Set(rest.map(({ endpoint }) => endpoint.id))], [MANY - 2, new Set(['ep_b'])]);
      await apply(['later']);
      await fanOut();
      assert.equal((await claim(at(5), at(6))).length, 1);
      await on.deliveries.removeEndpoint('ep_b', { at: at(6) });
      assert.deepEqual(await on.deliveries.endpoints(), []);
      // Whether an endpoint still has them or not.
      assert.equal((await on.deliveries.backlog({ now: at(6) })).deliveries, 0);
    });

    it('and replays of an endpoint only what failed or was skipped', async () => {
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await apply(['a', 'b', 'c', 'd']);
      await fanOut();
      const [a, b, c, d] = await claim(at(3), at(4));
      await settle(
        at(3),
        outcome(a!.id, at(3), 'acknowledged'),
        outcome(b!.id, at(3), 'failed', { reason: 'exhausted' }),
        outcome(c!.id, at(3), 'skipped', { reason: 'access_lapsed', attempt: null }),
        outcome(d!.id, at(3), 'pending'),
      );
      const missed = { endpointId: 'ep_a', isMissed: true } as const;
      assert.equal(await on.deliveries.replay({ ...missed, since: at(3) }, { at: at(5) }), 0);
      assert.equal(await on.deliveries.replay({ ...missed, since: at(0) }, { at: at(5) }), 2);
      const again = await claim(at(5), at(6));
      assert.deepEqual(again.map(({ id }) => id), [b!.id, c!.id]); // prettier-ignore
    });

    const backlog = (now: string): Promise<Backlog> => on.deliveries.backlog({ now });

    it('and says what waits: what was not fanned out, what is pending, and since when the oldest is due', async () => {
      await apply(['before']);
      assert.deepEqual(await backlog(at(9)), NONE);
      await on.deliveries.createEndpoint(endpointNamed('ep_a'));
      await on.deliveries.createEndpoint(endpointNamed('ep_b', { accountId: 'other' }));
      await apply(['a', 'b']);
      assert.deepEqual(await backlog(at(9)), { ...NONE, changes: 2 });
      await fanOut();
      assert.deepEqual(await backlog(at(9)), { ...NONE, deliveries: 4, oldestDueAt: at(2) });
      // Nothing is due before its time.
      assert.deepEqual(await backlog(at(1)), { ...NONE, deliveries: 4 });
      const claimed = await claim(at(3), at(5));
      assert.deepEqual(await backlog(at(4)), { ...NONE, deliveries: 4 });
      const ofFirst = claimed.filter(({ endpoint }) => endpoint.id === 'ep_a').map(({ id }) => id);
      await settle(at(4), outcome(ofFirst[0]!, at(3), 'acknowledged'), outcome(ofFirst[1]!, at(3), 'pending'));
      // The leases of the other endpoint end.
      assert.deepEqual(await backlog(at(6)), { ...NONE, deliveries: 3, oldestDueAt: at(5) });
      assert.deepEqual(await backlog(at(40)), { ...NONE, deliveries: 3, oldestDueAt: at(5) });
      // What waits for access does not wait for a sender.
      await on.store.accounts.updateAccount('other', { isSuspended: true });
      assert.deepEqual(await backlog(at(40)), { ...NONE, deliveries: 3, oldestDueAt: at(30) });
    });

    it('and says how many endpoints are disabled, and why', async () => {
      for (const id of ['ep_a', 'ep_b', 'ep_c', 'ep_d']) await on.deliveries.createEndpoint(endpointNamed(id));
      await on.deliveries.disableEndpoint('ep_a', { at: at(1), reason: 'operator' });
      await on.deliveries.disableEndpoint('ep_b', { at: at(1), reason: 'gone' });
      await on.deliveries.disableEndpoint('ep_c', { at: at(1), reason: 'gone' });
      const disabledEndpoints = { operator: 1, gone: 2, failing: 0 };
      assert.deepEqual((await backlog(at(2))).disabledEndpoints, disabledEndpoints);
      await on.deliveries.enableEndpoint('ep_c');
      assert.equal((await backlog(at(2))).disabledEndpoints.gone, 1);
    });
  });
}

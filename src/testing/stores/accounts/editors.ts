// The contract of every store of editors, and of the log of what they did.
import assert from 'node:assert/strict';
import { rejects } from '../../assertions.ts';
import { around, group, type Test } from '../../test.ts';
import type { ServiceStore } from '../../../stores/contract/accounts.ts';
import type { ByActor, DeskEntry, DeskLogRange, NewEditor } from '../../../stores/contract/desk/editors.ts';
import { at, permits } from '../said.ts';
import { digestOf, type OpenServiceStore } from './keys.ts';

/** Who adds editors here. */
export const OPERATOR: ByActor = { who: 'root', role: 'operator', at: at(5) };

/** An editor of all registers. */
export function editorNamed(name: string): NewEditor {
  return { name, email: `${name}@example.org`, feeds: null, role: 'edit', createdAt: at(0) };
}

/** Registers the suite for one implementation. */
export function editorStoreContract(test: Test, open: OpenServiceStore): void {
  group(test, 'keeps editors', (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        await store.createRegister(permits());
        await store.editors.add(editorNamed('anna'), OPERATOR);
      },
      () => dispose(),
    );
    const signIn = async (name: string): Promise<void> => {
      const minutes = { createdAt: at(0), endsAt: at(100) };
      const link = { owner: { kind: 'editor', id: name }, ...minutes } as const;
      await store.signIns.keepLink({ ...link, digest: digestOf(`link of ${name}`) });
      const session = { digest: digestOf(`session of ${name}`), ...minutes };
      assert.equal(await store.signIns.useLink('editor', digestOf(`link of ${name}`), session), name);
      await store.signIns.keepLink({ ...link, digest: digestOf(`next link of ${name}`) });
    };
    const signedIn = async (name: string): Promise<readonly (string | null)[]> => [
      await store.signIns.findSession('editor', digestOf(`session of ${name}`), { at: at(1) }),
      await store.signIns.findLink('editor', digestOf(`next link of ${name}`), { at: at(1) }),
    ];
    const logged = async (range: Partial<DeskLogRange> = {}): Promise<readonly string[]> => {
      const entries = await store.editors.log({ limit: 100, ...range });
      return entries.map(({ who, role, action, feed, subject }: DeskEntry) => {
        return [who, role, action, feed, subject].map((text) => text ?? '-').join(' ');
      });
    };

    it('and finds them by name, by address in any case, and all in the order of their names', async () => {
      const ben = { ...editorNamed('ben'), feeds: ['permits', 'permits'], role: 'review' } as const;
      const kept = await store.editors.add({ ...ben, email: 'Anna@Example.org' }, OPERATOR);
      assert.deepEqual(kept, { ...ben, email: 'anna@example.org', feeds: ['permits'], removedAt: null });
      const anna = { ...editorNamed('anna'), removedAt: null };
      assert.deepEqual(await store.editors.editor('anna'), anna);
      assert.deepEqual([await store.editors.editor('Anna'), await store.editors.editor('anna\0')], [null, null]);
      assert.deepEqual(await store.editors.editors(), [anna, kept]);
      assert.deepEqual(await store.editors.editorsOfEmail('ANNA@example.org'), [anna, kept]);
      assert.deepEqual(await store.editors.editorsOfEmail('anna@example.org\0'), []);
    });

    it('and refuses a second one of the same name, and what no editor can be', async () => {
      await rejects(store.editors.add({ ...editorNamed('anna'), role: 'review' }, OPERATOR), { code: 'editor_exists' });
      assert.equal((await store.editors.editor('anna'))?.role, 'edit');
      for (const wrong of [
        { name: 'Anna' },
        { email: 'anna' },
        { feeds: [] },
        { role: 'operator' as 'edit' },
        { createdAt: 'now' },
      ]) {
        await rejects(store.editors.add({ ...editorNamed('ben'), ...wrong }, OPERATOR), { code: 'invalid_option' });
      }
      const unknown = { code: 'unknown_feed' };
      await rejects(store.editors.add({ ...editorNamed('ben'), feeds: ['permits', 'others'] }, OPERATOR), unknown);
      await rejects(store.editors.change('anna', { feeds: ['others'] }, OPERATOR), unknown);
      await rejects(store.editors.change('anna', { feeds: [] }, OPERATOR), { code: 'invalid_option' });
      await rejects(store.editors.add(editorNamed('ben'), { ...OPERATOR, at: 'now' }), { code: 'invalid_option' });
      for (const name of ['ben', 'anna\0']) {
        await rejects(store.editors.change(name, { role: 'edit' }, OPERATOR), { code: 'unknown_editor' });
        await rejects(store.editors.remove(name, OPERATOR), { code: 'unknown_editor' });
      }
      assert.deepEqual(await logged(), ['root operator editor_added - anna']);
    });

    it('and changes what is given, which ends their sessions and no others', async () => {
      await store.editors.add(editorNamed('ben'), OPERATOR);
      await signIn('anna');
      await signIn('ben');
      const changed = await store.editors.change('anna', { role: 'review', feeds: ['permits'] }, OPERATOR);
      assert.deepEqual(changed, { ...editorNamed('anna'), role: 'review', feeds: ['permits'], removedAt: null });
      assert.deepEqual(await store.editors.editor('anna'), changed);
      assert.deepEqual(
        [await signedIn('anna'), await signedIn('ben')],
        [
          [null, null],
          ['ben', 'ben'],
        ],
      );
      const again = await store.editors.change('anna', { email: 'A@example.org', feeds: null }, OPERATOR);
      assert.deepEqual([again.email, again.feeds, again.role], ['a@example.org', null, 'review']);
    });

    it('and removes them with their addresses and sessions; their names remain, and may be given again', async () => {
      await signIn('anna');
      await store.editors.remove('anna', { ...OPERATOR, at: at(7) });
      assert.deepEqual(await signedIn('anna'), [null, null]);
      assert.equal(await store.editors.editor('anna'), null);
      assert.deepEqual(await store.editors.editorsOfEmail('anna@example.org'), []);
      assert.deepEqual(await store.editors.editors(), [{ ...editorNamed('anna'), email: null, removedAt: at(7) }]);
      await rejects(store.editors.change('anna', { role: 'edit' }, OPERATOR), { code: 'unknown_editor' });
      const again = { ...editorNamed('anna'), role: 'review', createdAt: at(8) } as const;
      assert.deepEqual(await store.editors.add(again, OPERATOR), { ...again, removedAt: null });
    });

    it('and logs what was done: to them, and by them', async () => {
      const anna = { who: 'anna', role: 'edit', at: at(9) } as const;
      await store.editors.note({ ...anna, action: 'signed_in', feed: null, subject: null });
      await store.editors.note({ ...anna, action: 'editor_changed', feed: 'permits', subject: '12' });
      await store.editors.note({ ...anna, who: null, action: 'editor_changed', feed: 'others', subject: null });
      await store.editors.remove('anna', OPERATOR);
      const all = [
        'root operator editor_removed - anna',
        '- edit editor_changed others -',
        'anna edit editor_changed permits 12',
        'anna edit signed_in - -',
        'root operator editor_added - anna',
      ];
      assert.deepEqual(await logged(), all);
      assert.deepEqual(await logged({ limit: 2 }), all.slice(0, 2));
      const second = (await store.editors.log({ limit: 2 }))[1]!;
      assert.equal(second.at, at(9));
      assert.deepEqual(await logged({ below: second.number }), all.slice(2));
      for (const limit of [0, 1001, 1.5]) await rejects(store.editors.log({ limit }), { code: 'invalid_option' });
      await rejects(store.editors.note({ ...anna, at: '', action: 'signed_in', feed: null, subject: null }), {
        code: 'invalid_option',
      });
    });

    it('and shows each what was done by themselves, and to the registers that they work on', async () => {
      const noted = { action: 'signed_in', subject: null, at: at(9) } as const;
      for (const [who, role, feed] of [
        ['anna', 'edit', null],
        ['anna', 'operator', null],
        ['ben', 'edit', 'permits'],
        ['ben', 'edit', 'others'],
      ] as const) {
        await store.editors.note({ ...noted, who, role, feed });
      }
      const [others, toPermits, byAnna] = [
        ...['ben edit signed_in others -', 'ben edit signed_in permits -', 'anna edit signed_in - -'],
      ];
      const of = (name: string, feeds: readonly string[] | null): Promise<readonly string[]> =>
        logged({ of: { name, feeds } });
      assert.deepEqual(await of('anna', ['permits']), [toPermits, byAnna]);
      assert.deepEqual(await of('anna', null), [others, toPermits, byAnna]);
      assert.deepEqual(await of('carla', ['permits', 'empty']), [toPermits]);
      assert.deepEqual(await of('carla', ['empty']), []);
      assert.deepEqual(await of('ben', ['empty']), [others, toPermits]);
    });
  });
}

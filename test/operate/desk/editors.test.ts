// What an editor may do with which register, and what is logged of it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actorOf, checkMay, type DeskRight, Editors, mayDo } from '../../../src/operate/desk/editors.ts';
import { accountSignIns, editorSignIns } from '../../../src/operate/sign-in.ts';
import type { Editor } from '../../../src/stores/contract/desk/editors.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { permits } from '../../contracts/store-register.ts';

const OPERATOR = { who: 'root', role: 'operator' } as const;

let store: SqliteStore;
let editors: Editors;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  editors = new Editors(store, { now: () => Date.parse('2026-05-02T10:00:00Z') });
});
afterEach(() => store.close());

describe('what an editor may do', () => {
  const rights: readonly DeskRight[] = ['see', 'change', 'approve', 'make'];
  it.each([
    ['edit', null, 'permits', ['see', 'change', 'approve', 'make']],
    ['review', null, 'permits', ['see', 'approve']],
    ['edit', ['permits'], 'permits', ['see', 'change', 'approve']],
    ['review', ['permits'], 'permits', ['see', 'approve']],
    ['edit', ['permits'], 'others', []],
    ['review', ['permits'], 'others', []],
  ] as const)('with the role %s for %j with the register %s: %j', (role, feeds, feedId, may) => {
    expect(rights.filter((right) => mayDo({ role, feeds }, right, feedId))).toEqual(may);
  });

  it('is refused as what it is: a register of others is not there', async () => {
    const anna = await editors.add({ name: 'anna', email: 'a@example.org', feeds: ['permits'] }, OPERATOR);
    const ben = await editors.add({ name: 'ben', email: 'b@example.org', role: 'review' }, OPERATOR);
    const codeOf = (editor: Editor, right: DeskRight, feedId: string): unknown => {
      try {
        checkMay(editor, right, feedId);
        return null;
      } catch (error) {
        return (error as { readonly code: unknown }).code;
      }
    };
    expect(codeOf(anna, 'change', 'permits')).toBeNull();
    expect(codeOf(anna, 'see', 'others')).toBe('unknown_feed');
    expect(codeOf(anna, 'change', 'others')).toBe('unknown_feed');
    expect(codeOf(anna, 'make', 'new')).toBe('editor_refused');
    expect(codeOf(ben, 'approve', 'permits')).toBeNull();
    expect(codeOf(ben, 'change', 'permits')).toBe('editor_refused');
    expect(codeOf(ben, 'make', 'new')).toBe('editor_refused');
  });
});

describe('editors', () => {
  it('work on all registers where nobody says which', async () => {
    const anna = await editors.add({ name: 'anna', email: 'a@example.org' }, OPERATOR);
    expect(anna).toEqual({
      ...{ name: 'anna', email: 'a@example.org', feeds: null, role: 'edit' },
      ...{ createdAt: '2026-05-02T10:00:00.000Z', removedAt: null },
    });
    expect(await editors.find('anna')).toEqual(anna);
    await editors.remove('anna', OPERATOR);
    await expect(editors.find('anna')).rejects.toMatchObject({ code: 'unknown_editor' });
    expect((await editors.all()).map(({ name, removedAt }) => [name, removedAt])).toEqual([
      ['anna', '2026-05-02T10:00:00.000Z'],
    ]);
  });

  it('are logged with what they are when they do something', async () => {
    const anna = await editors.add({ name: 'anna', email: 'a@example.org' }, OPERATOR);
    await editors.note(actorOf(anna), 'signed_in');
    await editors.note(actorOf(await editors.change('anna', { role: 'review' }, OPERATOR)), 'signed_out');
    const log = await editors.log({ limit: 9 });
    expect(log.map(({ who, role, action, feed, subject }) => [who, role, action, feed, subject])).toEqual([
      ['anna', 'review', 'signed_out', null, null],
      ['root', 'operator', 'editor_changed', null, 'anna'],
      ['anna', 'edit', 'signed_in', null, null],
      ['root', 'operator', 'editor_added', null, 'anna'],
    ]);
  });

  it.each([
    ['changed', () => editors.change('acme', { role: 'review' }, OPERATOR)],
    ['removed', () => editors.remove('acme', OPERATOR)],
  ])('are signed out at once when they are %s, and no account of the same name is', async (_, act) => {
    await store.accounts.createAccount(accountNamed('acme'));
    await editors.add({ name: 'acme', email: 'a@example.org' }, OPERATOR);
    const [desk, accounts] = [editorSignIns(store), accountSignIns(store)];
    const session = (await desk.begin(await desk.createLink('acme')))!.secret;
    const account = (await accounts.begin(await accounts.createLink('acme')))!.secret;
    expect((await desk.ownerOf(session))?.name).toBe('acme');
    // A session or a link of one kind is none of the other.
    expect([await desk.ownerOf(account), await accounts.ownerOf(session)]).toEqual([null, null]);
    expect(await accounts.begin(await desk.createLink('acme'))).toBeNull();
    await act();
    expect(await desk.ownerOf(session)).toBeNull();
    expect((await accounts.ownerOf(account))?.id).toBe('acme');
  });
});

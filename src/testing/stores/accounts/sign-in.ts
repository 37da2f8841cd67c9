// The contract of every store of sign-in links and sessions, of accounts and of editors.
import assert from 'node:assert/strict';
import { rejects } from '../../assertions.ts';
import { around, group, type Test } from '../../test.ts';
import type { ServiceStore } from '../../../stores/contract/accounts.ts';
import type { NewSession, SignInKind } from '../../../stores/contract/sign-in.ts';
import { OPERATOR, editorNamed, editorStoreContract } from './editors.ts';
import { accountNamed, digestOf, type OpenServiceStore } from './keys.ts';
import { at } from '../said.ts';

/** A session whose whole secret is `text`, from one minute to another. */
function sessionOf(text: string, from = 1, to = 100): NewSession {
  return { digest: digestOf(text), createdAt: at(from), endsAt: at(to) };
}

/** Registers the suite for one implementation, with that of its editors. */
export function signInStoreContract(test: Test, open: OpenServiceStore): void {
  editorStoreContract(test, open);
  for (const kind of ['account', 'editor'] as const) signInsOf(kind, test, open);
}

function signInsOf(kind: SignInKind, test: Test, open: OpenServiceStore): void {
  group(test, `lets ${kind === 'account' ? 'the owners of accounts' : 'editors'} sign in`, (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        for (const id of ['acme', 'other']) {
          await store.accounts.createAccount(accountNamed(id));
          await store.editors.add(editorNamed(id), OPERATOR);
        }
      },
      () => dispose(),
    );
    const keep = (text: string, minute = 0, id = 'acme'): Promise<boolean> =>
      store.signIns.keepLink({
        owner: { kind, id },
        digest: digestOf(text),
        createdAt: at(minute),
        endsAt: at(minute + 15),
      });
    const mail = (text: string, minute: number, id = 'acme'): Promise<boolean> =>
      store.signIns.keepLink(
        { owner: { kind, id }, digest: digestOf(text), createdAt: at(minute), endsAt: at(minute + 15) },
        { mail: { most: 3, since: at(minute - 60) } },
      );
    const linked = (text: string, minute = 1): Promise<string | null> =>
      store.signIns.findLink(kind, digestOf(text), { at: at(minute) });
    const use = (text: string, session: NewSession): Promise<string | null> =>
      store.signIns.useLink(kind, digestOf(text), session);
    const signedIn = (text: string, minute = 2): Promise<string | null> =>
      store.signIns.findSession(kind, digestOf(text), { at: at(minute) });

    it('by a link that may be looked at, and used once', async () => {
      assert.equal(await keep('link'), true);
      assert.deepEqual([await linked('link'), await linked('link')], ['acme', 'acme']);
      assert.deepEqual(await use('link', sessionOf('first')), 'acme');
      assert.equal(await linked('link'), null);
      assert.equal(await use('link', sessionOf('second')), null);
      assert.deepEqual([await signedIn('first'), await signedIn('second')], ['acme', null]);
    });

    it('by a link until it ends', async () => {
      await keep('link');
      assert.deepEqual(await linked('link', 14.99), 'acme');
      assert.equal(await linked('link', 15), null);
      assert.equal(await use('link', sessionOf('late', 15)), null);
      assert.equal(await signedIn('late', 16), null);
      assert.deepEqual(await use('link', sessionOf('in time', 14.99)), 'acme');
    });

    it('by the latest link of an account alone, beside those of others', async () => {
      await keep('old');
      await keep('theirs', 0, 'other');
      await keep('new', 1);
      assert.deepEqual([await linked('old'), await linked('new'), await linked('theirs')], [null, 'acme', 'other']);
      assert.equal(await use('old', sessionOf('s')), null);
      assert.deepEqual(await use('theirs', sessionOf('s')), 'other');
    });

    it('with one session for a link that is used many times at once', async () => {
      await keep('link');
      const names = Array.from({ length: 16 }, (_, n) => `s${n}`);
      const all = await Promise.all(names.map((name) => use('link', sessionOf(name))));
      assert.deepEqual(
        all.filter((id) => id !== null),
        ['acme'],
      );
      const sessions = await Promise.all(names.map((name) => signedIn(name)));
      assert.deepEqual(sessions, all);
    });

    it('by so many links as may be sent in an hour, and by those that nobody sends', async () => {
      const sent = [await mail('a', 0), await mail('b', 1), await mail('c', 2), await mail('d', 59)];
      assert.deepEqual(sent, [true, true, true, false]);
      assert.deepEqual([await linked('c', 3), await linked('d', 59)], ['acme', null]);
      assert.equal(await mail('theirs', 59, 'other'), true);
      assert.equal(await keep('from the operator', 59), true);
      assert.equal(await mail('e', 59), false);
      assert.deepEqual(await linked('from the operator', 60), 'acme');
      const later = [await mail('f', 60), await mail('g', 61), await mail('h', 62), await mail('i', 119)];
      assert.deepEqual(later, [true, true, true, false]);
    });

    it('with the count of links that were sent, although one was used', async () => {
      for (const text of ['a', 'b', 'c']) {
        assert.equal(await mail(text, 0), true);
        assert.deepEqual(await use(text, sessionOf(`by ${text}`)), 'acme');
      }
      assert.equal(await mail('d', 1), false);
    });

    it('until the session ends', async () => {
      await keep('link');
      await use('link', sessionOf('s', 1, 10));
      assert.equal(await signedIn('s', 9.99), 'acme');
      assert.equal(await signedIn('s', 10), null);
      assert.equal(await signedIn('S'), null);
    });

    it('until they sign out, here or everywhere', async () => {
      for (const [text, id] of [
        ['a', 'acme'],
        ['b', 'acme'],
        ['c', 'acme'],
        ['theirs', 'other'],
      ] as const) {
        await keep(text, 0, id);
        await use(text, sessionOf(`by ${text}`));
      }
      await store.signIns.endSession(kind, digestOf('by a'));
      await store.signIns.endSession(kind, digestOf('by a'));
      assert.deepEqual([await signedIn('by a'), await signedIn('by b')], [null, 'acme']);
      await keep('another');
      assert.equal(await store.signIns.endSessions({ kind, id: 'acme' }), 2);
      assert.equal(await store.signIns.endSessions({ kind, id: 'acme' }), 0);
      assert.equal(await store.signIns.endSessions({ kind, id: 'nobody\0' }), 0);
      assert.deepEqual([await signedIn('by b'), await signedIn('by c'), await linked('another')], [null, null, null]);
      assert.deepEqual(await signedIn('by theirs'), 'other');
    });

    it('and deletes what has ended, and nothing else', async () => {
      await mail('a', 0);
      await use('a', sessionOf('short', 1, 10));
      await mail('b', 2, 'other');
      await use('b', sessionOf('long', 3, 500));
      await mail('c', 3);
      // The link has not ended, nor the hour of its mails.
      await store.signIns.prune({ before: at(10) });
      assert.deepEqual([await signedIn('short', 9), await signedIn('long', 9)], [null, 'other']);
      assert.deepEqual([await linked('c', 10), await mail('d', 11), await mail('e', 12)], ['acme', true, false]);
      await store.signIns.prune({ before: at(400) });
      assert.deepEqual([await linked('d', 12), await signedIn('long', 400)], [null, 'other']);
    });

    it('apart from those of the other kind, whose links and sessions are none here', async () => {
      const theirs = kind === 'account' ? 'editor' : 'account';
      await keep('link');
      assert.equal(await store.signIns.findLink(theirs, digestOf('link'), { at: at(1) }), null);
      assert.equal(await store.signIns.useLink(theirs, digestOf('link'), sessionOf('s')), null);
      assert.equal(await use('link', sessionOf('s')), 'acme');
      assert.equal(await store.signIns.findSession(theirs, digestOf('s'), { at: at(2) }), null);
      await store.signIns.endSession(theirs, digestOf('s'));
      assert.equal(await store.signIns.endSessions({ kind: theirs, id: 'acme' }), 0);
      assert.equal(await signedIn('s'), 'acme');
    });

    it('and refuses those who do not exist, digests that are none, and times that are none', async () => {
      const link = { owner: { kind, id: 'acme' }, digest: digestOf('a'), createdAt: at(0), endsAt: at(1) };
      const { signIns } = store;
      for (const id of ['nobody', 'acme\0']) {
        await rejects(signIns.keepLink({ ...link, owner: { kind, id } }), { code: `unknown_${kind}` });
      }
      const refused = { code: 'invalid_option' };
      await rejects(signIns.keepLink({ ...link, digest: new Uint8Array(31) }), refused);
      await rejects(signIns.keepLink({ ...link, endsAt: 'later' }), refused);
      await rejects(signIns.keepLink(link, { mail: { most: 3, since: '' } }), refused);
      await rejects(signIns.useLink(kind, link.digest, { ...sessionOf('s'), digest: new Uint8Array() }), refused);
      await rejects(signIns.useLink(kind, link.digest, { ...sessionOf('s'), endsAt: '' }), refused);
      await rejects(signIns.findLink(kind, link.digest, { at: 'now' }), refused);
      await rejects(signIns.findSession(kind, link.digest, { at: 'now' }), refused);
      await rejects(signIns.prune({ before: 'now' }), refused);
      assert.equal(await linked('a'), null);
    });
  });
}

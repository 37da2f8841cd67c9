// The contract of every store of sign-in links and sessions.
import assert from 'node:assert/strict';
import { rejects } from '../../assertions.ts';
import { around, group, type Test } from '../../test.ts';
import type { Account, ServiceStore } from '../../../stores/contract/accounts.ts';
import type { NewSession } from '../../../stores/contract/sign-in.ts';

import { accountNamed, digestOf, type OpenServiceStore } from './keys.ts';
import { at } from '../said.ts';

/** A session whose whole secret is `text`, from one minute to another. */
function sessionOf(text: string, from = 1, to = 100): NewSession {
  return { digest: digestOf(text), createdAt: at(from), endsAt: at(to) };
}

/** Registers the suite for one implementation. */
export function signInStoreContract(test: Test, open: OpenServiceStore): void {
  group(test, 'lets the owners of accounts sign in', (test) => {
    let store: ServiceStore;
    let acme: Account;
    let other: Account;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        acme = await store.accounts.createAccount(accountNamed('acme'));
        other = await store.accounts.createAccount(accountNamed('other'));
      },
      () => dispose(),
    );
    const keep = (text: string, minute = 0, accountId = 'acme'): Promise<boolean> =>
      store.signIns.keepLink({
        accountId,
        digest: digestOf(text),
        createdAt: at(minute),
        endsAt: at(minute + 15),
      });
    const mail = (text: string, minute: number, accountId = 'acme'): Promise<boolean> =>
      store.signIns.keepLink(
        { accountId, digest: digestOf(text), createdAt: at(minute), endsAt: at(minute + 15) },
        { mail: { most: 3, since: at(minute - 60) } },
      );
    const linked = (text: string, minute = 1): Promise<Account | null> =>
      store.signIns.findLink(digestOf(text), { at: at(minute) });
    const signedIn = (text: string, minute = 2): Promise<Account | null> =>
      store.signIns.findSession(digestOf(text), { at: at(minute) });

    it('by a link that may be looked at, and used once', async () => {
      assert.equal(await keep('link'), true);
      assert.deepEqual([await linked('link'), await linked('link')], [acme, acme]);
      assert.deepEqual(await store.signIns.useLink(digestOf('link'), sessionOf('first')), acme);
      assert.equal(await linked('link'), null);
      assert.equal(await store.signIns.useLink(digestOf('link'), sessionOf('second')), null);
      assert.deepEqual([await signedIn('first'), await signedIn('second')], [acme, null]);
    });

    it('by a link until it ends', async () => {
      await keep('link');
      assert.deepEqual(await linked('link', 14.99), acme);
      assert.equal(await linked('link', 15), null);
      assert.equal(await store.signIns.useLink(digestOf('link'), sessionOf('late', 15)), null);
      assert.equal(await signedIn('late', 16), null);
      assert.deepEqual(await store.signIns.useLink(digestOf('link'), sessionOf('in time', 14.99)), acme);
    });

    it('by the latest link of an account alone, beside those of others', async () => {
      await keep('old');
      await keep('theirs', 0, 'other');
      await keep('new', 1);
      assert.deepEqual([await linked('old'), await linked('new'), await linked('theirs')], [null, acme, other]);
      assert.equal(await store.signIns.useLink(digestOf('old'), sessionOf('s')), null);
      assert.deepEqual(await store.signIns.useLink(digestOf('theirs'), sessionOf('s')), other);
    });

    it('with one session for a link that is used many times at once', async () => {
      await keep('link');
      const names = Array.from({ length: 16 }, (_, n) => `s${n}`);
      const all = await Promise.all(names.map((name) => store.signIns.useLink(digestOf('link'), sessionOf(name))));
      assert.deepEqual(
        all.filter((account) => account !== null),
        [acme],
      );
      const sessions = await Promise.all(names.map((name) => signedIn(name)));
      assert.deepEqual(sessions, all);
    });

    it('by so many links as may be sent in an hour, and by those that nobody sends', async () => {
      const sent = [await mail('a', 0), await mail('b', 1), await mail('c', 2), await mail('d', 59)];
      assert.deepEqual(sent, [true, true, true, false]);
      assert.deepEqual([await linked('c', 3), await linked('d', 59)], [acme, null]);
      assert.equal(await mail('theirs', 59, 'other'), true);
      assert.equal(await keep('from the operator', 59), true);
      assert.equal(await mail('e', 59), false);
      assert.deepEqual(await linked('from the operator', 60), acme);
      const later = [await mail('f', 60), await mail('g', 61), await mail('h', 62), await mail('i', 119)];
      assert.deepEqual(later, [true, true, true, false]);
    });

    it('with the count of links that were sent, although one was used', async () => {
      for (const text of ['a', 'b', 'c']) {
        assert.equal(await mail(text, 0), true);
        assert.deepEqual(await store.signIns.useLink(digestOf(text), sessionOf(`by ${text}`)), acme);
      }
      assert.equal(await mail('d', 1), false);
    });

    it('until the session ends, with the account as it then is', async () => {
      await keep('link');
      await store.signIns.useLink(digestOf('link'), sessionOf('s', 1, 10));
      await store.accounts.updateAccount('acme', { isSuspended: true });
      assert.deepEqual(await signedIn('s', 9.99), { ...acme, isSuspended: true });
      assert.equal(await signedIn('s', 10), null);
      assert.equal(await signedIn('S'), null);
    });

    it('until they sign out, here or everywhere', async () => {
      for (const [text, accountId] of [
        ['a', 'acme'],
        ['b', 'acme'],
        ['c', 'acme'],
        ['theirs', 'other'],
      ] as const) {
        await keep(text, 0, accountId);
        await store.signIns.useLink(digestOf(text), sessionOf(`by ${text}`));
      }
      await store.signIns.endSession(digestOf('by a'));
      await store.signIns.endSession(digestOf('by a'));
      assert.deepEqual([await signedIn('by a'), await signedIn('by b')], [null, acme]);
      await keep('another');
      assert.equal(await store.signIns.endSessions('acme'), 2);
      assert.equal(await store.signIns.endSessions('acme'), 0);
      assert.equal(await store.signIns.endSessions('nobody\0'), 0);
      assert.deepEqual([await signedIn('by b'), await signedIn('by c'), await linked('another')], [null, null, null]);
      assert.deepEqual(await signedIn('by theirs'), other);
    });

    it('and deletes what has ended, and nothing else', async () => {
      await mail('a', 0);
      await store.signIns.useLink(digestOf('a'), sessionOf('short', 1, 10));
      await mail('b', 2, 'other');
      await store.signIns.useLink(digestOf('b'), sessionOf('long', 3, 500));
      await mail('c', 3);
      // The link has not ended, nor the hour of its mails.
      await store.signIns.prune({ before: at(10) });
      assert.deepEqual([await signedIn('short', 9), await signedIn('long', 9)], [null, other]);
      assert.deepEqual([await linked('c', 10), await mail('d', 11), await mail('e', 12)], [acme, true, false]);
      await store.signIns.prune({ before: at(400) });
      assert.deepEqual([await linked('d', 12), await signedIn('long', 400)], [null, other]);
    });

    it('and refuses accounts that do not exist, digests that are none, and times that are none', async () => {
      const link = { accountId: 'acme', digest: digestOf('a'), createdAt: at(0), endsAt: at(1) };
      const { signIns } = store;
      for (const accountId of ['nobody', 'acme\0']) {
        await rejects(signIns.keepLink({ ...link, accountId }), { code: 'unknown_account' });
      }
      const refused = { code: 'invalid_option' };
      await rejects(signIns.keepLink({ ...link, digest: new Uint8Array(31) }), refused);
      await rejects(signIns.keepLink({ ...link, endsAt: 'later' }), refused);
      await rejects(signIns.keepLink(link, { mail: { most: 3, since: '' } }), refused);
      await rejects(signIns.useLink(link.digest, { ...sessionOf('s'), digest: new Uint8Array() }), refused);
      await rejects(signIns.useLink(link.digest, { ...sessionOf('s'), endsAt: '' }), refused);
      await rejects(signIns.findLink(link.digest, { at: 'now' }), refused);
      await rejects(signIns.findSession(link.digest, { at: 'now' }), refused);
      await rejects(signIns.prune({ before: 'now' }), refused);
      assert.equal(await linked('a'), null);
    });
  });
}

// Who is told by mail that a proposal waits, when, and what the mail says.
import { expect, it } from 'vitest';
import { Editors } from '../../../src/operate/desk/editors.ts';
import type { FourEyes } from '../../../src/operate/desk/four-eyes.ts';
import { ProposalMail } from '../../../src/operate/desk/proposal-mail.ts';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { proposalMail } from '../../../src/templates/desk/proposal-mail.ts';
import { closedAfter } from '../../closed-after.ts';
import { at, permits } from '../../contracts/store-register.ts';
import { AFTER, BEFORE, takeRows } from '../../pages/desk/taking.ts';

const HOUR_MS = 3_600_000;

interface Mailed {
  readonly clock: { now: number };
  readonly mails: Mail[];
  readonly errors: unknown[];
  /** Whether the mail server takes mails. */
  readonly server: { isDown: boolean };
  readonly store: SqliteStore;
  /** To whom mails go at this moment. */
  readonly told: () => Promise<readonly string[]>;
}

/** A proposal of anna's in `permits` that waits, and the mails. */
async function waiting(approve?: FourEyes): Promise<Mailed> {
  const store = closedAfter(SqliteStore.open(':memory:'));
  const clock = { now: Date.parse(at(0)) };
  const now = (): number => clock.now;
  const [mails, errors]: [Mail[], unknown[]] = [[], []];
  const server = { isDown: false };
  const transport = {
    sendMail(mail: Mail) {
      if (server.isDown) return Promise.reject(new Error('down'));
      mails.push(mail);
      return Promise.resolve();
    },
  };
  const sending = new ProposalMail({
    ...{ store, approve, transport, from: 'registers@example.org', now },
    compose: (proposal) => proposalMail(proposal, { service: 'Public\r\nregisters', url: 'https://x.example/p' }),
    onError: (error) => errors.push(error),
  });
  closedAfter(sending);
  await store.createRegister({ ...permits(), title: 'Permits\r\nBcc: x@example.org' });
  await store.createRegister(permits('notices'));
  const editors = new Editors(store, { now });
  const by = { who: 'root', role: 'operator' } as const;
  await editors.add({ name: 'anna', email: 'anna@example.org' }, by);
  await editors.add({ name: 'ben', email: 'ben@example.org', feeds: ['permits'], role: 'review' }, by);
  await editors.add({ name: 'ben-2', email: 'ben@example.org' }, by);
  await editors.add({ name: 'carla', email: 'carla@example.org', feeds: ['notices'] }, by);
  await editors.add({ name: 'gone', email: 'gone@example.org' }, by);
  await editors.remove('gone', by);
  await takeRows(BEFORE, { store, now });
  await takeRows(AFTER, { store, now, isProposed: true, who: 'anna', file: 'week\r\n17.csv' });
  return {
    ...{ clock, mails, errors, server, store },
    async told() {
      mails.length = 0;
      await sending.send();
      return mails.map(({ to }) => to.address);
    },
  };
}

it('tells those who may approve it, once for each address, at once and each day while it waits', async () => {
  const { told, clock, store, mails } = await waiting();
  expect(await told()).toEqual(['anna@example.org', 'ben@example.org']);
  const [{ subject, text }] = mails as [Mail];
  expect(subject).toBe('A proposal waits in Permits Bcc: x@example.org: Public registers');
  expect(text).toContain('import 2 (week 17.csv) waits to be approved.');
  expect(text).toContain('wartet Import 2 (week 17.csv) auf Genehmigung.');
  expect(text).toContain('\n\nhttps://x.example/p\n');
  expect(text).not.toContain('Töchter');
  clock.now += 23 * HOUR_MS;
  expect(await told()).toEqual([]);
  clock.now += HOUR_MS;
  expect(await told()).toEqual(['anna@example.org', 'ben@example.org']);
  await store.imports.proposals.discard('permits', 2, { who: 'ben', at: new Date(clock.now).toISOString() });
  clock.now += 48 * HOUR_MS;
  expect(await told()).toEqual([]);
});

it('does not tell the proposer where another editor approves', async () => {
  expect(await (await waiting('other')).told()).toEqual(['ben@example.org']);
});

it('tells again what no mail server took', async () => {
  const { told, clock, server, errors } = await waiting();
  server.isDown = true;
  expect([await told(), errors.length]).toEqual([[], 1]);
  server.isDown = false;
  clock.now += 11 * 60_000;
  expect(await told()).toEqual(['anna@example.org', 'ben@example.org']);
});

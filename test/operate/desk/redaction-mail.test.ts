// Who is told by mail that a record was erased at the desk, whichever process sends it.
import { expect, it } from 'vitest';
import { DeskRecords } from '../../../src/operate/desk/desk-records.ts';
import { Editors } from '../../../src/operate/desk/editors.ts';
import type { FourEyes } from '../../../src/operate/desk/four-eyes.ts';
import { RedactionMail } from '../../../src/operate/desk/redaction-mail.ts';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { redactionMail } from '../../../src/templates/desk/proposal-mail.ts';
import { closedAfter } from '../../closed-after.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

/** A record that was erased by a process that has sent no mail, and what others send. */
async function erased(approve: FourEyes): Promise<{
  readonly clock: { now: number };
  readonly server: { isDown: boolean };
  /** To whom mails go at this moment, by a process that begins. */
  readonly told: () => Promise<readonly string[]>;
}> {
  const store = closedAfter(SqliteStore.open(':memory:'));
  const clock = { now: Date.parse(at(0)) };
  const now = (): number => clock.now;
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  const editors = new Editors(store, { now });
  const by = { who: 'root', role: 'operator' } as const;
  const anna = await editors.add({ name: 'anna', email: 'anna@example.org' }, by);
  await editors.add({ name: 'ben', email: 'ben@example.org', feeds: ['permits'], role: 'review' }, by);
  await editors.add({ name: 'ben-2', email: 'ben@example.org' }, by);
  await editors.add({ name: 'gone', email: 'gone@example.org' }, by);
  await editors.remove('gone', by);
  const nothing = (): void => undefined;
  const onErased = (): Promise<void> => Promise.reject(new Error('the process has ended'));
  const records = new DeskRecords({ store, editors, approve, now, onProposed: nothing, onErased });
  await expect(records.erase(anna, 'permits:a')).rejects.toThrow('has ended');
  const server = { isDown: false };
  return {
    ...{ clock, server },
    async told() {
      const mails: Mail[] = [];
      const sendMail = (mail: Mail): Promise<void> => {
        if (server.isDown) return Promise.reject(new Error('down'));
        mails.push(mail);
        return Promise.resolve();
      };
      const sending = new RedactionMail({
        ...{ store, transport: { sendMail }, from: 'registers@example.org', now, onError: nothing },
        compose: ({ subject, who }, title) =>
          redactionMail({ recordId: subject!, who: who!, title }, { service: 'Registers', url: 'https://x.example/r' }),
      });
      await sending.send();
      await sending.close();
      return mails.map(({ to, text }) => `${to.address} ${text.includes('anna erased')}`);
    },
  };
}

it('tells all who may approve but the one who did it, once, however the process ended', async () => {
  const { told } = await erased('other');
  expect(await told()).toEqual(['ben@example.org true']);
  expect(await told()).toEqual([]);
});

it('tells again what no mail server took', async () => {
  const { told, clock, server } = await erased('other');
  server.isDown = true;
  expect(await told()).toEqual([]);
  server.isDown = false;
  expect(await told()).toEqual([]);
  clock.now += 11 * 60_000;
  expect(await told()).toEqual(['ben@example.org true']);
});

it('tells nobody where nobody has to approve', async () => {
  expect(await (await erased(undefined)).told()).toEqual([]);
});

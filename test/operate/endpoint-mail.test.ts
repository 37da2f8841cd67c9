// What owners are told of their endpoints by mail: once, whichever process does, in every language.
import { describe, expect, it, onTestFinished } from 'vitest';
import { EndpointMail, TROUBLE_MS } from '../../src/operate/endpoint-mail.ts';
import type { Mail } from '../../src/operate/sign-in-mail.ts';
import { endpointMail } from '../../src/templates/account/endpoint-mail.ts';
import { deployment, receiver, type Deployment } from '../webhooks/send/sending.ts';

const OWNER = 'anna@example.org';

/** A process that tells owners; `isDown` says whether the mail server takes nothing. */
function mailer(
  { store, clock }: Deployment,
  sent: Mail[],
  isDown: () => boolean = () => false,
): { readonly mail: EndpointMail; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const mail = new EndpointMail({
    ...{ deliveries: store.deliveries, accounts: store.accounts, from: 'registers@example.org', now: () => clock.now },
    transport: {
      sendMail: async (one) => {
        if (isDown()) throw new Error('the mail server is away');
        sent.push(one);
      },
    },
    compose: (endpoint) => endpointMail(endpoint, { service: 'Registers', url: `https://example.org/${endpoint.id}` }),
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => mail.close());
  return { mail, errors };
}

/** An endpoint that fails, of an account whose owner has an address. */
async function failing(): Promise<Deployment & { readonly id: string; readonly attempt: () => Promise<number> }> {
  const deployed = await deployment();
  await deployed.store.accounts.updateAccount('acme', { email: OWNER });
  const { url } = await receiver(() => 500);
  const { id } = await deployed.add(url);
  const sender = deployed.sender({ schedule: [0] });
  let n = 0;
  const attempt = async (): Promise<number> => {
    await deployed.commit([`k${++n}`]);
    return sender.sendDue();
  };
  await attempt();
  return { ...deployed, id, attempt };
}

describe('an owner', () => {
  it('is told when an endpoint has failed for a day, and when it is disabled, once each by several processes', async () => {
    const deployed = await failing();
    const { clock, attempt, id } = deployed;
    const sent: Mail[] = [];
    const processes = [mailer(deployed, sent), mailer(deployed, sent), mailer(deployed, sent)];
    const look = async (): Promise<number> => {
      await Promise.all(processes.map(({ mail }) => mail.send()));
      return sent.length;
    };
    clock.now += TROUBLE_MS - 1000;
    expect(await look()).toBe(0);
    clock.now += 1000;
    expect(await look()).toBe(1);
    expect([await look(), sent[0]!.to.address]).toEqual([1, OWNER]);
    expect(sent[0]!.subject).toBe('A webhook endpoint fails: Registers');
    for (const text of ['has failed since', 'antwortet nicht', `https://example.org/${id}`]) {
      expect(sent[0]!.text).toContain(text);
    }
    clock.now += 4 * TROUBLE_MS;
    await attempt();
    expect((await deployed.store.deliveries.endpoint(id)).disabledReason).toBe('failing');
    expect(await look()).toBe(2);
    // Another process that starts, later.
    processes.push(mailer(deployed, sent));
    clock.now += 3_600_000;
    expect([await look(), sent[1]!.subject]).toEqual([2, 'A webhook endpoint was disabled: Registers']);
    expect(sent[1]!.text).toContain('wurde abgeschaltet');
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('is told later when the mail server takes nothing at first, and then once', async () => {
    const deployed = await failing();
    const { clock } = deployed;
    const sent: Mail[] = [];
    let isDown = true;
    const { mail, errors } = mailer(deployed, sent, () => isDown);
    clock.now += TROUBLE_MS;
    await mail.send();
    isDown = false;
    await mail.send();
    expect([sent.length, errors.length]).toEqual([0, 1]);
    clock.now += 600_000;
    await mail.send();
    await mail.send();
    expect(sent).toHaveLength(1);
  });

  it('without an address is told by no mail, and of what happened before there was a mailer none is told', async () => {
    const deployed = await failing();
    const sent: Mail[] = [];
    await deployed.store.accounts.updateAccount('acme', { email: null });
    await deployed.endpoints.disable(deployed.id);
    await mailer(deployed, sent).mail.send();
    await deployed.endpoints.enable(deployed.id);
    await deployed.store.accounts.updateAccount('acme', { email: OWNER });
    await deployed.endpoints.disable(deployed.id);
    deployed.clock.now += 4 * TROUBLE_MS;
    await mailer(deployed, sent).mail.send();
    expect(sent).toEqual([]);
  });
});

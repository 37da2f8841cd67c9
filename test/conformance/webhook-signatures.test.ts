// Our signatures before the checks of other people's packages, and theirs before ours.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import { createSigningSecret, sign } from '../../src/webhooks/signature.ts';
import { checkSignature } from '../../src/webhooks/web-signature.ts';
import { SECRET, VECTORS } from '../webhooks/send/deliveries.ts';
import { deployment, receiver } from '../webhooks/send/sending.ts';
import { loadJudge } from './tools.ts';

/** What is used of `stripe`. */
interface StripeModule {
  readonly default: new (key: string) => {
    readonly webhooks: {
      /** @param receivedAt milliseconds */
      constructEvent(
        body: string | Buffer,
        header: string,
        secret: string,
        toleranceSeconds?: number,
        provider?: undefined,
        receivedAt?: number,
      ): { readonly id: string };
      generateTestHeaderString(options: {
        readonly payload: string;
        readonly secret: string;
        readonly timestamp: number;
      }): string;
    };
  };
}

/** What is used of `standardwebhooks`. */
interface StandardWebhooksModule {
  readonly Webhook: new (secret: string) => {
    sign(id: string, at: Date, body: string): string;
    verify(body: string, headers: Readonly<Record<string, string>>): unknown;
  };
}

const NOW = 1_776_586_365;
const body = '{"id":"evt_1","type":"endpoint.test"}';
let stripe: InstanceType<StripeModule['default']>;
let Webhook: StandardWebhooksModule['Webhook'];

beforeAll(async () => {
  const { default: Stripe } = await loadJudge<StripeModule>('stripe');
  stripe = new Stripe('sk_test_none');
  ({ Webhook } = await loadJudge<StandardWebhooksModule>('standardwebhooks'));
});

/** `accepted`, or the code and the reason of the refusal. */
async function verdict(header: string, nowSeconds: number = NOW): Promise<string> {
  try {
    await checkSignature(Buffer.from(body), header, { secret: SECRET, now: () => nowSeconds * 1000 });
    return 'accepted';
  } catch (error) {
    if (!isGazetteError(error)) throw error;
    return `${error.code} ${String(error.details.reason ?? '')}`.trim();
  }
}

describe('with stripe', () => {
  it('sends what stripe’s own check accepts', async () => {
    const { add, commit, sender, clock } = await deployment();
    const hook = await receiver();
    const { secret } = await add(hook.url);
    await commit(['a', 'b', 'c'], { title: 'Ünïcode \u2028 \ud83c\udf0d " \\ \u0000' });
    clock.now = Date.now();
    await sender().sendDue();
    expect(hook.received).toHaveLength(3);
    for (const { body, headers } of hook.received) {
      const event = stripe.webhooks.constructEvent(body, headers['x-register-signature'] as string, secret);
      expect(event.id).toBe(headers['x-register-event']);
    }
  });

  // Their generator takes a time of 0 for none.
  it.each(VECTORS.filter(({ timestamp }) => timestamp > 0))('$name is accepted by both', async (vector) => {
    const text = Buffer.from(vector.body_base64, 'base64').toString();
    // `receivedAt`, the last argument, is in milliseconds.
    const at = vector.timestamp * 1000;
    const event = stripe.webhooks.constructEvent(text, vector.header, vector.secret, 300, undefined, at);
    expect(event.id).toBe((JSON.parse(text) as { id: string }).id);
    const theirs = stripe.webhooks.generateTestHeaderString({
      payload: text,
      secret: vector.secret,
      timestamp: vector.timestamp,
    });
    await checkSignature(Buffer.from(text), theirs, { secret: vector.secret, now: () => at });
  });

  it('an altered body and another secret are refused by both', async () => {
    const refused = async (text: string, secret: string): Promise<void> => {
      const header = sign(text, secret, NOW);
      expect(() => stripe.webhooks.constructEvent(body, header, SECRET, 300, undefined, NOW * 1000)).toThrow();
      expect(await verdict(header)).toBe('invalid_signature mismatch');
    };
    await refused(`${body} `, SECRET);
    await refused(body, createSigningSecret());
  });
});

describe('with standardwebhooks', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends what their library accepts, also during a rotation', async () => {
    const { add, commit, sender, clock, endpoints } = await deployment();
    const hook = await receiver();
    clock.now = Date.now();
    const { id, secret } = await add(hook.url, { isStandard: true });
    const next = await endpoints.prepareSecret(id);
    const verify = async (key: string, ...secrets: string[]): Promise<void> => {
      await commit([key], { title: 'Ünïcode \u2028 \ud83c\udf0d " \\ \u0000' });
      await sender().sendDue();
      const { body, headers } = hook.received.at(-1)!;
      for (const one of secrets) {
        const event = new Webhook(one).verify(body.toString(), headers as Readonly<Record<string, string>>);
        expect(event).toMatchObject({ id: headers['webhook-id'], record_id: `permits:${key}` });
      }
    };
    await verify('a', secret);
    await endpoints.activateSecret(id, { graceMs: 60_000 });
    await verify('b', secret, next.secret);
    await endpoints.activateSecret((await endpoints.prepareSecret(id)).endpoint.id);
    await expect(verify('c', secret)).rejects.toThrow();
  });

  // Their digest covers the message's id as well and is in base64; how far a time may lie off is the same rule.
  it.each([-302, -301, -300, -299, -1, 0, 1, 299, 300, 301, 302])(
    'a time %i seconds off is judged alike',
    async (offset) => {
      // Their clock cannot be passed in. At a whole second: they round their own time down, we compare milliseconds.
      vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 });
      const webhook = new Webhook(createSigningSecret());
      const sentAt = new Date((NOW + offset) * 1000);
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(NOW + offset),
        'webhook-signature': webhook.sign('evt_1', sentAt, body),
      };
      let theirs = 'accepted';
      try {
        webhook.verify(body, headers);
      } catch {
        theirs = 'signature_expired';
      }
      expect(await verdict(sign(body, SECRET, NOW + offset), NOW)).toBe(theirs);
      expect(theirs).toBe(Math.abs(offset) <= 300 ? 'accepted' : 'signature_expired');
    },
  );
});

// One endpoint that answers, among hundreds that never do; on SQLite and on PostgreSQL.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { type Attempt, SENDING_SLOTS, SendingSlots } from '../../../src/webhooks/send/slots.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { at } from '../../contracts/store-register.ts';
import { EFFORT, measured, tried, tries } from '../../effort.ts';
import { letPass, until } from '../../until.ts';
import { type Deployment, deployment, receiver, SECRETS_KEY } from './sending.ts';

/** How many endpoints never answer. */
const HANGING = 700;

/** How many events the one that answers gets. */
const EVENTS = tries(20, 100);

/** The id of the one that answers. */
const GOOD = 'ep_good';

const FOREVER = '2999-01-01T00:00:00Z';

/** Attempts that no test outlives: who gets a place that one of them held got it although it had not ended. */
const ENDLESS = { now: Date.now, pollMs: 20, timeoutMs: 600_000, leaseMs: 1_200_000, stopGraceMs: 10 };

/** Whose the endpoints are that never answer. */
type Owners = 'the same account' | 'as many accounts';

/** What comes to the endpoints. */
interface Scene extends Deployment {
  /** The one that answers, by the ids of events. */
  readonly good: Set<string>;
  /** Those that never do. */
  readonly hanging: { readonly tried: Set<string>; open: number; ended: number };
}

/** Adds an endpoint without looking its name up. */
async function addEndpoint(store: ServiceStore, accountId: string, id: string, url: string): Promise<void> {
  const secret = SecretBox.fromHex(SECRETS_KEY).seal('whsec_x', id);
  await store.deliveries.createEndpoint({ id, accountId, url, feeds: null, types: null, filter: null, createdAt: at(0), secret }); // prettier-ignore
}

async function scene(store: ServiceStore, owners: Owners): Promise<Scene> {
  const deployed = await deployment(store);
  await store.accounts.updateAccount('acme', { accessUntil: FOREVER });
  const good = new Set<string>();
  const hanging = { tried: new Set<string>(), open: 0, ended: 0 };
  const hook = await receiver(({ path, headers }) => {
    if (path === '/good') {
      good.add(String(headers['x-register-event']));
      return 204;
    }
    return (request) => {
      hanging.tried.add(path);
      hanging.open++;
      request.socket.once('close', () => {
        hanging.open--;
        hanging.ended++;
      });
    };
  });
  for (let nth = 0; nth < HANGING; nth++) {
    const accountId = owners === 'the same account' ? 'acme' : `other-${nth}`;
    if (accountId !== 'acme') await store.accounts.createAccount({ id: accountId, accessUntil: FOREVER, createdAt: at(0) }); // prettier-ignore
    await addEndpoint(store, accountId, `ep_${nth}`, `${hook.url}${nth}`);
  }
  // The last in every order.
  await addEndpoint(store, 'acme', GOOD, `${hook.url}good`);
  return { ...deployed, good, hanging };
}

/**
 * Attempts grow older only while none to the one that answers is under way. On a busy machine its answer may take a second, and
 * then it is rightly among the doubtful, whose slots those have that never end here.
 */
function holdAges(): void {
  const own = Object.getOwnPropertyDescriptors(SendingSlots.prototype);
  const underWay = new Set<Attempt>();
  const spies = [
    vi.spyOn(SendingSlots.prototype, 'next').mockImplementation(function (this: SendingSlots) {
      const attempt = own.next.value!.call(this);
      if (attempt?.next.delivery.endpoint.id === GOOD) underWay.add(attempt);
      return attempt;
    }),
    vi.spyOn(SendingSlots.prototype, 'leave').mockImplementation(function (this: SendingSlots, ...ended) {
      underWay.delete(ended[0]);
      own.leave.value!.apply(this, ended);
    }),
    vi.spyOn(SendingSlots.prototype, 'tick').mockImplementation(function (this: SendingSlots) {
      return underWay.size > 0 ? [] : own.tick.value!.call(this);
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}

/** Runs a sender while `work` runs. */
async function whileSending(
  { sender }: Deployment,
  options: Parameters<Deployment['sender']>[0],
  work: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const running = sender(options).run(stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
    await running;
  }
}

export function hangingEndpoints(name: string, open: () => Promise<ServiceStore>): void {
  describe(`${HANGING} endpoints that never answer (${name})`, () => {
    it.each<Owners>(['the same account', 'as many accounts'])(
      'of %s keep no place that one which answers waits for',
      async (owners) => {
        holdAges();
        const on = await scene(await open(), owners);
        const { commit, good, hanging } = on;
        await commit(['first']);
        await whileSending(on, ENDLESS, async () => {
          // Nothing is known of any of them, and no attempt ends by itself.
          await until('its first event', () => good.size === 1);
          await until('one attempt to each of the others', () => hanging.tried.size === HANGING);
          let sent = 1;
          /** Sends an event. @returns how many attempts to the others ended meanwhile */
          const next = async (): Promise<number> => {
            const before = hanging.ended;
            await commit([`event ${++sent}`]);
            await until('the next event', () => good.size === sent);
            return hanging.ended - before;
          };
          // Until the ends of those that were broken off have come.
          while ((await next()) > 0);
          expect(hanging.open).toBeLessThanOrEqual(SENDING_SLOTS);
          for (let n = 0; n < EVENTS; n++) expect(await next()).toBe(0);
        });
        tried(EVENTS);
      },
    );

    it.runIf(EFFORT === 'whole').each<Owners>(['the same account', 'as many accounts'])(
      'of %s, with the times of a service: how long an event takes to one which answers',
      async (owners) => {
        const on = await scene(await open(), owners);
        const sent = new Map<number, number>();
        const took: number[] = [];
        await whileSending(on, { now: Date.now, stopGraceMs: 10 }, async () => {
          for (let n = 0; n < EVENTS; n++) {
            sent.set(n, performance.now());
            await on.commit([randomUUID()]);
            await letPass(100, 'events come one after the other');
            while (took.length < on.good.size) took.push(performance.now() - sent.get(took.length)!);
          }
          await until('all events', () => {
            while (took.length < on.good.size) took.push(performance.now() - sent.get(took.length)!);
            return took.length === EVENTS;
          });
        });
        tried(EVENTS);
        measured('an event to an endpoint that answers', took);
      },
    );
  });
}

// What every store of handled events promises. `write` makes a side effect in the store's own database, `effects` counts
// those that were committed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import {
  type EventTransaction,
  handleOnce,
  type IdempotencyStore,
  PRUNE_PAGE,
} from '../../src/webhooks/receive/idempotency.ts';
import { until } from '../until.ts';

/** A store with a table for side effects beside it. */
export interface IdempotencySubject<Transaction> {
  readonly store: IdempotencyStore<Transaction>;
  /** Another way to the same events, as another process has it. */
  readonly other: IdempotencyStore<Transaction>;
  readonly write: (transaction: Transaction, effect: string) => unknown;
  readonly effects: () => Promise<readonly string[]>;
  /** Adds the events `evt_1` to `evt_<count>`, handled now. */
  readonly fill: (count: number) => Promise<unknown>;
  readonly dispose: () => Promise<void>;
}

/** Whether the store can undo what a write did: the one in memory cannot. */
export interface IdempotencyTraits {
  readonly undoes: boolean;
}

const EVENT = { id: 'evt_1' };

export function idempotencyContract<Transaction>(
  name: string,
  open: () => Promise<IdempotencySubject<Transaction>>,
  { undoes }: IdempotencyTraits,
): void {
  describe(`${name} handles an event once`, () => {
    let subject: IdempotencySubject<Transaction>;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.dispose());

    const effect =
      (text: string) =>
      (transaction: EventTransaction<Transaction>): Promise<unknown> =>
        transaction((inside) => subject.write(inside, text));
    const outcome = async (work: Promise<unknown>): Promise<unknown> => {
      try {
        return await work;
      } catch (error) {
        return isGazetteError(error) ? error.code : error;
      }
    };

    it('with the work in its transaction', async () => {
      const { store, other } = subject;
      expect(await handleOnce(EVENT, store, effect('a'))).toBe('done');
      expect(await handleOnce(EVENT, store, effect('b'))).toBe('repeated');
      expect(await handleOnce(EVENT, other, effect('c'))).toBe('repeated');
      expect(await handleOnce({ id: 'evt_2' }, other, effect('d'))).toBe('done');
      expect(await subject.effects()).toEqual(['a', 'd']);
    });

    it('with work outside of it', async () => {
      let runs = 0;
      const work = async (): Promise<void> => {
        await nextTurn();
        runs++;
      };
      expect(await handleOnce(EVENT, subject.store, work)).toBe('done');
      expect(await handleOnce(EVENT, subject.other, work)).toBe('repeated');
      expect(runs).toBe(1);
    });

    it('while it is handled, asking duplicates to try again', async () => {
      const started = Promise.withResolvers<undefined>();
      const goOn = Promise.withResolvers<undefined>();
      const first = handleOnce(EVENT, subject.store, async (transaction) => {
        started.resolve(undefined);
        await goOn.promise;
        await effect('first')(transaction);
      });
      await started.promise;
      const duplicates = [subject.store, subject.other].map((store) => handleOnce(EVENT, store, effect('duplicate')));
      for (const duplicate of await Promise.allSettled(duplicates)) {
        const error = (duplicate as PromiseRejectedResult).reason as unknown;
        expect(error).toMatchObject({ code: 'event_in_progress' });
        const { retryAfterSeconds } = (error as { details: Record<string, number> }).details;
        expect(retryAfterSeconds).toBeGreaterThanOrEqual(30);
        expect(retryAfterSeconds).toBeLessThanOrEqual(60);
      }
      goOn.resolve(undefined);
      expect(await first).toBe('done');
      expect(await handleOnce(EVENT, subject.other, effect('late'))).toBe('repeated');
      expect(await subject.effects()).toEqual(['first']);
    });

    it('when many come at the same moment', async () => {
      const all = Array.from({ length: 20 }, (_, index) =>
        outcome(handleOnce(EVENT, index % 2 === 0 ? subject.store : subject.other, effect(String(index)))),
      );
      const outcomes = await Promise.all(all);
      expect(outcomes.filter((one) => one === 'done')).toHaveLength(1);
      for (const one of outcomes) expect(['done', 'repeated', 'event_in_progress']).toContain(one);
      expect(await subject.effects()).toHaveLength(1);
    });

    it('giving the claim back when the work throws, and passing the error on', async () => {
      const failure = new Error('no room');
      const failing = handleOnce(EVENT, subject.store, () => {
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      await expect(handleOnce(EVENT, subject.store, () => Promise.reject(failure))).rejects.toBe(failure);
      // At once, not when a lease has run out.
      expect(await handleOnce(EVENT, subject.other, effect('second'))).toBe('done');
      expect(await subject.effects()).toEqual(['second']);
    });

    it.skipIf(!undoes)('undoing what a write did before it threw (memory undoes nothing)', async () => {
      const failure = new Error('half way');
      const failing = handleOnce(EVENT, subject.store, (transaction) =>
        transaction((inside) => {
          const written = subject.write(inside, 'half');
          if (!(written instanceof Promise)) throw failure;
          return written.then(() => Promise.reject(failure));
        }),
      );
      await expect(failing).rejects.toBe(failure);
      expect(await subject.effects()).toEqual([]);
      expect(await handleOnce(EVENT, subject.store, effect('whole'))).toBe('done');
      expect(await subject.effects()).toEqual(['whole']);
    });

    it('not believing work that takes the failure of its transaction for success', async () => {
      const failure = new Error('refused');
      const swallowing = handleOnce(EVENT, subject.store, async (transaction) => {
        await transaction(() => {
          throw failure;
        }).catch(() => undefined);
      });
      await expect(swallowing).rejects.toBe(failure);
      expect(await handleOnce(EVENT, subject.store, effect('again'))).toBe('done');
    });

    it('waiting for a transaction that the work does not wait for', async () => {
      const careless = handleOnce(EVENT, subject.store, (transaction) => {
        void effect('unawaited')(transaction);
      });
      expect(await careless).toBe('done');
      expect(await subject.effects()).toEqual(['unawaited']);
    });

    it('staying handled when the work throws after its transaction', async () => {
      const failure = new Error('too late');
      const late = handleOnce(EVENT, subject.store, async (transaction) => {
        await effect('kept')(transaction);
        throw failure;
      });
      await expect(late).rejects.toBe(failure);
      expect(await handleOnce(EVENT, subject.store, effect('again'))).toBe('repeated');
      expect(await subject.effects()).toEqual(['kept']);
    });

    it('keeping what a transaction writes while the work throws', async () => {
      const failure = new Error('too early');
      const begun = Promise.withResolvers<undefined>();
      const released: string[] = [];
      const { store } = subject;
      // The work has failed before its transaction can end.
      const slow: typeof store = {
        claim: (...args) => store.claim(...args),
        renew: (...args) => store.renew(...args),
        prune: (...args) => store.prune(...args),
        complete: async (...args) => {
          await begun.promise;
          await nextTurn();
          return store.complete(...args);
        },
        release: async (...args) => {
          released.push(args[0]);
          await store.release(...args);
        },
      };
      const early = handleOnce(EVENT, slow, (transaction) => {
        void effect('kept')(transaction);
        begun.resolve(undefined);
        throw failure;
      });
      await expect(early).rejects.toBe(failure);
      expect(released).toEqual([EVENT.id]);
      expect(await handleOnce(EVENT, subject.store, effect('again'))).toBe('repeated');
      expect(await subject.effects()).toEqual(['kept']);
    });

    it('ending no sooner than a renewal that has begun, because its store may be closed next', async () => {
      const { store } = subject;
      const [renewing, renewal, recorded] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
      let isRenewed = false;
      const slow: typeof store = {
        claim: (...args) => store.claim(...args),
        complete: async (...args) => {
          const written = await store.complete(...args);
          recorded!.resolve(undefined);
          return written;
        },
        release: (...args) => store.release(...args),
        prune: (...args) => store.prune(...args),
        renew: async () => {
          renewing!.resolve(undefined);
          await renewal!.promise;
          isRenewed = true;
        },
      };
      const handled = handleOnce(EVENT, slow, () => renewing!.promise, { leaseMs: 60 }).then(() => isRenewed);
      await recorded!.promise;
      await nextTurn();
      renewal!.resolve(undefined);
      expect(await handled).toBe(true);
    });

    it('refusing a second transaction for one event', async () => {
      const twice = handleOnce(EVENT, subject.store, async (transaction) => {
        await effect('one')(transaction);
        await effect('two')(transaction);
      });
      expect(await outcome(twice)).toBe('invalid_option');
      expect(await subject.effects()).toEqual(['one']);
    });

    it('freeing the claim of a holder that has gone, when its lease is over', async () => {
      // What a process that is killed leaves behind.
      expect(await subject.store.claim(EVENT.id, 'gone', 60_000)).toEqual({ state: 'claimed' });
      expect(await outcome(handleOnce(EVENT, subject.other, effect('early')))).toBe('event_in_progress');
      await subject.store.renew(EVENT.id, 'gone', 50);
      const take = (): Promise<unknown> => outcome(handleOnce(EVENT, subject.other, effect('after')));
      await until('the end of the lease', async () => (await take()) === 'done');
      expect(await subject.effects()).toEqual(['after']);
    });

    it('keeping the claim of a living holder beyond its lease', async () => {
      let renewals = 0;
      const { store, other } = subject;
      const watched: typeof store = {
        claim: (...args) => store.claim(...args),
        complete: (...args) => store.complete(...args),
        release: (...args) => store.release(...args),
        prune: (...args) => store.prune(...args),
        renew: async (...args) => {
          await store.renew(...args);
          renewals++;
        },
      };
      let duplicate: unknown;
      const long = handleOnce(
        EVENT,
        watched,
        async (transaction) => {
          // It is renewed three times a lease: without that it would be over by now.
          await until('the work to take longer than its lease', () => renewals > 3);
          duplicate = await outcome(handleOnce(EVENT, other, effect('duplicate')));
          await effect('long')(transaction);
        },
        { leaseMs: 300 },
      );
      expect(await long).toBe('done');
      expect(duplicate).toBe('event_in_progress');
      expect(await subject.effects()).toEqual(['long']);
    });

    it('refusing the completion of a holder whose claim has gone to another', async () => {
      await subject.store.claim(EVENT.id, 'slow', 50);
      const take = (): Promise<{ readonly state: string }> => subject.other.claim(EVENT.id, 'quick', 60_000);
      await until('the end of the lease', async () => (await take()).state === 'claimed');
      // Neither renewing nor giving back reaches the claim of the other.
      await subject.store.renew(EVENT.id, 'slow', 1);
      await subject.store.release(EVENT.id, 'slow');
      const late = subject.store.complete(EVENT.id, 'slow', (inside) =>
        undoes ? subject.write(inside, 'slow') : undefined,
      );
      expect(await outcome(late)).toBe('event_in_progress');
      await subject.other.complete(EVENT.id, 'quick', (inside) => subject.write(inside, 'quick'));
      expect(await subject.effects()).toEqual(['quick']);
      expect(await subject.store.claim(EVENT.id, 'third', 50)).toEqual({ state: 'handled' });
    });

    it('until the record is pruned, which deletes only what is old enough', async () => {
      const { store, other } = subject;
      const count = 2 * PRUNE_PAGE + 1;
      await subject.fill(count);
      await store.claim('evt_claimed', 'held', 60_000);
      expect(await other.prune({ olderThan: 3_600_000 })).toBe(0);
      expect(await handleOnce(EVENT, other, () => undefined)).toBe('repeated');
      let pruned = 0;
      await until('some time to pass since', async () => {
        pruned += await other.prune({ olderThan: 0 });
        return pruned >= count;
      });
      expect(pruned).toBe(count);
      expect(await outcome(handleOnce({ id: 'evt_claimed' }, other, () => undefined))).toBe('event_in_progress');
      expect(await handleOnce(EVENT, other, effect('again'))).toBe('done');
      expect(await subject.effects()).toEqual(['again']);
    });

    it('forgetting claims whose holders have gone when it is pruned', async () => {
      await subject.store.claim(EVENT.id, 'gone', 50);
      expect(await subject.other.prune({ olderThan: 0 })).toBe(0);
      await until('the end of the lease', async () => (await subject.other.prune({ olderThan: 0 })) === 1);
    });

    it.each([-1, 0.5, NaN, Infinity])('refusing to prune what is older than %s ms', async (olderThan) => {
      expect(await outcome(subject.store.prune({ olderThan }))).toBe('invalid_option');
    });

    it.each([0, 49, 50.5, 86_400_001, NaN, Infinity, -1])('refusing a lease of %s ms', async (leaseMs) => {
      expect(await outcome(handleOnce(EVENT, subject.store, () => undefined, { leaseMs }))).toBe('invalid_option');
    });
  });
}

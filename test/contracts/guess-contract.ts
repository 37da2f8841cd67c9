// An erased record, for somebody who has every byte of a store and guesses right (guesses.ts).
import { expect, it } from 'vitest';
import { confirmed, makeErasable, type OpenBytes, textsLeft } from './guesses.ts';
import { GUESSED } from '../wings/guessed.ts';
import { at } from './store-register.ts';

/** Registers the tests for one implementation. @param holders what holds up a purge, by name */
export function guessContract(open: () => Promise<OpenBytes>, holders: readonly string[]): void {
  it('confirms no right guess once a record is erased, whoever has every byte of it', async () => {
    const on = await open();
    await makeErasable(on.store);
    const before = await confirmed(on);
    // Each of these is found while the record is there: the search is able to find it.
    expect(before.filter((found) => found.startsWith('text'))).toHaveLength(6);
    expect(before.filter((found) => /^HMAC of [012]:/.test(found))).toHaveLength(3);
    expect(before.filter((found) => found.includes('[{'))).toHaveLength(1);
    const hashed = ['hash of ERASED-FACILITY', 'hash of erased-type'];
    expect(before.filter((found) => found.startsWith('hash'))).toEqual(on.hash === undefined ? [] : hashed);
    await on.erase('permits:a');
    expect(await confirmed(on)).toEqual([]);
    expect((await on.store.history('permits:a', { offset: 0, limit: 9 }))!.map(({ cause }) => cause)).toEqual([
      ...['redacted', 'restored', 'withdrawn', 'source_change', 'first_observed'],
    ]);
    expect(await on.store.record('permits:b')).toMatchObject({ state: 'live', record: { title: 'Permit b' } });
    expect(await on.store.purges.pending()).toBeNull();
  });

  for (const suite of GUESSED) suite(open);

  it.each(holders)('remembers a purge that %s holds up, and ends it later', async (holder) => {
    const on = await open();
    await makeErasable(on.store);
    const release = await on.hold(holder);
    await on.erase('permits:a');
    const { purges } = on.store;
    const pending = (await purges.pending())!;
    expect(pending).toMatchObject({ askedAt: at(9) });
    expect(await purges.run({ waitMs: 0 })).toEqual(pending);
    expect(await textsLeft(on)).not.toEqual([]);
    // It is asked for again, and was asked for at the same time as before.
    await on.erase('permits:a');
    await release();
    expect(await purges.pending()).toEqual(pending);
    expect(await purges.run({ waitMs: 20_000 })).toBeNull();
    expect(await purges.pending()).toBeNull();
    expect(await textsLeft(on)).toEqual([]);
  });
}

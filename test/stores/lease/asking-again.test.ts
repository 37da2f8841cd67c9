import { expect, it } from 'vitest';
import { GazetteError } from '../../../src/errors.ts';
import { askAgain, AWAY_MS } from '../../../src/stores/lease/asking-again.ts';

const away = new GazetteError('store_unavailable', 'away');
const busy = new GazetteError('store_busy', 'busy');

/** Asks a database that gives these answers one after the other, a given time apart. */
async function ask(answers: readonly unknown[], stepMs = 1): Promise<readonly unknown[]> {
  const left = [...answers];
  let [now, checks] = [0, 0];
  const answer = async (): Promise<unknown> => {
    now += stepMs;
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const before = async (): Promise<void> => {
    checks++;
  };
  const result = await askAgain(answer, { clock: () => now, before }).catch((error: unknown) => error);
  return [result, left.length, checks];
}

it.each([
  ['asks once where there is an answer', ['yes'], 1, ['yes', 0, 0]],
  ['asks again while it is away, and checks first', [away, away, 'yes'], 1, ['yes', 0, 2]],
  ['waits for a transaction of its own that still holds a lock', [away, busy, 'yes'], 1, ['yes', 0, 2]],
  ['does not wait for those of others', [busy, 'yes'], 1, [busy, 1, 0]],
  ['does not ask again after another error', [new TypeError('bug'), 'yes'], 1, [new TypeError('bug'), 1, 0]],
  ['asks for less than a minute', [away, away, away, 'yes'], AWAY_MS / 2, [away, 1, 2]],
  ['counts the minute anew after an answer', [away, 'yes'], AWAY_MS * 2, ['yes', 0, 1]],
] as const)('%s', async (_, answers, stepMs, expected) => {
  expect(await ask(answers, stepMs)).toEqual(expected);
});

it('ends with an interruption, and with an error of the check', async () => {
  const signal = AbortSignal.abort();
  const isAway = (): Promise<never> => Promise.reject(away);
  await expect(askAgain(isAway, { signal })).rejects.toMatchObject({ code: 'aborted' });
  const before = (): Promise<never> => Promise.reject(new GazetteError('import_superseded', 'lost'));
  await expect(askAgain(isAway, { before })).rejects.toMatchObject({ code: 'import_superseded' });
});

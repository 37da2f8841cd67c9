// A register as it changes, as the client gets it: every version once and in order, whatever happens to connections and to the service.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ClientOptions, follow, type FollowOptions } from '../../src/client/index.ts';
import { at } from '../contracts/store-register.ts';
import { answering } from './answering.ts';
import { until } from '../until.ts';
import { statementAt } from '../world.ts';
import { type FaultyService, startFaultyService, withoutWaits } from './faulty-service.ts';

const COUNT = 250;

let service: FaultyService;
let options: ClientOptions;
beforeEach(async () => {
  service = await startFaultyService(COUNT);
  ({ options } = withoutWaits(service));
});
afterEach(() => service.stop());

const streamUrl = (): string => `${service.url}/api/v1/feeds/permits/stream`;

const add = (position: number, changes = {}): Promise<unknown> =>
  service.store.apply('permits', [{ ...statementAt(position, 9999), ...changes }], { recordedAt: at(20) });

/** What a reader has got so far. */
function reading(more: Partial<FollowOptions> = {}): {
  readonly changes: number[];
  readonly offsets: string[];
  readonly stop: () => void;
  readonly ended: Promise<unknown>;
} {
  const [changes, offsets, stopping]: [number[], string[], AbortController] = [[], [], new AbortController()];
  const onOffset = (offset: string): number => offsets.push(offset);
  const read = async (): Promise<void> => {
    for await (const { change } of follow(streamUrl(), { ...options, ...more, onOffset, signal: stopping.signal })) {
      changes.push(change);
    }
  };
  const stop = (): void => {
    stopping.abort();
  };
  return { changes, offsets, stop, ended: read().catch((error: unknown) => error) };
}

const upTo = (last: number, first = 1): readonly number[] =>
  Array.from({ length: last + 1 - first }, (_, i) => first + i);

it('has every version once and in order, over faults and restarts, and goes on from the place it is given', async () => {
  service.faults.push('reset', null, { status: 503, headers: { 'Retry-After': '1' } }, 'cut');
  const first = reading();
  await until('all that there was', () => first.changes.length === COUNT);
  for (let more = 1; more <= 3; more++) {
    if (more === 2) {
      service.goDown();
      await add(COUNT + more);
      await service.comeBack();
    } else {
      await add(COUNT + more);
    }
    await until('what came', () => first.changes.length === COUNT + more);
  }
  await until('its place', () => first.offsets.at(-1)?.endsWith(String(COUNT + 3)) === true);
  first.stop();
  expect(await first.ended).toMatchObject({ code: 'aborted' });
  expect(first.changes).toEqual(upTo(COUNT + 3));

  await add(COUNT + 4);
  const next = reading({ offset: first.offsets.at(-1)! });
  await until('what came meanwhile', () => next.changes.length === 1);
  next.stop();
  await next.ended;
  expect(next.changes).toEqual([COUNT + 4]);
});

it('begins with what comes from now on, and says what a filter let through', async () => {
  const { changes, offsets, stop, ended } = reading({ offset: 'now', filter: { document_type: 'adopted' } });
  await until('the present end', () => offsets.length === 1);
  await add(COUNT + 1, { document_type: 'draft' });
  await add(COUNT + 2, { document_type: 'adopted' });
  await until('the one that matches', () => changes.length === 1);
  stop();
  await ended;
  expect(changes).toEqual([COUNT + 2]);
});

it('begins where its address says, and waits in its own way', async () => {
  const tail: string[] = [];
  const at = `${streamUrl()}?offset=now&live=sse&cursor=7`;
  const stopping = new AbortController();
  const versions = follow(at, { ...options, signal: stopping.signal, onOffset: (offset) => tail.push(offset) });
  const next = versions.next();
  await until('the present end', () => tail.length === 1);
  await add(COUNT + 1);
  expect((await next).value).toMatchObject({ change: COUNT + 1 });
  stopping.abort();
  expect(service.asked[0]!.path).toBe('/api/v1/feeds/permits/stream?offset=now');
});

it('has the record of each version, and none of one that was withdrawn', async () => {
  await service.store.withdraw('permits', [statementAt(1, 9999).id], { recordedAt: at(20) });
  const seen: [string, string | undefined][] = [];
  for await (const { cause, record, change } of follow(streamUrl(), options)) {
    seen.push([cause, record?.title]);
    if (change === COUNT + 1) break;
  }
  expect(seen[0]).toEqual(['first_observed', 'Permit number 1']);
  expect(seen.at(-1)).toEqual(['withdrawn', undefined]);
});

it('ends when its key does', async () => {
  const { changes, ended } = reading();
  await until('all that there was', () => changes.length === COUNT);
  await service.accounts.revokeKey('acme', null);
  expect(await ended).toMatchObject({ code: 'request_refused', details: { status: 401, code: 'revoked_key' } });
});

it('says that a register was made again', async () => {
  const offset = `00000000_${'7'.padStart(16, '0')}`;
  const { ended } = reading({ offset });
  expect(await ended).toMatchObject({ code: 'request_refused', details: { status: 410, code: 'log_restarted' } });
});

it.each(['', '5', '-2', 'then'])('refuses the offset %j before it asks', async (offset) => {
  expect(await reading({ offset }).ended).toMatchObject({ code: 'invalid_option', details: { option: 'offset' } });
  expect(service.asked).toEqual([]);
});

const END = `00000000_${'1'.padStart(16, '0')}`;

it.each([
  ['no place to go on from', '[]', {}],
  ['a place that is none', '[]', { 'stream-next-offset': 'there' }],
  [
    'the same place with more',
    '[{"record_id":"a","change":1}]',
    { 'stream-next-offset': END, 'stream-up-to-date': 'true' },
  ],
  ['the same place, which is not the end', '[]', { 'stream-next-offset': END }],
  ['what is no list', '{}', { 'stream-next-offset': END, 'stream-up-to-date': 'true' }],
  ['what is no version', '[{}]', { 'stream-next-offset': END, 'stream-up-to-date': 'true' }],
])('refuses an answer with %s', async (_, body, fields) => {
  const url = await answering((response) => response.writeHead(200, fields).end(body));
  await expect(follow(url, { ...options, offset: END }).next()).rejects.toMatchObject({ code: 'invalid_answer' });
});

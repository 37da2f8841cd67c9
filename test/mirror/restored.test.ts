// Copies of a register whose source is restored from a backup under the name of its log: none has records of both histories.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PullResult, pullRegister } from '../../src/mirror/index.ts';
import type { JoinedFormat } from '../../src/mirror/joiners.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { restorable, served, some } from '../contracts/mirror-contract.ts';
import { at, say } from '../contracts/store-register.ts';

const FEED = 'https://registers.example.org/api/v1/feeds/permits';

/** Records of the backup, and of the source when a copy begins: three pages. */
const [KEPT, COUNT] = [230, 250];

type Asked = Parameters<typeof fetch>[0];

const addressOf = (asked: Asked): string => (asked instanceof Request ? asked.url : String(asked));

/** Whether a page after the first is asked for. */
const isLaterPage = (asked: Asked): boolean => /[?&]offset=\d/.test(addressOf(asked));

/** A source with more records than its backup, and the backup, restored. */
async function sources(): Promise<Awaited<ReturnType<typeof restorable>>> {
  const both = await restorable(some(KEPT));
  await both.source.apply('permits', some(COUNT - KEPT, 'lost'), { recordedAt: at(2) });
  return both;
}

/** Copies by pages. */
async function copying(format: JoinedFormat): Promise<{
  readonly output: string;
  readonly copy: (serve: typeof fetch, resume?: boolean) => Promise<PullResult>;
  /** Begins a copy, and stops before its second page. */
  readonly begin: (serve: typeof fetch) => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-pull-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const output = join(folder, 'copy');
  const byPages =
    (serve: typeof fetch): typeof fetch =>
    async (url, init) =>
      addressOf(url).includes('/register.') ? new Response(null, { status: 404 }) : serve(url, init);
  const copy = (serve: typeof fetch, resume = false): Promise<PullResult> =>
    pullRegister(FEED, { format, output, resume, fetch: byPages(serve) });
  const begin = async (serve: typeof fetch): Promise<void> => {
    const stopping: typeof fetch = async (url, init) =>
      isLaterPage(url) ? new Response(null, { status: 403 }) : serve(url, init);
    await expect(copy(stopping)).rejects.toMatchObject({ code: 'request_refused' });
  };
  return { output, copy, begin };
}

describe.each<JoinedFormat>(['csv', 'ndjson', 'xml'])('a copy by pages, as %s', (format) => {
  it.each<readonly [string, (older: InspectedStore) => Promise<unknown>]>([
    ['is much older', (older) => Promise.resolve(older)],
    ['lacks one change', (older) => older.apply('permits', some(COUNT - KEPT - 1, 'new'), { recordedAt: at(3) })],
    ['is as long as it was', (older) => older.apply('permits', some(COUNT - KEPT, 'new'), { recordedAt: at(3) })],
    ['is longer', (older) => older.apply('permits', some(COUNT, 'new'), { recordedAt: at(3) })],
    ['has the same again', (older) => older.apply('permits', some(COUNT - KEPT, 'lost'), { recordedAt: at(3) })],
  ])('is not gone on with where its source was restored, and %s', async (_, grow) => {
    const { source, older } = await sources();
    const { output, copy, begin } = await copying(format);
    await begin(served(source));
    await grow(older);
    const restored = served(older);
    await expect(copy(restored, true)).rejects.toMatchObject({
      code: 'register_changed',
      message: expect.stringContaining('restored from a backup') as string,
    });
    expect(existsSync(output)).toBe(false);
    const { top } = (await older.register('permits'))!;
    expect(await copy(restored, true)).toEqual({ asOf: top, records: top, withdrawn: 0 });
    const fresh = await copying(format);
    await fresh.copy(restored);
    expect(await readFile(output, 'utf8')).toBe(await readFile(fresh.output, 'utf8'));
  });

  it('is refused where its source is restored between two pages', async () => {
    const { source, older } = await sources();
    const { output, copy } = await copying(format);
    await older.apply('permits', some(COUNT, 'new'), { recordedAt: at(3) });
    const [before, after] = [served(source), served(older)];
    let isRestored = false;
    const restoring: typeof fetch = (url, init) => {
      isRestored ||= isLaterPage(url);
      return (isRestored ? after : before)(url, init);
    };
    await expect(copy(restoring)).rejects.toMatchObject({ code: 'register_changed' });
    expect(existsSync(output)).toBe(false);
  });
});

describe('a copy by pages', () => {
  it.each<readonly [string, (source: InspectedStore) => Promise<unknown>]>([
    ['was erased', (source) => source.redact(`permits:lost${COUNT - KEPT - 1}`, { recordedAt: at(3) })],
    [
      'was withdrawn',
      (source) => source.withdraw('permits', [`permits:lost${COUNT - KEPT - 1}`], { recordedAt: at(3) }),
    ],
    [
      'has another version',
      (source) => source.apply('permits', [say(`lost${COUNT - KEPT - 1}`, { title: 'Other' })], { recordedAt: at(3) }),
    ],
  ])('goes on where the last record that its source had %s meanwhile', async (_, change) => {
    const { source } = await sources();
    // Its changes are asked for by the name of its log.
    await source.beginNewLogs({ at: at(2) });
    const { copy, begin } = await copying('ndjson');
    await begin(served(source));
    await change(source);
    expect(await copy(served(source), true)).toMatchObject({ asOf: COUNT });
  });

  it('of a register without records is empty, whatever is added meanwhile', async () => {
    const { source } = await restorable([]);
    const { copy } = await copying('ndjson');
    const serve = served(source);
    const adding: typeof fetch = async (url, init) => {
      const answer = await serve(url, init);
      if (addressOf(url).includes('/stream')) await source.apply('permits', some(2), { recordedAt: at(1) });
      return answer;
    };
    expect(await copy(adding)).toEqual({ asOf: 0, records: 0, withdrawn: 0 });
  });

  it.each<readonly [string, string, (answer: Response) => Promise<Response>]>([
    ['where its changes end', '/stream', async (answer) => new Response(await answer.text())],
    [
      'a place for that',
      '/stream',
      async (answer) => new Response(await answer.text(), { headers: { 'stream-next-offset': 'now' } }),
    ],
    ['its last one', '/changes', async (answer) => new Response((await answer.text()).replace(/\[.*\]/, '[]'))],
  ])('is not begun where its source does not answer %s', async (_, path, change) => {
    const { source } = await sources();
    const { copy } = await copying('ndjson');
    const serve = served(source);
    const changed: typeof fetch = async (url, init) => {
      const answer = await serve(url, init);
      return new URL(addressOf(url)).pathname.endsWith(path) ? change(answer) : answer;
    };
    await expect(copy(changed)).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});

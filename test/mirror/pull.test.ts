import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pullRegister, type PullProgress } from '../../src/mirror/index.ts';
import type { JoinedFormat } from '../../src/mirror/joiners.ts';
import { BEFORE_PAGES, COUNT, idsOf, startPulling } from '../cli/pulling.ts';

describe('pullRegister', () => {
  it('copies a register into one file, tells how far it is, and resolves to what it proved', async () => {
    const { service, output } = await startPulling('pages');
    const told: PullProgress[] = [];
    const result = await pullRegister(new URL(`${service.url}/api/v1/feeds/permits/`), {
      format: 'csv',
      output,
      key: service.key,
      onProgress: (progress) => told.push(progress),
    });
    expect(result).toEqual({ asOf: COUNT, records: COUNT, withdrawn: 0 });
    expect(told).toEqual([100, 200, 300, 400, 500, COUNT].map((records) => ({ records, asOf: COUNT })));
    expect(await idsOf(output, 'csv')).toHaveLength(COUNT);
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
  });

  it('tells each wait before it waits, for an answer and for a page that is whole', async () => {
    const { service, output } = await startPulling('pages');
    service.faults.push(...BEFORE_PAGES, { status: 503, headers: { 'Retry-After': '7' } });
    service.faults.push({ status: 200, body: 'half a pa' });
    const waits: string[] = [];
    await pullRegister(`${service.url}/api/v1/feeds/permits`, {
      ...{ format: 'csv', output, key: service.key },
      sleep: async (ms) => void waits.push(`waited ${ms}`),
      onWait: (ms) => waits.push(`told ${ms}`),
    });
    expect(waits).toEqual(['told 7000', 'waited 7000', 'told 500', 'waited 500']);
  });

  it('stops when its signal fires, and goes on from there when it is resumed', async () => {
    const { service, output, copy, pagesAsked } = await startPulling('pages');
    const stop = new AbortController();
    const pulled = pullRegister(`${service.url}/api/v1/feeds/permits`, {
      ...{ format: 'ndjson', output, key: service.key, signal: stop.signal },
      onProgress: ({ records }) => {
        if (records === 200) stop.abort();
      },
    });
    await expect(pulled).rejects.toMatchObject({ code: 'aborted' });
    expect(existsSync(output)).toBe(false);
    const asked = service.asked.length;
    expect(await copy('ndjson', true)).toMatchObject({ records: COUNT });
    expect(pagesAsked(asked)).toHaveLength(4);
  });

  it('refuses what cannot be a pull before anything is asked or written', async () => {
    const { service, output } = await startPulling('pages');
    const feed = `${service.url}/api/v1/feeds/permits`;
    const refused = (url: string, format = 'csv'): Promise<unknown> =>
      pullRegister(url, { format: format as JoinedFormat, output }).catch((error: unknown) => error);
    expect(await refused(service.url)).toMatchObject({ code: 'usage' });
    expect(await refused(`${feed}#top`)).toMatchObject({ code: 'invalid_option' });
    expect(await refused(feed, 'toString')).toMatchObject({ code: 'unknown_format' });
    expect([service.asked, await readdir(join(output, '..'))]).toEqual([[], []]);
  });
});

// `gazette pull` through the real command line: a whole register in one file, whatever happens on the way.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KeptState, PullState } from '../../src/mirror/state.ts';
import { keyAt, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { freePort } from '../docs/free-port.ts';
import { ALL, BEFORE_PAGES, COUNT, idsOf, startPulling } from './pulling.ts';
import { ending, folder, gazette, start } from './run.ts';
import { makeStore, serve } from './served.ts';
import { letPass, until } from '../until.ts';

const FORMATS = ['csv', 'ndjson', 'xml'] as const;

describe('gazette pull', () => {
  it.each(FORMATS.flatMap((format) => [[format, 'pages'] as const, [format, 'whole'] as const]))(
    'makes one valid file of %s from its %s, and leaves nothing beside it',
    async (format, way) => {
      const { service, output, pull } = await startPulling(way);
      service.faults.push(null, 'reset', null, way === 'pages' ? 'cut' : 'broken', {
        status: 503,
        headers: { 'Retry-After': '0' },
      });
      const ended = await pull(format);
      expect(ended).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
      expect(ended.stderr).toContain(`${COUNT} records, each position from ${COUNT} down to 1 answered\n`);
      expect(await idsOf(output, format)).toEqual(ALL);
      expect(await readdir(join(output, '..'))).toEqual(['copy']);
      expect(service.asked.every(({ authorization }) => authorization === `Bearer ${service.key}`)).toBe(true);
    },
  );

  it.each(FORMATS)('goes on with %s after kill -9 where its state says, and nowhere before', async (format) => {
    const { service, output, part, start: startPull, pull, pagesAsked } = await startPulling('pages');
    // The state is kept twice a second: some pages come between, and the fifth never does.
    const asked = new Promise<void>((resolve) => {
      let count = 0;
      service.onRequest = async () => {
        count++;
        if (count < BEFORE_PAGES.length + 5) return letPass(200, 'the state is kept by the clock');
        resolve();
        await ended;
      };
    });
    const child = startPull(format);
    const ended = once(child, 'exit');
    await asked;
    child.kill('SIGKILL');
    await ended;
    service.onRequest = () => undefined;

    const { state } = JSON.parse(await readFile(`${output}.pull.json`, 'utf8')) as { readonly state: PullState };
    expect(state.records).toBeGreaterThanOrEqual(200);
    // What came after the state was kept, and more than the rest of the copy will be.
    await appendFile(part, 'what nobody will ever read\n'.repeat(50_000));
    const before = service.asked.length;
    expect(await pull(format, '--resume')).toMatchObject({ code: 0 });
    const pages = pagesAsked(before);
    expect([new URL(pages[0]!, service.url).href, pages.length]).toEqual([state.next, (600 - state.records) / 100]);
    expect(await idsOf(output, format)).toEqual(ALL);
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
  });

  it.each(FORMATS)(
    'goes on with the whole as %s after kill -9, from the record that its state says',
    async (format) => {
      const { service, output, part, start: startPull, pull } = await startPulling();
      service.faults.push(...BEFORE_PAGES, 'stalled');
      const child = startPull(format);
      await until('the state', () => existsSync(`${output}.pull.json`));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { bytes, state } = JSON.parse(await readFile(`${output}.pull.json`, 'utf8')) as KeptState;
      const kept = (await readFile(part)).subarray(0, bytes);
      expect([state.records > 0, state.records < COUNT, kept.at(-1)]).toEqual([true, true, 0x0a]);
      await appendFile(part, 'what nobody will ever read\n'.repeat(50_000));
      const before = service.asked.length;
      expect(await pull(format, '--resume')).toMatchObject({ code: 0 });
      const asked = service.asked
        .slice(before)
        .map(({ path, status }) => `${status} ${new URL(path, service.url).href}`);
      expect(asked.slice(-3)).toEqual([
        expect.stringMatching(/^200 .*\/changes\?/),
        `206 ${state.whole!.place}`,
        expect.stringMatching(/^200 .*\/changes\?/),
      ]);
      expect(await idsOf(output, format)).toEqual(ALL);
      expect((await readFile(output)).subarray(0, bytes).equals(kept)).toBe(true);
      expect(await readdir(join(output, '..'))).toEqual(['copy']);
    },
  );

  it('says that it begins anew where the register has changed since it was killed', async () => {
    const { service, output, start: startPull, pull } = await startPulling();
    service.faults.push(...BEFORE_PAGES, 'stalled');
    const child = startPull('csv');
    await until('the state', () => existsSync(`${output}.pull.json`));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await service.store.apply('permits', [statementAt(2000, COUNT)], { recordedAt: at(2) });
    const ended = await pull('csv', '--resume');
    expect([ended.code, ended.stderr.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^gazette: begins anew: .* answered 409 "register_changed"/),
        expect.stringMatching(/521 records, each position from 521 down to 1 answered$/),
        '',
      ],
    ]);
    expect(await idsOf(output, 'csv')).toEqual([`permits:${keyAt(2000)}`, ...ALL]);
  });

  it('comes through a service that is killed and starts anew', async () => {
    const { path, key } = await makeStore(6000);
    // Not one of those that the system gives to anybody: it has to be free when the service is started again.
    const port = String(await freePort());
    const first = await serve(path, '--port', port);
    const output = join(await folder(), 'copy');
    const address = `${first.api}/feeds/permits`;
    const child = start(['pull', address, '--format', 'csv', '--output', output], { GAZETTE_API_KEY: key });
    const ended = ending(child);
    await until('the copy', () => existsSync(`${output}.part`) || child.exitCode !== null);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(output)).toBe(false);
    await serve(path, '--port', port);
    expect(await ended).toMatchObject({ code: 0 });
    expect(new Set(await idsOf(output, 'csv')).size).toBe(6000);
  });

  it('has the members of the moment it began, whatever is written meanwhile, and knows what was withdrawn', async () => {
    const { service, output, copy } = await startPulling('pages');
    const gone = [3, 4, 5, 200, COUNT].map((index) => `permits:${keyAt(index)}`);
    await service.store.withdraw('permits', gone.slice(0, 3), { recordedAt: at(2) });
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      if (asked === 1) return;
      await service.store.apply('permits', [statementAt(2000 + asked, COUNT)], { recordedAt: at(10 + asked) });
      // After the page with the newest record, before the one with the other.
      if (asked === BEFORE_PAGES.length + 2)
        await service.store.withdraw('permits', gone.slice(3), { recordedAt: at(40) });
    };
    expect(await copy('ndjson')).toEqual({ asOf: COUNT, records: COUNT - 4, withdrawn: 4 });
    expect(await idsOf(output, 'ndjson')).toEqual(ALL.filter((id) => !gone.slice(0, 4).includes(id)));
  });

  it('may lack records that were withdrawn while it was made, and came back', async () => {
    const { service, output, copy } = await startPulling('pages');
    const again = [3, 200].map((index) => `permits:${keyAt(index)}`);
    await service.store.withdraw('permits', again.slice(0, 1), { recordedAt: at(2) });
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      if (asked === BEFORE_PAGES.length + 2)
        await service.store.withdraw('permits', again.slice(1), { recordedAt: at(40) });
      // After the last page.
      if (asked !== BEFORE_PAGES.length + 7) return;
      for (const index of [3, 200])
        await service.store.apply('permits', [statementAt(index, COUNT)], { recordedAt: at(50) });
    };
    expect(await copy('ndjson')).toEqual({ asOf: COUNT, records: COUNT - 2, withdrawn: 2 });
    expect(await idsOf(output, 'ndjson')).toEqual(ALL.filter((id) => !again.includes(id)));
  });

  it('proves a copy by the changes since the lowest position that no page had', async () => {
    const { service, copy } = await startPulling('pages');
    await service.store.withdraw(
      'permits',
      [450, 460].map((index) => `permits:${keyAt(index)}`),
      { recordedAt: at(2) },
    );
    expect(await copy('xml')).toMatchObject({ records: COUNT - 2, withdrawn: 2 });
    const changes = service.asked.map(({ path }) => path).filter((path) => path.includes('/changes'));
    const { log } = (await service.store.register('permits'))!;
    expect(changes.slice(2).map((path) => path.split('?')[1])).toEqual([
      // To where they ended when the copy began, and what came since.
      `since=${log}.450&limit=${COUNT + 2 - 450}`,
      `since=${log}.${COUNT + 2}&limit=100`,
    ]);
  });

  it.each(['pages', 'whole'] as const)(
    'copies an empty register from its %s, and proves nothing of it that is not so',
    async (way) => {
      const { service, output } = await startPulling(way);
      const args = ['pull', `${service.url}/api/v1/feeds/notices/`, '--format', 'csv', '--output', output];
      const ended = await gazette(args, '', { GAZETTE_API_KEY: service.key });
      expect([ended.code, ended.stderr]).toEqual([0, `gazette: ${output} is complete: 0 records\n`]);
      expect(await idsOf(output, 'csv')).toEqual([]);
    },
  );
});

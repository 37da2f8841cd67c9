// `gazette serve --workers` while its processes are killed, hang or find no store: what it says of them, and who answers.
import { rename } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../docs/free-port.ts';
import { until } from '../until.ts';
import { childrenOf } from './children.ts';
import { makeStore, serve } from './served.ts';

const RECORDS = 12;

describe('gazette serve --workers', () => {
  it('tells the figures of all processes that answer, and how many do, while others hang or are killed', async () => {
    const { path } = await makeStore(RECORDS);
    const { child, api, said, ended } = await serve(path, '--workers', '2', '--metrics-port', '0');
    const url = /metrics on (\S+)/.exec(said)![1]!;
    const scrape = async (): Promise<readonly unknown[]> => {
      const answer = await fetch(url);
      const text = await answer.text();
      const numbers = ['counted', 'missing'].map((kind) => {
        return Number(new RegExp(`gazette_workers\\{figures="${kind}"\\} (\\d)`).exec(text)?.[1]);
      });
      return [answer.status, ...numbers, text.includes('process_cpu_seconds_total')];
    };
    expect((await fetch(`${api}/feeds`)).status).toBe(200);
    expect(await scrape()).toEqual([200, 2, 0, true]);
    const [pid] = await childrenOf(child.pid!);
    process.kill(pid!, 'SIGSTOP');
    expect(await scrape()).toEqual([200, 1, 1, true]);
    // One that is killed while it is asked is not waited for.
    const asked = scrape();
    process.kill(pid!, 'SIGKILL');
    expect(await asked).toEqual([200, 1, 1, true]);
    await until('figures of the new one', async () => (await scrape())[1] === 2);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('counts requests once for all processes, also while one of them is killed', async () => {
    const { path } = await makeStore(RECORDS);
    const { child, api, ended } = await serve(path, '--workers', '3', '--limit-address', '60/3600');
    const through = async (requests: number): Promise<number> => {
      const asked = Array.from({ length: requests }, async () => {
        const answer = await fetch(`${api}/feeds`, { headers: { connection: 'close' } });
        await answer.arrayBuffer();
        return answer.status;
      });
      return (await Promise.all(asked)).filter((status) => status === 200).length;
    };
    const before = await through(30);
    expect(before).toBe(30);
    const [pid] = await childrenOf(child.pid!);
    process.kill(pid!, 'SIGKILL');
    await until('a replacement', async () => {
      const pids = await childrenOf(child.pid!);
      return pids.length === 3 && !pids.includes(pid!);
    });
    const after = await through(120);
    // The tokens in hand of the one that was killed went with it.
    expect(after).toBeGreaterThanOrEqual(15);
    expect(after).toBeLessThanOrEqual(30);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('has other processes answer at one port also where the system does not share it out', async () => {
    const elsewhere = encodeURIComponent("Object.defineProperty(process, 'platform', { value: 'darwin' })");
    vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${elsewhere}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { path } = await makeStore(RECORDS);
    const { child, api, ended } = await serve(path, '--workers', '2');
    const [pid] = await childrenOf(child.pid!);
    process.kill(pid!, 'SIGKILL');
    await until('a replacement', async () => {
      const pids = await childrenOf(child.pid!);
      return pids.length === 2 && !pids.includes(pid!);
    });
    expect((await fetch(`${api}/feeds`, { headers: { connection: 'close' } })).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('keeps trying to replace processes while the store cannot be opened', async () => {
    const { path } = await makeStore(RECORDS);
    const { child, api, ended } = await serve(path, '--workers', '2', '--port', String(await freePort()));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await rename(path, `${path}.away`);
    for (const pid of await childrenOf(child.pid!)) process.kill(pid, 'SIGKILL');
    // Two that were killed, and two that found nothing.
    await until('four replacements', () => said.split('starting another one').length > 4);
    expect(said).toContain('there is no store');
    await rename(`${path}.away`, path);
    const status = (): Promise<number> =>
      fetch(`${api}/feeds`).then(
        (response) => response.status,
        () => 0,
      );
    await until('an answer', async () => (await status()) === 200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});

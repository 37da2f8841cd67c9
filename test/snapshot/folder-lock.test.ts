// One run at a time on a folder, whoever runs and however a run ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCK_FILE, lockFolder } from '../../src/snapshot/places/lock.ts';
import { SnapshotWriter } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { digests, folder, publish, SITE, storeOf } from './published.ts';

const LOCK = new URL('../../src/snapshot/places/lock.ts', import.meta.url).href;

/** A process that holds the lock of a folder until it is killed. */
async function holder(out: string): Promise<() => Promise<void>> {
  const script = `const { lockFolder } = await import('${LOCK}');
    globalThis.lock = await lockFolder(${JSON.stringify(out)});
    process.stdout.write('locked');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
}

describe('the lock of a folder', () => {
  it('refuses a second run by name, of this process and of another, and changes nothing', async () => {
    const out = await folder();
    const store = await storeOf(5);
    await publish(store, out);
    const before = await digests(out);
    const busy = { code: 'snapshot_busy', message: `${out} is being written by another run`, details: { path: out } };
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE });
    await expect(publish(store, out)).rejects.toMatchObject(busy);
    await writer.close();
    const kill = await holder(out);
    await expect(publish(store, out)).rejects.toMatchObject(busy);
    expect(await digests(out)).toEqual(before);
    await kill();
  });

  it('is refused in plain words where a file has its name', async () => {
    const out = join(await folder(), 'file');
    await writeFile(out, '');
    await expect(publish(await storeOf(1), out)).rejects.toMatchObject({
      message: `${out} cannot be written: a file of that name is there already`,
    });
  });

  it('is gone with a process that was killed', async () => {
    const out = await folder();
    const store = await storeOf(5);
    const kill = await holder(out);
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    await kill();
    await publish(store, out);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('is held by a writer between its runs, and let go of once it is closed, whatever became of the runs', async () => {
    const out = await folder();
    const store = await storeOf(5);
    const stop = new AbortController();
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE, signal: stop.signal });
    expect((await writer.write()).written).toBeGreaterThan(0);
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    stop.abort();
    await expect(writer.write()).rejects.toMatchObject({ code: 'aborted' });
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    await writer.close();
    await writer.close();
    await publish(store, out);
  });

  it('says in a coded error when its file cannot be made', async () => {
    const out = await folder();
    await publish(await storeOf(1), join(out, 'site'));
    await expect(lockFolder(join(out, 'site/index.html'))).rejects.toMatchObject({ code: 'output_failed' });
  });

  it('is no finding of verify, and none of the files', async () => {
    const out = await folder();
    const store = await storeOf(5);
    await publish(store, out);
    expect([...(await digests(out)).keys()]).toContain(LOCK_FILE);
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE });
    const { files, findings } = await verifySnapshot(out);
    expect({ files, findings }).toEqual({ files: 7 + 4 + 8, findings: [] });
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    await writer.close();
  });
});

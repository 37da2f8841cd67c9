import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { FileLogState } from '../../../../src/wings/proofs/operate/state.ts';

const head = (size: number) => ({ origin: 'registers.example/log', size, root: Buffer.alloc(32, size % 256) });

describe('the file of what was signed last', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-log-state-'));
    path = join(folder, 'state');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const opened = async (): Promise<FileLogState> => {
    const state = await FileLogState.open(path);
    assert.ok(state !== null);
    return state;
  };
  const sizeIn = async (uuid: string): Promise<number | undefined> => {
    const state = await opened();
    state.close();
    return state.last(uuid)?.size;
  };

  it('adds one line for a signature, however many logs there are', async () => {
    const state = await opened();
    for (let log = 0; log < 300; log++) await state.remember(`log/${log}`, head(1));
    const before = await stat(path);
    await state.remember('log/7', head(2));
    const after = await stat(path);
    state.close();
    assert.equal(after.ino, before.ino);
    assert.ok(after.size - before.size < 300);
    assert.equal(await sizeIn('log/7'), 2);
    assert.equal(await sizeIn('log/8'), 1);
  });

  it('does not grow without end', async () => {
    const state = await opened();
    for (let size = 0; size < 1000; size++) await state.remember('log', head(size));
    state.close();
    assert.ok((await readFile(path, 'utf8')).split('\n').length < 110);
    assert.equal(await sizeIn('log'), 999);
  });

  it('passes over a line that was being written when the process ended, and goes on', async () => {
    const state = await opened();
    await state.remember('log', head(1));
    await state.remember('log', head(2));
    state.close();
    await appendFile(path, '{"log":"log","si');
    assert.equal(await sizeIn('log'), 2);
    const next = await opened();
    await next.remember('other', head(3));
    next.close();
    assert.equal(await sizeIn('log'), 2);
    assert.equal(await sizeIn('other'), 3);
  });

  it.each([
    ['was removed', () => rm(path)],
    ['was cut', () => writeFile(path, '{"v":3}\n{"orig')],
  ])('is whole after a signature when it %s meanwhile', async (_, harm) => {
    const state = await opened();
    await state.remember('log', head(1));
    await harm();
    await state.remember('other', head(2));
    state.close();
    assert.equal(await sizeIn('log'), 1);
    assert.equal(await sizeIn('other'), 2);
  });

  it('refuses a line that is damaged', async () => {
    await writeFile(path, '{"v":3}\n{"log":"log"}\n');
    await assert.rejects(FileLogState.open(path), { code: 'invalid_option' });
  });
});

import { randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { markProcess } from '../../src/files/process-mark.ts';

it('a mark removes those of processes that have been gone for long, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [running, left, old] = [randomUUID(), randomUUID(), randomUUID()];
  const mark = markProcess(folder, running)!;
  markProcess(folder, left)!.leave();
  markProcess(folder, old)!.leave();
  await writeFile(join(folder, 'gazette-mine.lock'), '');
  for (const name of [running, old, 'mine']) utimesSync(join(folder, `gazette-${name}.lock`), 0, 0);
  const next = markProcess(folder, randomUUID())!;
  next.end();
  const names = [running, left, 'mine'].map((name) => `gazette-${name}.lock`);
  expect((await readdir(folder)).sort()).toEqual(names.sort());
  mark.end();
});

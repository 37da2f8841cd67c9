// `gazette export -` among other programs: pipes that close, signals, files that must be whole.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ending, folder, gazette, start } from './run.ts';
import { until } from '../until.ts';

const DATED = ['export', '-', '--format', 'csv', '--input-format', 'ndjson', '--observed-at', '2026-01-01'];

/** Records as NDJSON, about 400 bytes each. */
function lines(first: number, count: number): string {
  let text = '';
  for (let id = first; id < first + count; id++) {
    text += `${JSON.stringify({ id, title: 'A'.repeat(300), source_url: 'https://example.org/' })}\n`;
  }
  return text;
}

describe('gazette export -', () => {
  it('ends quietly, and stops reading, when nobody reads its output any more', async () => {
    const child = start(DATED);
    const ended = ending(child);
    child.stdout.once('data', () => {
      child.stdout.destroy();
    });
    let written = 0;
    while (!child.stdin.destroyed && written < 1_000_000) {
      const room = child.stdin.write(lines(written, 1000));
      // Either there is room again or the pipe is closed; the latter ends the loop.
      if (!room) await Promise.race([once(child.stdin, 'drain').catch(() => undefined), ended]);
      written += 1000;
    }
    const { code, signal, stderr } = await ended;
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
    expect(written).toBeLessThan(1_000_000);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing half-written when %s ends it', async (signal) => {
    const path = await folder();
    const child = start([...DATED, '--output', join(path, 'out.csv')]);
    const ended = ending(child);
    child.stdin.write(lines(0, 3000));
    await until('a file', async () => (await readdir(path)).length > 0);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: null, signal, stderr: 'gazette: interrupted (aborted)\n' });
    expect(await readdir(path)).toEqual([]);
  });

  it('writes to a file what it writes to standard output, and leaves nothing beside it', async () => {
    const path = await folder();
    const output = join(path, 'out.csv');
    const input = lines(0, 2500);
    expect(await gazette([...DATED, '--output', output], input)).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(path)).toEqual(['out.csv']);
    expect(await readFile(output)).toEqual((await gazette(DATED, input)).stdout);
  });

  it('replaces a file with its rights, and the one behind a link rather than the link', async () => {
    const path = await folder();
    const file = join(path, 'out.csv');
    await writeFile(file, 'the old one');
    await chmod(file, 0o640);
    await symlink(file, join(path, 'link.csv'));
    expect(await gazette([...DATED, '--output', join(path, 'link.csv')], lines(0, 1))).toMatchObject({ code: 0 });
    expect((await readdir(path)).sort()).toEqual(['link.csv', 'out.csv']);
    expect(await readFile(file, 'utf8')).toContain('records:0');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it('makes the file that a link points at, through other links too, where there is none yet', async () => {
    const path = await folder();
    await symlink('out.csv', join(path, 'inner.csv'));
    await symlink('inner.csv', join(path, 'link.csv'));
    expect(await gazette([...DATED, '--output', join(path, 'link.csv')], lines(0, 1))).toMatchObject({ code: 0 });
    expect((await readdir(path)).sort()).toEqual(['inner.csv', 'link.csv', 'out.csv']);
    expect((await lstat(join(path, 'link.csv'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(path, 'out.csv'), 'utf8')).toContain('records:0');
  });

  it('writes into a named pipe instead of replacing it', async () => {
    const path = await folder();
    const pipe = join(path, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const [read, run] = await Promise.all([readFile(pipe, 'utf8'), gazette([...DATED, '--output', pipe], lines(0, 1))]);
    expect(run).toMatchObject({ code: 0 });
    expect(read).toContain('records:0');
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it('says which file cannot be written', async () => {
    const path = await folder();
    const { code, stderr } = await gazette([...DATED, '--output', path], lines(0, 1));
    expect([code, stderr]).toEqual([1, `gazette: ${path} cannot be written: it is a folder (output_failed)\n`]);
  });
});

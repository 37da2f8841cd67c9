import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { placeStaged, replaceFile, stageFile, TEMPORARY_SUFFIX } from '../../src/files/staged-file.ts';
import { makeWhole, WholeFile } from '../../src/files/whole-file.ts';

/** A folder that is gone after the test. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gazette-files-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a whole file', () => {
  it('takes the place of the old one when it is committed, and not before', async () => {
    const place = await folder();
    const path = join(place, 'out.csv');
    await writeFile(path, 'old');
    const file = await WholeFile.open(path);
    await file.write(bytes('ne'));
    await file.write(bytes('w'));
    expect(await readFile(path, 'utf8')).toBe('old');
    await file.commit();
    await file.discard();
    expect([await readFile(path, 'utf8'), await readdir(place)]).toEqual(['new', ['out.csv']]);
  });

  it('leaves nothing behind when it is discarded', async () => {
    const place = await folder();
    const file = await WholeFile.open(join(place, 'out.csv'));
    await file.write(bytes('half'));
    expect(await readdir(place)).toHaveLength(1);
    await file.discard();
    await file.discard();
    expect(await readdir(place)).toEqual([]);
  });

  it('has the permissions of the file that it replaces', async () => {
    const path = join(await folder(), 'out.csv');
    await writeFile(path, 'old', { mode: 0o600 });
    const file = await WholeFile.open(path);
    await file.commit();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is the one that a symbolic link points at, also where that is missing', async () => {
    const [place, elsewhere] = [await folder(), await folder()];
    const target = join(elsewhere, 'target');
    await symlink(target, join(place, 'link'));
    for (const text of ['first', 'second']) {
      const file = await WholeFile.open(join(place, 'link'));
      await file.write(bytes(text));
      await file.commit();
      expect([await readlink(join(place, 'link')), await readFile(target, 'utf8')]).toEqual([target, text]);
    }
    expect([await readdir(place), await readdir(elsewhere)]).toEqual([['link'], ['target']]);
  });

  it('writes to a device directly', async () => {
    const file = await WholeFile.open('/dev/null');
    await file.write(bytes('gone'));
    await file.commit();
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it('says which path cannot be written', async () => {
    const place = await folder();
    const path = join(place, 'no', 'such', 'folder');
    await expect(WholeFile.open(path)).rejects.toMatchObject({ code: 'output_failed', details: { output: path } });
    const full = await WholeFile.open('/dev/full');
    await expect(full.write(bytes('x'))).rejects.toMatchObject({ code: 'output_failed' });
    await full.discard();
  });

  it('leaves the temporary file to be discarded when its place was taken meanwhile', async () => {
    const place = await folder();
    const file = await WholeFile.open(join(place, 'out'));
    await mkdir(join(place, 'out', 'not-empty'), { recursive: true });
    await expect(file.commit()).rejects.toMatchObject({ code: 'output_failed' });
    await file.discard();
    expect(await readdir(place)).toEqual(['out']);
  });
});

describe('a file that others write', () => {
  it('gets its name once it is made', async () => {
    const place = await folder();
    const path = join(place, 'copy.db');
    await makeWhole(path, async (temporary) => {
      await writeFile(temporary, 'made');
      expect(await readdir(place)).not.toContain('copy.db');
    });
    expect([await readFile(path, 'utf8'), await readdir(place)]).toEqual(['made', ['copy.db']]);
  });

  it.each([
    [new Error('disk I/O error'), 'output_failed'],
    [new GazetteError('store_busy', 'locked'), 'store_busy'],
  ])('leaves nothing behind when making it throws %s', async (failure, code) => {
    const place = await folder();
    const made = makeWhole(join(place, 'copy.db'), async (temporary) => {
      await writeFile(temporary, 'half');
      throw failure;
    });
    await expect(made).rejects.toMatchObject({ code });
    expect(await readdir(place)).toEqual([]);
  });
});

describe('a staged file', () => {
  it('waits beside its place until it is placed, its parts one behind the other', async () => {
    const place = await folder();
    const path = join(place, 'page.csv');
    const long = 'x'.repeat(100_000);
    await stageFile(path, ['a', 'b', long, 'c'].map(bytes));
    expect(await readdir(place)).toEqual([`page.csv${TEMPORARY_SUFFIX}`]);
    placeStaged(path);
    expect([await readFile(path, 'utf8'), await readdir(place)]).toEqual([`ab${long}c`, ['page.csv']]);
  });

  it('is replaced whole, or stays with nothing beside it', async () => {
    const place = await folder();
    const path = join(place, 'state.json');
    await replaceFile(path, bytes('1'));
    await replaceFile(path, bytes('2'));
    expect([await readFile(path, 'utf8'), await readdir(place)]).toEqual(['2', ['state.json']]);
    await mkdir(join(place, 'taken', 'not-empty'), { recursive: true });
    await expect(replaceFile(join(place, 'taken'), bytes('3'))).rejects.toMatchObject({ syscall: 'rename' });
    expect(await readdir(place)).toEqual(['state.json', 'taken']);
  });
});

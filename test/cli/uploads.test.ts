// How the service stages what editors upload: in a thread with a connection of its own, as gazette.json says.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Configuration, Given } from '../../src/cli/command.ts';
import { uploadsOf } from '../../src/cli/process/uploads/staging.ts';
import { stageUpload } from '../../src/operate/desk/stage-upload.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { permits } from '../contracts/store-register.ts';
import { gazette } from './run.ts';

/** A store in a file with a register, and a file that was uploaded. */
async function uploaded(
  text: string,
): Promise<{ readonly store: SqliteStore; readonly path: string; readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  const store = SqliteStore.open(join(folder, 'gazette.db'));
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  await store.createRegister(permits());
  const path = join(folder, 'file');
  await writeFile(path, text);
  return { store, path, url: `sqlite:${join(folder, 'gazette.db')}` };
}

function configured(reading: Readonly<Record<string, Given>>): Configuration {
  const register = { definition: permits(), file: null, reading: new Map(Object.entries(reading)), findings: {} };
  return { path: 'gazette.json', settings: new Map(), registers: [register] };
}

const FILE = 'Nr|Name|Datum|amount\n7|Seven|05/04/2026|1,5\n8|Eight|06/04/2026|2,5\n';

const READING = {
  ...{ delimiter: '|', date_format: 'DD/MM/YYYY', decimal_comma: true, order: 'oldest-first' },
  map: ['id=Nr', 'title=Name', 'published_at=Datum', 'source_url=https://example.org/{Nr}'],
};

const AS_USUAL = { chosen: {}, reading: null, maxUnpacked: 1_000_000 };

const going = { signal: new AbortController().signal, onProgress: () => undefined };

describe('what an editor uploads', () => {
  it('is staged in a thread as gazette.json says, and shows its progress', async () => {
    const { store, path, url } = await uploaded(FILE);
    const { uploads, uploadReading } = uploadsOf(url, configured(READING));
    const { folder } = uploads;
    expect(folder.startsWith(join(path, '..', 'gazette-uploads-'))).toBe(true);
    const seen: number[] = [];
    const upload = { feedId: 'permits', path, file: 'week 17.csv', who: 'anna', ...AS_USUAL };
    const number = await uploadReading.stage(upload, { ...going, onProgress: (records) => seen.push(records) });
    expect(seen.at(-1)).toBe(2);
    const entry = await store.imports.find('permits', number);
    expect(entry).toMatchObject({
      state: 'proposed',
      file: 'week 17.csv',
      who: 'anna',
      counts: { added: 2, refused: 0 },
    });
    const kept = await store.imports.proposals.records(number, 1);
    expect(kept.map(({ id }) => id)).toEqual(['permits:7', 'permits:8']);
    expect(JSON.stringify(kept)).toContain('2026-04-05');
  });

  it('fails with the error of the import, and names the file as the editor does', async () => {
    const { path, url } = await uploaded('%PDF-1.7\n');
    const { stage } = uploadsOf(url, null).uploadReading;
    const failure = stage({ feedId: 'permits', path, file: 'a.pdf', who: 'anna', ...AS_USUAL }, going);
    await expect(failure).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(failure).rejects.toThrow(/^a\.pdf is a PDF/);
    await expect(stage({ feedId: 'none', path, file: 'a.pdf', who: 'anna', ...AS_USUAL }, going)).rejects.toMatchObject(
      {
        code: 'unknown_feed',
      },
    );
  });

  it('is read at the command line as was chosen at the desk, but for what an option says', async () => {
    const { store, path, url } = await uploaded(FILE);
    const chosen = { delimiter: '|', map: ['title=amount'], dateFormat: 'DD/MM/YYYY', withdrawMissing: true };
    const number = await stageUpload(
      store,
      { ...AS_USUAL, feedId: 'permits', path, file: 'a.csv', who: 'anna', chosen },
      { ...going, usual: null },
    );
    await new Imports(store).approve('permits', number, { who: 'anna' });
    const import_ = async (...options: readonly string[]) => {
      const { stdout, stderr } = await gazette([
        'import',
        'permits',
        path,
        '--format',
        'csv',
        '--store',
        url,
        ...options,
      ]);
      return { stdout: stdout.toString(), stderr };
    };
    const again = await import_();
    expect(again.stderr).toContain('the file is read as was chosen for this register at the desk');
    expect(again.stdout).toContain('added 0, changed 0, unchanged 2,');
    expect((await import_('--map', 'title=Name')).stdout).toContain('added 0, changed 2, unchanged 0,');
    await writeFile(path, FILE.split('\n').slice(0, 2).join('\n'));
    const kept = await import_('--map', 'title=Name', '--no-withdraw-missing');
    expect(kept.stdout).toContain('unchanged 1, withdrawn 0,');
    expect((await import_('--map', 'title=Name')).stdout).toContain('unchanged 1, withdrawn 1,');
  });

  it('fails where no row of it can be taken, with the reason of the first, and leaves no proposal', async () => {
    const { store, path, url } = await uploaded(FILE.replaceAll('/2026', '/26x'));
    const { stage } = uploadsOf(url, configured(READING)).uploadReading;
    const failure = stage({ feedId: 'permits', path, file: 'a.csv', who: 'anna', ...AS_USUAL }, going);
    await expect(failure).rejects.toThrow(/^a\.csv: all 2 records were refused, the first: .*line 2: .*published_at/);
    const [last] = await store.imports.list('permits', { limit: 1 });
    expect(last).toMatchObject({ state: 'failed', error: 'invalid_input', decidedBy: null });
  });

  it('is looked at in a thread as one of which a register may be made', async () => {
    const { path, url } = await uploaded(FILE);
    const { plan } = uploadsOf(url, null).uploadReading;
    const planned = { ...AS_USUAL, path, file: 'Offene Bescheide.csv', chosen: { map: ['title=Name'] } };
    const found = await plan(planned, going);
    expect(found).toMatchObject({ feedId: 'offene-bescheide', title: 'Offene Bescheide', access: 'open' });
    expect(found.answer.first.map(({ title }) => title)).toEqual(['Seven', 'Eight']);
    await expect(plan({ ...planned, chosen: { delimiter: 'no' } }, going)).rejects.toThrow(/delimiter/);
  });

  it('is left out when the service stops, and others can work on its register at once', async () => {
    const { store, path, url } = await uploaded(FILE);
    const { stage } = uploadsOf(url, configured(READING)).uploadReading;
    const stopped = stage(
      { feedId: 'permits', path, file: 'a.csv', who: 'anna', ...AS_USUAL },
      { ...going, signal: AbortSignal.abort() },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(await store.leases.find('permits')).toBeNull();
  });
});

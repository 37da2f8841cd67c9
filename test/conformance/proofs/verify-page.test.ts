// verify.html of a snapshot in Chromium: a folder on a plain static server, below another address than the one it was made for, under
// the policies that it states itself, and from a disk.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../../src/snapshot/run.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { formatVerifierKey, parseVerifierKey, signerOf } from '../../../src/wings/proofs/tlog/keys.ts';
import { gazette } from '../../cli/run.ts';
import { SAMPLE_DEFINITION } from '../../contracts/sample-register.ts';
import { addSamples } from '../../world.ts';
import { logsOf } from '../../wings/proofs/logs-of.ts';
import { sign, signLogOfLogs } from '../../wings/proofs/signing.ts';
import { faults, keyboard, violations } from '../pages/audit.ts';
import { type Chromium, launch, noChromium, type Page, watch, type Watched } from '../pages/chromium.ts';
import { hostFolder, type StaticHost } from '../pages/static-host.ts';

const RECORDS = 650;

describe.skipIf(noChromium !== null)(`verify.html of a snapshot (${noChromium ?? 'in Chromium'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-verify-page-'));
  const [whole, earlier, site] = [join(folder, 'whole'), join(folder, 'earlier'), join(folder, 'site')];
  let browser: Chromium;
  let host: StaticHost;
  let origin: string;
  let watched: Watched;
  let page: Page;
  let vkey: string;

  beforeAll(async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister({ ...SAMPLE_DEFINITION, access: 'open' });
    await addSamples(store, 1, RECORDS);
    await sign(store, 'permits');
    await writeSnapshot({ store, out: earlier, baseUrl: 'https://registers.example.org/somewhere' });
    await addSamples(store, 20, 20, '2026-10-02T10:00:00Z', { title: 'Corrected </script> <b>&amp;' });
    await store.withdraw('permits', ['permits:2026-0021'], { recordedAt: '2026-10-02T11:00:00Z' });
    await sign(store, 'permits');
    await signLogOfLogs(store);
    vkey = (await logsOf(store).of('permits')).vkey!;
    await writeSnapshot({ store, out: whole, baseUrl: 'https://registers.example.org/somewhere' });
    await store.close();
    host = await hostFolder(site, whole);
    ({ origin } = host);
    browser = await launch({ runsLong: true });
    watched = await watch(browser, origin);
    page = await watched.open();
  });

  afterAll(async () => {
    await browser.close();
    host.close();
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    rmSync(site, { recursive: true, force: true });
    cpSync(whole, site, { recursive: true });
  });

  /** Changes a file of the folder. */
  function change(name: string, edit: (text: string) => string): void {
    const path = join(site, name);
    const before = readFileSync(path, 'latin1');
    const after = edit(before);
    expect([name, after === before]).toEqual([name, false]);
    writeFileSync(path, after, 'latin1');
  }

  /** What the page says once it has checked. */
  async function result(search = '', key = vkey): Promise<{ readonly headline: string; readonly text: string }> {
    await page.goto('about:blank');
    await page.goto(`${host.addressOf('')}verify.html${search}#${key}`);
    return read();
  }

  async function read(): Promise<{ readonly headline: string; readonly text: string }> {
    await page.locator('#result').waitFor();
    return {
      headline: await page.locator('#result').innerText(),
      text: await page.locator('[data-verify] section').innerText(),
    };
  }

  it('proves every word of a register, and shows the proved records', async () => {
    const { headline, text } = await result();
    expect(headline).toBe('649 records: every word as signed');
    expect(text).toContain('Up to change 652 of the log registers.example.org/api/v1/feeds/permits/log/');
    expect(await page.locator('.records li').count()).toBe(200);
    expect(await page.locator('[role=alert]').count()).toBe(0);
    expect(watched.complaints).toEqual([]);
    expect(await faults(page, 'verify')).toEqual([]);
    expect(await keyboard(page)).toEqual([]);
  });

  it('shows one record, to which the title in its page leads, and saves it as evidence', async () => {
    await page.goto(host.addressOf('permits/pages/000001.html'));
    await page.getByRole('link', { name: /^Corrected/ }).click();
    await page.waitForURL(/record=permits/);
    expect(new URL(page.url()).search).toBe('?page=pages%2F000001&record=permits%3A2026-0020');
    await page.getByLabel('Key of the register’s log').fill(vkey);
    await page.getByRole('button', { name: 'Check' }).click();
    const { headline, text } = await read();
    expect(headline).toBe('Corrected </script> <b>&amp;');
    expect(text).toMatch(
      /Version 2 \(the source changed\), recorded at 2026-10-02T10:00:00Z: signed as change 651 of 652 of/,
    );
    expect(text).toContain('Wasserwerk 20 — 水');
    expect(await faults(page, 'verify-record')).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save as evidence' }).click();
    const saved = await (await download).path();
    expect((await download).suggestedFilename()).toBe('permits_2026-0020.html');
    const evidence = join(folder, 'evidence.html');
    cpSync(saved, evidence);
    const { code, stdout, stderr } = await gazette(['verify', evidence, '--vkey', vkey]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatch(
      /^proved: version 2 of permits:2026-0020: source_change, recorded at 2026-10-02T10:00:00Z\nsigned: change 651 of 652 of /,
    );
    expect(stdout.toString()).toContain('Corrected </script> <b>&amp;');
    const local = await watch(browser, 'file://');
    const tab = await local.open();
    await tab.goto(pathToFileURL(evidence).href);
    expect(await tab.locator('h1').innerText()).toBe('Corrected </script> <b>&amp;');
    expect(await violations(tab)).toEqual([]);
    expect([...local.complaints, ...watched.complaints]).toEqual([]);
    await local.context.close();
  });

  it('finds a record without its page, and says where there is no proof of it', async () => {
    expect((await result('?record=permits:2026-0500')).headline).toMatch(/^Permit 500/);
    for (const id of ['permits:2026-0021', 'permits:none'])
      expect(await result(`?record=${id}`)).toMatchObject({
        headline: 'Not proved',
        text: expect.stringContaining('does not have') as string,
      });
  });

  it.each<readonly [what: string, file: string, edit: (text: string) => string, said: RegExp]>([
    [
      'a title',
      'permits/pages/000001.json',
      (text) => text.replace('Permit 7:', 'Permit 8:'),
      /^648 of 649.*\nOther words[^\n]*: 1\./s,
    ],
    [
      'the title of a record of two pages, in one of them',
      'permits/index.json',
      (text) => text.replace('Permit 550:', 'Permit 551:'),
      /^648 of 649.*\nOther words[^\n]*: 1\./s,
    ],
    [
      'a value, which is left out',
      'permits/index.json',
      (text) => text.replace(/("position":550,.*?"amount":)[\d.]+/, '$1null'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'a value',
      'permits/pages/000001.json',
      (text) => text.replace('"amount":8.75', '"amount":9.75'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'a date',
      'permits/pages/000001.json',
      (text) => text.replace('2026-05-01T', '2026-05-02T'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'a key',
      'permits/pages/000001.json',
      (text) => text.replace('"key":"2026-0007"', '"key":"2026-0008"'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'a field that is not stated',
      'permits/pages/000001.json',
      (text) => text.replace('"data":{', '"data":{"x":1,'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'the words and their proof',
      'permits/pages/000001.proof.ndjson',
      (text) => text.replaceAll('Permit 7:', 'Permit 8:'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'an entry beside a record',
      'permits/pages/000001.proof.ndjson',
      (text) => text.replace('\\"v\\":1', '\\"v\\":2'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'the salts of two records',
      'permits/pages/000001.proof.ndjson',
      (text) => {
        const [one, other] = [...text.matchAll(/"salt":"([^"]*)"/g)].map(([, salt]) => salt!);
        return text.replace(one!, 'X').replace(other!, one!).replace('X', other!);
      },
      /^647 of 649.*: 2\./s,
    ],
    [
      'the proof of a record, which is gone',
      'permits/pages/000001.proof.ndjson',
      (text) => text.slice(text.indexOf('\n') + 1),
      /^648 of 649.*Not proved: 1\./s,
    ],
    [
      'a record, which is gone',
      'permits/pages/000001.json',
      (text) => text.replace(/"records":\[\{.*?\}\},/, '"records":['),
      /^648 of 648.*Missing: 1\./s,
    ],
    [
      'a record, which is there twice',
      'permits/pages/000001.json',
      (text) => text.replace(/"records":\[(\{.*?\}\},)/, '"records":[$1$1'),
      /^648 of 649.*: 1\./s,
    ],
    [
      'a record of another page',
      'permits/pages/000001.json',
      (text) => text.replace('"position":100,', '"position":101,'),
      /Other words/s,
    ],
    [
      'an entry of the log',
      `permits/log/LOG/tile/entries/000`,
      (text) => text.replace('2026-05-01', '2026-05-02'),
      /^Not proved\n.*The log in this folder is not/s,
    ],
    ['the length of an entry', `permits/log/LOG/tile/entries/000`, (text) => `\xff${text.slice(1)}`, /^Not proved\n/s],
    [
      'the checkpoint',
      'permits/log/LOG/checkpoint',
      (text) => text.replace('\n652\n', '\n653\n'),
      /^Not proved\n.*not signed with this key/s,
    ],
    [
      'the manifest',
      'permits/manifest.json',
      (text) => text.slice(0, 100),
      /^Not proved\n.*manifest\.json is not as it was written/s,
    ],
  ])('says that it does not say what was signed: %s', async (_, file, edit, said) => {
    change(file.replace('LOG', readdirSync(join(site, 'permits/log'))[0]!), edit);
    const { headline, text } = await result();
    expect(headline).not.toBe('649 records: every word as signed');
    expect(text).toMatch(said);
    expect(await page.locator('[role=alert]').count()).toBeGreaterThan(0);
  });

  it('names records of a page of an earlier run, one that was corrected and one that was withdrawn since', async () => {
    for (const ending of ['json', 'proof.ndjson'])
      cpSync(join(earlier, `permits/pages/000001.${ending}`), join(site, `permits/pages/000001.${ending}`));
    const { text } = await result();
    expect(text).toMatch(
      /^648 of 650 records: every word as signed\n.*an older version, or one that was withdrawn: 2\./s,
    );
    expect(await page.locator('section h3').allInnerTexts()).toEqual([
      'Record at position 21',
      'Record at position 20',
      'The records, as they were signed',
    ]);
    for (const [id, newer] of [
      ['permits:2026-0020', 'change 651 of the log (the source changed) was recorded at 2026-10-02T10:00:00Z'],
      ['permits:2026-0021', 'change 652 of the log (withdrawn by the publisher) was recorded at 2026-10-02T11:00:00Z'],
    ]) {
      const one = await result(`?page=pages/000001&record=${id}`);
      expect(one.text).toMatch(/\nVersion 1 /);
      expect(one.text).toContain(`Not the newest: after this, ${newer}`);
    }
    await result('?record=permits:2026-0022');
    expect(await page.locator('[role=alert]').count()).toBe(0);
  });

  it('refuses another key, and a record alone that is not what was signed', async () => {
    const { name } = parseVerifierKey(vkey);
    const other = formatVerifierKey(signerOf(name, 'log', Buffer.alloc(32, 1)));
    expect((await result('', other)).text).toContain('is not signed with this key');
    expect((await result('', `${vkey}A`)).text).toContain('This is no key');
    change('permits/pages/000001.proof.ndjson', (text) => text.replaceAll('Permit 7:', 'Permit 8:'));
    expect((await result('?record=permits:2026-0007&page=pages/000001')).text).toContain('is not what was signed');
  });

  it('says of a public folder what it does not prove', async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister({ ...SAMPLE_DEFINITION, language: 'de' });
    await addSamples(store, 1, 150);
    await sign(store, 'permits');
    rmSync(site, { recursive: true });
    await writeSnapshot({ store, out: site, baseUrl: 'https://registers.example.org/somewhere' });
    const { headline, text } = await result('', (await logsOf(store).of('permits')).vkey!);
    await store.close();
    expect(headline).toBe('3 von 150 Einträgen: jedes Wort wie unterschrieben');
    expect(text).toContain('Nicht bewiesen: 147.');
    expect(await faults(page, 'verify-german')).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.goto(host.addressOf('permits/index.html'));
    expect(await page.locator('th a').count()).toBe(0);
  });

  it('checks a folder from a disk, which its reader chooses, and says that she has to', async () => {
    const local = await watch(browser, 'file://');
    const tab = await local.open();
    await tab.goto(`${pathToFileURL(join(site, 'verify.html')).href}#${vkey}`);
    await tab.locator('#result').waitFor();
    expect(await tab.locator('[data-verify] section').innerText()).toContain('choose the folder above');
    await tab.getByLabel('The folder with this page:').setInputFiles(site);
    await tab.getByText('649 records: every word as signed').waitFor();
    expect(local.complaints).toEqual([]);
    await local.context.close();
  });
});

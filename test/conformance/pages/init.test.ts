// An operator's first day, in Chromium: `gazette init` on three messy files, every question answered with Enter, and then the pages
// that it serves of them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/main.ts';
import { NESTED, OFFICE, workbook } from '../../cli/office-files.ts';
import { folder } from '../../cli/run.ts';
import { faults } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, watch } from './chromium.ts';

/** A service that `gazette init` has started. */
interface Started {
  readonly origin: string;
  /** Ends it. @returns its exit code */
  stop(): Promise<number>;
}

/** What is read on the page of a record: its own fields by their labels, as they are shown. */
interface Shown {
  readonly title: string;
  readonly published: string;
  /** Null: it is not known. */
  readonly source: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

/** The file, its name, and what a reader of which language sees of it. */
const FILES: readonly {
  readonly name: string;
  readonly content: () => string | Uint8Array | Promise<Uint8Array>;
  readonly locale: string;
  readonly register: string;
  readonly titles: readonly string[];
  /** The oldest record. */
  readonly shown: Shown;
}[] = [
  {
    name: 'Bescheide Übersee.csv',
    content: () => OFFICE,
    locale: 'de-DE',
    register: 'Bescheide der Gemeinde Übersee',
    titles: ['Abriß', 'Umbau; Anbau', 'Erweiterung'],
    shown: {
      title: 'Erweiterung',
      published: '17. April 2026',
      // No column has it: init says so, and the page does too.
      source: null,
      fields: { Gebühr: '1.234,5', PLZ: '01234', Schlüssel: '2026/1' },
    },
  },
  {
    name: 'discharges.xlsx',
    content: workbook,
    locale: 'en-GB',
    register: 'Discharges, 2026',
    titles: ['Brewery', 'Mill'],
    shown: {
      title: 'Mill',
      published: '3 February 2026',
      source: 'https://exampleton.example/d/1',
      fields: { Volume: '12.5', Key: 'D-1' },
    },
  },
  {
    name: 'water.json',
    content: () => JSON.stringify(NESTED),
    locale: 'en-GB',
    register: 'Water',
    titles: ['Ford', 'Weir'],
    shown: {
      title: 'Weir',
      published: '1 March 2026',
      source: 'https://exampleton.example/w/7',
      fields: { depth: '1.5', Key: 'W/7' },
    },
  },
];

/** Runs `gazette init FILE` at a terminal whose user only ever presses Enter, until it serves. */
async function accepted(file: string, at: string): Promise<Started> {
  const stop = new AbortController();
  let said = '';
  let isServed: (origin: string) => void = () => undefined;
  const served = new Promise<string>((resolve) => (isServed = resolve));
  const hear = (chunk: Buffer, _: string, done: () => void): void => {
    said += chunk.toString();
    const origin = /serving .* on (http:\/\/[^/\s]+)/.exec(said)?.[1];
    if (origin !== undefined) isServed(origin);
    done();
  };
  const terminal = {
    stdin: Object.assign(Readable.from([Buffer.from('\n'.repeat(20))]), { isTTY: true }),
    stdout: new Writable({ write: hear }),
    stderr: Object.assign(new Writable({ write: hear }), { isTTY: true }),
    env: {},
  };
  const options = ['--config', join(at, 'gazette.json'), '--store', join(at, 'gazette.db'), '--port', '0'];
  const ended = run(['init', file, ...options], terminal, stop.signal);
  const origin = await Promise.race([served, ended.then((code) => `exit code ${code}: ${said}`)]);
  expect(origin).toMatch(/^http:/);
  return {
    origin,
    stop() {
      stop.abort();
      return ended;
    },
  };
}

/** What the page of a record shows. */
async function shownOn(page: Page, names: readonly string[]): Promise<Shown> {
  const labels = await page.locator('.fields dt').allInnerTexts();
  const values = await page.locator('.fields dd').allInnerTexts();
  const all = new Map(labels.map((label, at) => [label.split('\n')[0]!.trim(), values[at]!.trim()]));
  return {
    title: (await page.locator('h1').innerText()).trim(),
    published: (await page.locator('.dates time').first().innerText()).trim(),
    source:
      (await page.locator('.source a').count()) === 0 ? null : await page.locator('.source a').getAttribute('href'),
    fields: Object.fromEntries(names.map((name) => [name, all.get(name) ?? `missing among ${[...all.keys()].join()}`])),
  };
}

describe.skipIf(noChromium !== null)(`an operator's first day (${noChromium ?? 'in Chromium'})`, () => {
  let browser: Chromium;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser.close());

  it.each(FILES)('serves $name as it is meant, with every default accepted', async (file) => {
    const at = await folder();
    const path = join(at, file.name);
    await writeFile(path, await file.content());
    const service = await accepted(path, at);
    const watched = await watch(browser, service.origin, { locale: file.locale });
    const page = await watched.open();
    await page.goto(`${service.origin}/`);
    await page.getByRole('link', { name: file.register }).click();
    expect(await faults(page, `init-${file.register}`)).toEqual([]);
    expect(await page.locator('h1').innerText()).toBe(file.register);
    expect(await page.locator('.sheet tbody th').allInnerTexts()).toEqual(file.titles);
    await page.locator('.sheet tbody th a').last().click();
    expect(await faults(page, `init-${file.register}-record`)).toEqual([]);
    expect(await shownOn(page, Object.keys(file.shown.fields))).toEqual(file.shown);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
    expect(await service.stop()).toBe(0);
  });
});

// What a browser makes of entries whose publisher left markup open, and of any other HTML that feeds carry.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rss } from '../../src/formats/feeds/rss.ts';
import { readRssWithSaxes } from '../contracts/feed-entries.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';
import { markups } from '../formats/feeds/markups.ts';
import { UNCLOSED } from '../formats/feeds/unclosed.ts';
import { CHROMIUM, missing, program } from './tools.ts';

const ARBITRARY = 500;

/** Runs in the page: puts each content into an element of its own, and says what is shown last. */
const JUDGE = `
  const shown = contents.map((content) => {
    const entry = document.body.appendChild(document.createElement('article'));
    entry.innerHTML = content;
    const link = entry.lastElementChild?.lastElementChild;
    const box = link?.getBoundingClientRect();
    const ran = window.ran === true;
    entry.remove();
    return ran ? 'ran' : box?.height > 0 && link.parentElement.tagName === 'P' ? link.href : 'hidden';
  });
  document.title = JSON.stringify(shown);`;

const chromium = missing(CHROMIUM, '--version');

it.skipIf(chromium !== null)(`HTML of entries shows its source (${chromium ?? 'in Chromium'})`, async () => {
  const given = [...UNCLOSED.map(([, content]) => content), ...fc.sample(markups(), { numRuns: ARBITRARY, seed: 13 })];
  const content = (text: string): string => `<img src=x onerror="window.ran = true">${text}`;
  const records = given.map((text) => sampleRecord(7, { content: content(text), content_type: 'html' }));
  const entries = readRssWithSaxes(await encodeAll(rss, SAMPLE_HEAD, pagesOfSize(records)));
  const contents = JSON.stringify(entries.map((entry) => entry.content)).replaceAll('<', String.raw`\u003c`);

  const folder = await mkdtemp(join(tmpdir(), 'gazette-feed-html-'));
  try {
    const page = join(folder, 'page.html');
    await writeFile(
      page,
      `<!DOCTYPE html><meta charset=utf-8><body><script>const contents = ${contents};${JUDGE}</script>`,
    );
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`];
    const dom = await program(CHROMIUM, ...flags, '--dump-dom', pathToFileURL(page).href);
    const title = /<title>(.*?)<\/title>/s.exec(dom)![1]!.replaceAll('&amp;', '&');
    expect(JSON.parse(title)).toEqual(records.map(({ source_url }) => source_url));
  } finally {
    await rm(folder, { recursive: true });
  }
});

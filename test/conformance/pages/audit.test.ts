// The judge of pages before a page with every fault: a judge who says nothing there would say nothing anywhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyboard, onPaper, overflow, violations } from './audit.ts';
import { type Chromium, launch, noChromium, type Watched, watch } from './chromium.ts';

const ORIGIN = 'http://pages.test';

const FAULTY = `<!DOCTYPE html><html><head><title>Faulty</title><meta charset="utf-8">
<style>
  body { color: #eee; background: #111; } .pale { color: #222; } .wide { width: 2000px; }
  .cut { width: 40px; overflow: hidden; white-space: nowrap; } a:focus { outline: none; }
</style></head>
<body><h1>Faulty</h1><h4>Out of order</h4><p class="pale">Hardly to be read</p><p class="wide">Too wide</p><p class="cut">cut off at the side</p>
<a href="/a">No focus to be seen</a> <input name="q"> <button tabindex="-1">Never reached</button>
<img src="http://elsewhere.test/pixel.gif">
<script>console.error('a complaint'); alert(1); undefinedFunction();</script></body></html>`;

const SOUND = `<!DOCTYPE html><html lang="en"><head><title>Sound</title><meta charset="utf-8">
<meta name="viewport" content="width=device-width"></head>
<body><main><h1>Sound</h1><p>Nothing is wrong. <a href="/a">A link</a></p></main></body></html>`;

describe.skipIf(noChromium !== null)(`the judge of pages (${noChromium ?? 'in Chromium'})`, () => {
  let browser: Chromium;
  let watched: Watched;

  beforeAll(async () => {
    browser = await launch();
    watched = await watch(browser, ORIGIN, { viewport: { width: 320, height: 700 } });
    await watched.elsewhere(`${ORIGIN}/faulty`, FAULTY);
    await watched.elsewhere(`${ORIGIN}/sound`, SOUND);
  });

  afterAll(() => browser.close());

  it('finds every fault', async () => {
    const page = await watched.open();
    await page.goto(`${ORIGIN}/faulty`);
    const rules = (await violations(page)).map((line) => line.slice(0, line.indexOf(' ')));
    expect(rules).toEqual(
      expect.arrayContaining(['color-contrast', 'heading-order', 'html-has-lang', 'image-alt', 'label', 'region']),
    );
    expect((await violations(page, 'colours')).map((line) => line.slice(0, line.indexOf(' ')))).toContain(
      'color-contrast',
    );
    const wide = await overflow(page);
    expect(wide[0]).toMatch(/^the page is \d+ wide$/);
    expect(wide.join()).toContain('cut off: p.cut');
    expect(await keyboard(page)).toEqual([
      'shows no focus: a "No focus to be seen"',
      'is never reached: button "Never reached"',
    ]);
    const paper = (await onPaper(page)).join();
    for (const fault of ['dark paper', 'light ink', 'a control: input q']) expect(paper).toContain(fault);
    const complaints = watched.complaints.join();
    for (const fault of [
      'asked another host: GET http://elsewhere.test/',
      'a complaint',
      'undefinedFunction',
      'dialogue: 1',
    ])
      expect(complaints).toContain(fault);
    watched.complaints.length = 0;
    await page.close();
  });

  it('finds nothing where nothing is', async () => {
    const page = await watched.open();
    await page.goto(`${ORIGIN}/sound`);
    for (const found of [await violations(page), await overflow(page), await keyboard(page), await onPaper(page)])
      expect(found).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.close();
  });
});

// What every page must be, whatever it shows: asked of a page that is open in Chromium.
import { axeSource, type Context, type Page, type Scheme } from './chromium.ts';
import { paint } from './screenshots.ts';

/** The widths, in CSS pixels, from WCAG 2.2's narrowest (1.4.10) to a wide screen. */
const WIDTHS = [320, 768, 1600] as const;

/** Both colour schemes. */
export const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/** Levels A and AA of WCAG 2.0 to 2.2, and what axe-core calls best practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules about colours. Another colour scheme is other colours and nothing else, so it is asked about them alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** More than any page may take, in bytes. */
export const PAGE_BYTES = 60_000;

/** The most stops of one control. */
const MAX_STOPS = 5;

const ALL_REACHED = 'window.controls.every((element) => window.reached.has(element))';

interface AxeResult {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

let axe: string | undefined;

/** Waits until a page is painted again: one that follows the reader's colour scheme by a script has then heard of it. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
}

/** Makes axe-core ready in every page that a context opens from now on, which takes half as long as in each by itself. */
export async function readyInAll(context: Context): Promise<void> {
  axe ??= axeSource();
  await context.addInitScript(axe);
}

/** Makes axe-core ready in a page that has just been opened. */
async function ready(page: Page): Promise<void> {
  axe ??= axeSource();
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(`${axe}; undefined`);
}

/** What axe-core finds in a page as it is shown: a line for each element. @param rules only those about colours. Default: all */
export async function violations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  await ready(page);
  const asked = rules === 'all' ? RULES : { type: 'rule', values: COLOUR_RULES };
  const found = await page.evaluate<readonly AxeResult[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(asked)}, resultTypes: ['violations'], preload: false }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const why = failureSummary.split('\n').slice(1).join(' ').trim();
      return `${id} (${help}): ${JSON.stringify(target)} ${why}`;
    }),
  );
}

/**
 * Looks at the page that is open at every width and in both colour schemes: what axe-core finds, and what sticks out. Where
 * screenshots were asked for, it is painted.
 */
export async function faults(page: Page, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  await page.waitForLoadState();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ media: 'screen', colorScheme });
      const lines = await violations(page, colorScheme === 'light' ? 'all' : 'colours');
      found.push(...lines.map((line) => `${name}, ${width}, ${colorScheme}: ${line}`));
      await paint(page, `${name}-${width}-${colorScheme}`);
    }
    found.push(...(await overflow(page)).map((line) => `${name}, ${width}: ${line}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/**
 * What sticks out of the page at the side, at the width it has now: the page scrolls sideways, or an element cuts its own
 * text off. Elements that scroll by themselves (wide tables, listings) are no harm, nor is what is there for screen readers alone.
 */
export async function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const name = (element) => element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') +
      (element.className ? '.' + String(element.className).replaceAll(' ', '.') : '') +
      ' "' + element.textContent.trim().slice(0, 40) + '"';
    const scrolls = (element) => {
      for (let each = element.parentElement; each !== null; each = each.parentElement) {
        if (each !== document.documentElement && each !== document.body && getComputedStyle(each).overflowX !== 'visible') return true;
      }
      return false;
    };
    const found = [];
    if (document.documentElement.scrollWidth > width) found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
    for (const element of document.body.querySelectorAll('*')) {
      const box = element.getBoundingClientRect();
      if (box.width <= 1 || box.height <= 1) continue;
      const style = getComputedStyle(element);
      if ((box.right > width + 1 || box.left < -1) && !scrolls(element) && style.position !== 'absolute') found.push('sticks out: ' + name(element));
      if (!element.matches('input, textarea, select') && ['hidden', 'clip'].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1) found.push('cut off: ' + name(element));
    }
    return found.slice(0, 5);
  })()`);
}

/**
 * Goes through a page with the tabulator: what can be used but is never reached, and what shows no focus when it has it
 * (WCAG 2.1.1, 2.4.7, 2.4.11).
 */
export async function keyboard(page: Page): Promise<readonly string[]> {
  const stops = await page.evaluate<number>(`(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    window.reached = new Set();
    window.controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.closest('[inert]') === null)
      // One button of a group of radio buttons is a stop; arrows reach the others.
      .filter((element) => element.type !== 'radio' || element.checked ||
        (document.querySelector('input[type=radio][name="' + CSS.escape(element.name) + '"]:checked') === null &&
         document.querySelector('input[type=radio][name="' + CSS.escape(element.name) + '"]') === element));
    const look = (element) => { const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, color, textDecoration } = getComputedStyle(element);
      return [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor, boxShadow, borderColor, backgroundColor, color, textDecoration].join('|'); };
    window.looks = new Map(window.controls.map((element) => [element, look(element)]));
    window.found = [];
    document.addEventListener('focusin', ({ target: element }) => {
      if (window.reached.has(element)) return;
      window.reached.add(element);
      const box = element.getBoundingClientRect();
      const name = element.tagName.toLowerCase() + ' "' + (element.textContent.trim() || element.name || '').slice(0, 40) + '"';
      if (look(element) === window.looks.get(element)) window.found.push('shows no focus: ' + name);
      if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) window.found.push('has the focus out of sight: ' + name);
    });
    return window.controls.length;
  })()`);
  // Some controls are several stops: the parts of a date.
  for (let stop = 0; stop < stops * MAX_STOPS; stop++) {
    await page.keyboard.press('Tab');
    if (stop % stops === stops - 1 && (await page.evaluate<boolean>(ALL_REACHED))) break;
  }
  const found = await page.evaluate<readonly string[]>('window.found');
  const missed = await page.evaluate<readonly string[]>(
    `window.controls.filter((element) => !window.reached.has(element)).map((element) => element.tagName.toLowerCase() + ' "' + (element.textContent.trim() || element.name || '').slice(0, 40) + '"')`,
  );
  return [...found, ...missed.map((name) => `is never reached: ${name}`)];
}

/** What is wrong with a page on paper, A4 with margins: dark paper, light ink, controls that nobody can press. */
export async function onPaper(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 690, height: 1000 });
  const found = await page.evaluate<readonly string[]>(`(() => {
    const found = [];
    const light = (colour) => { const [r, g, b, a = '1'] = colour.match(/[\\d.]+/g) ?? []; return { of: (Number(r) + Number(g) + Number(b)) / 3, a: Number(a) }; };
    const paper = [document.documentElement, document.body].map((element) => light(getComputedStyle(element).backgroundColor));
    if (paper.some(({ of, a }) => a > 0 && of < 200)) found.push('dark paper');
    const heading = document.querySelector('h1');
    if (heading === null || !heading.checkVisibility()) found.push('no heading');
    else if (light(getComputedStyle(heading).color).of > 120) found.push('light ink');
    for (const control of document.querySelectorAll('button, input, select, textarea'))
      if (control.checkVisibility() && control.type !== 'hidden') found.push('a control: ' + control.tagName.toLowerCase() + ' ' + (control.textContent.trim() || control.name));
    return found.slice(0, 5);
  })()`);
  const wide = await overflow(page);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  return [...found, ...wide].map((line) => `on paper: ${line}`);
}

// Chromium for tests of pages, driven by playwright-core. Every context watches its pages: a request to another host, a
// violation of the content security policy, an error in the console, a failed script or a dialogue is a complaint, and the
// test that finds one fails.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHROMIUM, loadJudge, missing } from '../tools.ts';

/** As root in a container, and without the browser's own errands on the network. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/**
 * Without the compilers of what runs often. A look at a page that has just been opened takes a seventh less of processor time
 * so; what a page runs for seconds takes half as long again.
 */
const WITHOUT_COMPILERS = '--js-flags=--no-opt --no-maglev';

/** Why there is no browser here, as a test's title says it; null where there is one. */
export const noChromium: string | null = missing(CHROMIUM, '--version');

/** What is used of playwright-core. */
interface Playwright {
  readonly chromium: {
    launch(options: {
      readonly executablePath: string;
      readonly headless: boolean;
      readonly args: readonly string[];
    }): Promise<Chromium>;
  };
}

/** A running browser. */
export interface Chromium {
  newContext(options: ContextOptions): Promise<Context>;
  close(): Promise<void>;
}

/** How a context looks at pages. */
export interface ContextOptions {
  /** The reader's language, such as `de-DE`: also what `Accept-Language` says. */
  readonly locale?: string;
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: Scheme;
  readonly viewport?: Size;
  readonly permissions?: readonly string[];
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/** A colour scheme that a reader prefers. */
export type Scheme = 'light' | 'dark';

/** A size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A browser's context: its own cookies, its own cache. */
export interface Context {
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<{ send(method: string, parameters?: object): Promise<unknown> }>;
  route(pattern: string, handler: (route: Route, request: Request) => Promise<void>): Promise<void>;
  addInitScript(script: string): Promise<void>;
  addCookies(
    cookies: readonly { readonly name: string; readonly value: string; readonly url: string }[],
  ): Promise<void>;
  cookies(): Promise<readonly Cookie[]>;
  clearCookies(): Promise<void>;
  on(event: 'page', listener: (page: Page) => void): void;
  close(): Promise<void>;
}

/** A cookie, as the browser keeps it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: string;
}

/** A request that the browser is about to send. */
export interface Route {
  continue(): Promise<void>;
  abort(): Promise<void>;
  /** What the server answers. */
  fetch(): Promise<{ headers(): Readonly<Record<string, string>> }>;
  fulfill(
    answer:
      | { readonly status: number; readonly contentType: string; readonly body: string }
      | { readonly response: object; readonly headers: Readonly<Record<string, string>> },
  ): Promise<void>;
}
interface Request {
  url(): string;
  method(): string;
}

/** What is used of the answer to a navigation. */
export interface Answer {
  status(): number;
  headers(): Readonly<Record<string, string>>;
  body(): Promise<Buffer>;
}

/** A tab. */
export interface Page {
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'dialog', listener: (dialog: { message(): string; dismiss(): Promise<void> }) => void): void;
  goto(url: string): Promise<Answer | null>;
  goBack(): Promise<Answer | null>;
  reload(): Promise<Answer | null>;
  url(): string;
  title(): Promise<string>;
  content(): Promise<string>;
  evaluate<T>(expression: string): Promise<T>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  emulateMedia(media: { readonly colorScheme?: Scheme | null; readonly media?: 'print' | 'screen' }): Promise<void>;
  setViewportSize(size: Size): Promise<void>;
  setDefaultTimeout(ms: number): void;
  waitForURL(url: string | RegExp): Promise<void>;
  waitForEvent(event: 'download'): Promise<{ suggestedFilename(): string; path(): Promise<string> }>;
  /** Until the page and its style sheet are there. */
  waitForLoadState(): Promise<void>;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  context(): Context;
  close(): Promise<void>;
}

/** Elements of a page. */
export interface Locator {
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(text: string | RegExp): Locator;
  getByText(text: string | RegExp): Locator;
  filter(options: { readonly hasText?: string | RegExp }): Locator;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  all(): Promise<readonly Locator[]>;
  click(): Promise<void>;
  check(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  /** @param file or the path of a folder */
  setInputFiles(
    file: string | { readonly name: string; readonly mimeType: string; readonly buffer: Buffer },
  ): Promise<void>;
  innerText(): Promise<string>;
  allInnerTexts(): Promise<readonly string[]>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  waitFor(): Promise<void>;
  count(): Promise<number>;
}

/** Starts the browser. @param runsLong whether its pages run scripts for seconds */
export async function launch({ runsLong = false }: { readonly runsLong?: boolean } = {}): Promise<Chromium> {
  const { chromium } = await loadJudge<Playwright>('playwright-core');
  const args = runsLong ? FLAGS : [...FLAGS, WITHOUT_COMPILERS];
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args });
}

/** A context whose pages are watched. */
export interface Watched {
  readonly context: Context;
  /** What pages did that they must not do. A test empties it. */
  readonly complaints: string[];
  /** What was asked. A test empties it. */
  readonly asked: { readonly url: string; readonly method: string }[];
  /** Opens a page in a tab of its own: a process, which takes half a second more than to go on in a tab that is open. */
  open(): Promise<Page>;
  /** From now on another host answers with this page: where a reader leaves the service by a link. */
  elsewhere(pattern: string, html: string): Promise<void>;
}

/** What Chromium says of every answer with such a status, the page's own included. */
const REFUSED = /^Failed to load resource: the server responded with a status of [45]\d\d /;

/**
 * A context that lets pages ask one origin alone.
 *
 * @param origin such as `http://127.0.0.1:8080`, or `file://`
 */
export async function watch(browser: Chromium, origin: string, options: ContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const complaints: string[] = [];
  const asked: { readonly url: string; readonly method: string }[] = [];
  await context.route('**/*', async (route, request) => {
    const [url, method] = [request.url(), request.method()];
    asked.push({ url, method });
    if (url.startsWith(`${origin}/`)) return route.continue();
    complaints.push(`asked another host: ${method} ${url}`);
    return route.abort();
  });
  context.on('page', (page) => {
    // Long, because other programs may use the cores too: only what hangs ever uses it up.
    page.setDefaultTimeout(100_000);
    page.on('console', (message) => {
      const isError = message.type() === 'error' || message.type() === 'warning';
      if (isError && !REFUSED.test(message.text())) complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`script: ${String(error)}`));
    page.on('dialog', (dialog) => {
      complaints.push(`dialogue: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  return {
    context,
    complaints,
    asked,
    open: () => context.newPage(),
    elsewhere: (pattern, body) =>
      context.route(pattern, (route) => route.fulfill({ status: 200, contentType: 'text/html; charset=utf-8', body })),
  };
}

/** The source of axe-core, which is evaluated in a page: no policy of the page concerns it. */
export function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

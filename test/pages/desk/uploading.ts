// A desk at which files are uploaded, and how tests send them.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, onTestFinished } from 'vitest';
import { planUpload, stageUpload } from '../../../src/operate/desk/stage-upload.ts';
import type { UploadReading } from '../../../src/operate/desk/upload-work.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService } from './desk-service.ts';

/** The page that uploads a file for a register. */
export const UPLOAD: string = new URL('/desk/feeds/permits/upload', BASE_URL).href;

/** A desk at which files can be uploaded. */
export interface UploadingDesk extends DeskService {
  readonly folder: string;
  /** The names of what lies in its folder, with what is inside. */
  readonly left: () => Promise<readonly string[]>;
}

export async function uploading(
  { maxBytes, ...reading }: Partial<UploadReading> & { readonly maxBytes?: number } = {},
  { store = SqliteStore.open(':memory:'), ...world }: WorldOptions = {},
): Promise<UploadingDesk> {
  const parent = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  const folder = join(parent, 'uploads');
  const uploads = { folder, ...(maxBytes !== undefined && { maxBytes }) };
  const uploadReading: UploadReading = {
    stage: (upload, work) => stageUpload(store, upload, { usual: null, ...work }),
    plan: planUpload,
    ...reading,
  };
  const service = await deskService({ store, uploads, uploadReading, ...world });
  onTestFinished(async () => {
    await service.close();
    await rm(parent, { recursive: true });
  });
  return { ...service, folder, left: async () => (await readdir(folder, { recursive: true }).catch(() => [])).sort() };
}

/** How a file is sent otherwise than the page would. */
export interface Otherwise {
  readonly name?: string;
  readonly form?: string | null;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | FormData | ReadableStream;
  readonly feed?: string;
  /** The page of the form. Default {@link UPLOAD}. */
  readonly at?: string;
}

/** The address to which the form of a page sends. */
export async function actionOf(browser: Browser, url: string = UPLOAD): Promise<string> {
  return (await browser.open(url)).forms.find(({ id }) => id === 'upload')!.action;
}

/** Sends a file from the form of its page. */
export async function send(
  service: DeskService,
  browser: Browser,
  file: string | Blob,
  other: Otherwise = {},
): Promise<Response> {
  const { name = 'week 17.csv', form, headers = {}, feed = 'permits', at = UPLOAD } = other;
  const action = new URL(form === undefined ? await actionOf(browser, at) : at);
  action.pathname = action.pathname.replace('permits', feed);
  if (typeof form === 'string') action.searchParams.set('form', form);
  const data = new FormData();
  data.append('file', typeof file === 'string' ? new Blob([file]) : file, name);
  const own = { origin: BASE_URL, 'sec-fetch-site': 'same-origin', cookie: browser.cookie, accept: 'text/html' };
  const fields = new Headers(own);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
  }
  const body = other.body ?? data;
  return service.fetch(new Request(action, { method: 'POST', headers: fields, body, duplex: 'half' }), {
    remoteAddress: '203.0.113.7',
  });
}

/** What the page of a file says at last. */
export async function ended(browser: Browser, answer: Response): Promise<Page> {
  expect(answer.status).toBe(303);
  const url = answer.headers.get('location')!;
  return until(
    () => browser.open(url, { isFollowing: false }),
    ({ headers }) => headers.get('refresh') === null,
  );
}

/** Looks again until it is so. */
export async function until(look: () => Promise<Page>, isSo: (page: Page) => boolean): Promise<Page> {
  for (;;) {
    const page = await look();
    if (isSo(page)) return page;
    // Another turn: files are written.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The text of a page. */
export function text(page: Page): string {
  return elements(parse(page.html), 'main').map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

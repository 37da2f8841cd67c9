// With GAZETTE_SCREENSHOTS=folder the tests of pages paint each page into that folder, to be looked at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from './chromium.ts';

const FOLDER = process.env.GAZETTE_SCREENSHOTS;

/** Paints the page that is open, whole, if it was asked for. */
export async function paint(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
}

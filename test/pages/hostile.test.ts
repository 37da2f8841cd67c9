// Hostile records in pages: whatever a publisher writes is shown as text, in both languages, within 60 KB.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegister, type DefinitionInput } from '../../src/register/definition.ts';
import { toRecord } from '../../src/register/record-input.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { isGazetteError } from '../../src/errors.ts';
import { DANGERS } from './dangers.ts';
import { elementsOf, find } from './documents.ts';

const ORIGIN = 'https://registers.example.org';
const FOLDER = new URL('../../fixtures/hostile/', import.meta.url);

let store: SqliteStore;
let gazette: Gazette;
const records: RegisterRecord[] = [];

beforeAll(async () => {
  store = SqliteStore.open(':memory:');
  const given = JSON.parse(await readFile(new URL('definition.json', FOLDER), 'utf8')) as DefinitionInput;
  const definition = defineRegister({ ...given, access: 'open' });
  await store.createRegister(definition);
  const lines = (await readFile(new URL('records.ndjson', FOLDER), 'utf8')).trim().split('\n');
  const others = DANGERS.map((text, at) => ({
    ...{ id: `text-${at}`, title: text, summary: text, content: text, content_type: at % 2 === 0 ? 'html' : 'text' },
    ...{ author: text, document_type: text.slice(0, 1000), facility_id: text.slice(0, 1000) },
    ...{ source_url: `https://hostile.example/${at}`, observed_at: '2026-04-19T08:00:00Z' },
  }));
  for (const input of [...lines.map((line) => JSON.parse(line) as object), ...others]) {
    const record = toRecord(definition, input as Parameters<typeof toRecord>[1], { where: 'record', position: null });
    try {
      await store.apply(definition.id, [toPublishedRecord(record, true)], { recordedAt: '2026-05-01T00:00:00Z' });
      records.push(record);
    } catch (error) {
      // Stores refuse what has no canonical JSON.
      if (!isGazetteError(error, 'invalid_record')) throw error;
    }
  }
  gazette = createGazette({ store, limits: null });
});

afterAll(async () => {
  await gazette.close();
  await store.close();
});

async function pageAt(path: string): Promise<string> {
  const response = await gazette.fetch(new Request(ORIGIN + path));
  const named = path.slice(0, 100);
  expect([named, response.status]).toEqual([named, 200]);
  const text = await response.text();
  expect([named, Math.max(Buffer.byteLength(text), 60_000)]).toEqual([named, 60_000]);
  return text;
}

/** The elements that templates write, and those that publishers' HTML may have; a record adds none. */
const ELEMENTS = new Set(
  `html head meta title link script body a header div nav ul ol li main h1 h2 h3 p span strong article section dl dt dd time data code
   table thead tbody tr th td ins del details summary form label input button fieldset legend cite footer figure figcaption svg path wbr b i em code sub sup s u br`.split(
    /\s+/,
  ),
);

function expectHarmless(path: string, page: string): void {
  const elements = elementsOf(page);
  const strangers = elements.filter(({ name }) => !ELEMENTS.has(name)).map(({ name }) => name);
  expect([path, strangers]).toEqual([path, []]);
  for (const { name, attributes } of elements) {
    for (const [attribute, value] of attributes) {
      if (/^(?:on|style$|srcdoc$)/.test(attribute)) expect([path, name, attribute]).toEqual([]);
      if (attribute === 'href' && !/^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|\/|#|mailto:)/.test(value))
        expect([path, value]).toEqual([]);
      if (attribute === 'lang' && !/^(?:[a-z]{2,3}(?:-[\w-]+)?)?$/i.test(value)) expect([path, value]).toEqual([]);
    }
    if (name === 'script') {
      expect(attributes.get('type')).toBe('application/ld+json');
    }
  }
  for (const { text } of find(page, 'script')) expect(() => JSON.parse(text) as unknown).not.toThrow();
  const ids = elements.map(({ attributes }) => attributes.get('id')).filter((id) => id !== undefined);
  expect([path, ids.length]).toEqual([path, new Set(ids).size]);
  // What HTML cannot have, a browser would drop without a trace.

  expect(page).not.toMatch(/[\u0000-\u0008\u000b\u000e-\u001f\u007f\ufffe\uffff]/);
}

describe('hostile records', () => {
  it.each(['en', 'de'])('add nothing but text to the list of records (%s)', async (language) => {
    const seen = new Set<string>();
    let path: string | null = `/feeds/hostile?limit=100&lang=${language}`;
    while (path !== null) {
      const page: string = await pageAt(path);
      expectHarmless(path, page);
      for (const { attributes } of find(page, 'a')) {
        const [, id] = /^\/records\/([^?]*)/.exec(attributes.get('href') ?? '') ?? [];
        if (id !== undefined) seen.add(decodeURIComponent(id));
      }
      path = find(page, 'a', { rel: 'next' })[0]?.attributes.get('href') ?? null;
    }
    // Where not all fit, the next page goes on with the others.
    expect(seen).toEqual(new Set(records.map(({ id }) => id)));
  });

  it('add nothing but text to their own pages, in every part of them', async () => {
    for (const { id, title, content } of records) {
      for (let part = 1; part <= ((content?.length ?? 0) > 12_000 ? 2 : 1); part++) {
        const path = `/records/${id}?part=${part}`;
        const page = await pageAt(path);
        expectHarmless(path, page);

        const shown = title
          .trim()
          .slice(0, 100)
          .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd');
        if (shown !== '') expect(find(page, 'h1')[0]!.text).toContain(shown.slice(0, 40));
      }
    }
  });

  it('can be searched for, and looked for in all registers', async () => {
    for (const path of [
      '/?q=alert',
      '/?q=w*',
      '/feeds/hostile?q=alert',
      '/feeds/hostile?document_type=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E',
    ])
      expectHarmless(path, await pageAt(path));
  });

  it('in what is asked for are text, too', async () => {
    for (const text of DANGERS.filter((one) => one.length < 900)) {
      const query = encodeURIComponent(text);
      for (const path of [
        `/?q=${query}`,
        `/feeds/hostile?q=${query}`,
        `/feeds/hostile?document_type=${query}`,
        `/${query}`,
      ]) {
        const response = await gazette.fetch(new Request(ORIGIN + path, { headers: { accept: 'text/html' } }));
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expectHarmless(path, await response.text());
      }
    }
  });
});

describe('a page', () => {
  it('stays under 60 KB with as many filters as an address has room for', async () => {
    const keys = Array.from({ length: 90 }, (_, at) => `key=${'k'.repeat(130)}${at}`).join('&');
    expectHarmless('keys', await pageAt(`/feeds/hostile?${keys}`));
  });
});

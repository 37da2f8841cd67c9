// What editors set of a register: how it is described, which fields filter, and what stops an import.
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { Registers } from '../../../src/operate/registers.ts';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService, OPERATOR } from './desk-service.ts';
import { BEFORE, takeRows } from './taking.ts';

const SETTINGS = `${BASE_URL}/desk/feeds/permits/settings`;
const GIVEN = { title: 'Permits of 2026', rights: 'CC BY 4.0', language: 'de', factor: 'warn', filterable: ['amount'] };

async function taken(options: WorldOptions = {}): Promise<DeskService> {
  const service = await deskService({ records: 0, ...options });
  await takeRows(BEFORE, { store: service.store, now: () => service.clock.now });
  return service;
}

function text({ html }: Page): string {
  const spaced = html.replaceAll(/<\/(?:d[td]|t[dh]|option)>/g, ' $&');
  return elements(parse(spaced), 'main').map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

function fieldsOf(page: Page): Readonly<Record<string, string>> {
  return Object.fromEntries(page.forms.find(({ id }) => id === 'settings')!.fields);
}

/** How the register is set. */
async function set({ store }: DeskService): Promise<unknown> {
  const { definition } = (await store.register('permits'))!;
  const { title, rights, language, fields } = definition;
  const filterable = fields.filter((field) => field.filterable === true).map(({ name }) => name);
  return { title, rights, language, filterable, findings: await new Registers(store).findings('permits') };
}

const BEFORE_IT = { title: 'Environmental permits', rights: null, language: null, filterable: [], findings: {} };
const AFTER_IT = {
  ...{ title: 'Permits of 2026', rights: 'CC BY 4.0', language: 'de', filterable: ['amount'] },
  findings: { factor: 'warn' },
};

describe('the settings of a register', () => {
  it('are changed by a form, and logged with what they were', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const register = await browser.open(`${BASE_URL}/desk/feeds/permits`);
    expect(register.links).toContain(SETTINGS);
    const page = await browser.open(SETTINGS);
    expect(text(page)).toContain('stops the import (usual)');
    const done = await browser.submit(page, 'settings', GIVEN);
    expect([text(done).includes('You changed the settings.'), await set(service)]).toEqual([true, AFTER_IT]);
    expect(text(done)).toMatch(/Latest imports Settings \d/);
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toContain('Settings changed permits import 2');
    const logged = text(await browser.open(`${BASE_URL}/desk/feeds/permits/imports/2`));
    expect(logged).toMatch(/Setting Before After Title Environmental permits Permits of 2026 /);
    expect(logged).toContain('Fields that filter amount ');
    expect(logged).toMatch(/Numbers became ten, .* stops the import is told, and stops nothing/);
    // Back again: what is usual is kept as nothing.
    const again = { title: BEFORE_IT.title, rights: '', language: '', factor: 'stop', filterable: [] };
    await browser.submit(await browser.open(SETTINGS), 'settings', again);
    expect(await set(service)).toEqual(BEFORE_IT);
  });

  it.each([
    ['no title', { title: ' ' }, 422, 'Write a title.'],
    ['a language that is none', { language: 'German please' }, 422, 'Choose a language.'],
    ['what they are', { title: BEFORE_IT.title }, 409, 'has these settings already'],
    ['a finding that is none', { factor: 'explode' }, 409, 'Nothing was done'],
  ])('are not changed to %s, and nothing typed is lost', async (_, given, status, why) => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const page = await browser.submit(await browser.open(SETTINGS), 'settings', given);
    expect([page.status, text(page).includes(why), await set(service)]).toEqual([status, true, BEFORE_IT]);
    if (!('factor' in given) && !('language' in given)) expect(fieldsOf(page)).toMatchObject(given);
  });

  it('that somebody changed meanwhile are not overwritten blindly', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const page = await browser.open(SETTINGS);
    await new Registers(service.store).update('permits', { members: { title: 'Theirs' } });
    const conflict = await browser.submit(page, 'settings', GIVEN);
    expect([conflict.status, text(conflict).includes('It says now: Theirs')]).toEqual([409, true]);
    expect(fieldsOf(conflict)).toMatchObject({ title: 'Permits of 2026', rights: 'CC BY 4.0' });
    expect(await set(service)).toEqual({ ...BEFORE_IT, title: 'Theirs' });
    await browser.submit(conflict, 'settings');
    expect(await set(service)).toEqual(AFTER_IT);
  });

  it('with four eyes are a proposal that another editor approves, and that ends when they change', async () => {
    const service = await taken({ approve: 'other' });
    const { browser } = await service.signedIn();
    // The fields stay as they are: what a proposal of a file depends on, too.
    const given = { ...GIVEN, filterable: [] };
    const waits = await browser.submit(await browser.open(SETTINGS), 'settings', given);
    expect(text(waits)).toMatch(/Nothing is written before another editor approves it\. .*Title Environmental permits/);
    expect([waits.forms.map(({ id }) => id), await set(service)]).toEqual([['sign-out', 'discard'], BEFORE_IT]);
    const other = { ...given, title: 'Another' };
    const second = await browser.submit(await browser.open(SETTINGS), 'settings', other);
    const ben = (await service.signedIn('ben')).browser;
    await ben.submit(await ben.open(waits.url), 'approve');
    expect(await set(service)).toEqual({ ...AFTER_IT, filterable: [] });
    const outdated = await ben.open(second.url);
    expect(text(outdated)).toContain('it cannot be approved any more');
    const discarded = await ben.submit(outdated, 'discard');
    expect(text(discarded)).toMatch(/You discarded the proposal\. .*Title Environmental permits Another/);
    expect(await set(service)).toEqual({ ...AFTER_IT, filterable: [] });
  });

  it('are for the editors of the register who do not only review', async () => {
    const service = await taken();
    const anna = await service.signedIn();
    const fields = new URLSearchParams({ ...fieldsOf(await anna.browser.open(SETTINGS)), title: 'Stolen' });
    for (const [name, status] of [
      ['ben', 403],
      ['carla', 404],
    ] as const) {
      const { browser, page } = await service.signedIn(name);
      expect((await browser.open(SETTINGS)).status).toBe(status);
      fields.set('token', page.forms[0]!.fields.get('token')!);
      expect((await browser.post(SETTINGS, fields)).status, name).toBe(status);
    }
    const page = await anna.browser.open(SETTINGS);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await anna.browser.submit(page, 'settings', GIVEN, { headers: foreign })).status).toBe(403);
    expect((await anna.browser.submit(page, 'settings', { ...GIVEN, token: '' })).status).toBe(403);
    expect((await anna.browser.submit(page, 'settings', { ...GIVEN, read: null })).status).toBe(409);
    expect((await service.browser().open(SETTINGS)).url).toBe(`${BASE_URL}/desk/sign-in`);
    expect(await set(service)).toEqual(BEFORE_IT);
    await service.editors.change('carla', { feeds: ['permits'], role: 'review' }, OPERATOR);
    expect((await (await service.signedIn('carla')).browser.open(SETTINGS)).status).toBe(403);
  });

  it('are shown as text, and in German', async () => {
    const service = await taken();
    const { browser } = await service.signedIn('anna', { language: 'de' });
    const evil = '<script>alert(1)</script>"\'';
    const before = await browser.open(SETTINGS);
    expect(elements(parse(before.html), 'option').map(textOf)).toContain('Schweizer Hochdeutsch');
    const page = await browser.submit(before, 'settings', { description: evil, title: evil, language: 'de' });
    expect(text(await browser.open(`${BASE_URL}/desk/feeds/permits/imports/2`))).toMatch(
      /Sprache ?nicht angegeben ?Deutsch/,
    );
    expect(text(page)).toContain('Sie haben die Einstellungen geändert.');
    for (const url of [SETTINGS, `${BASE_URL}/desk/feeds/permits/imports/2`]) {
      const shown = await browser.open(url);
      expect([elements(parse(shown.html), 'script'), shown.html.includes('&lt;script')]).toEqual([[], true]);
    }
  });
});

// The page of a snapshot that checks what is signed, and its script: there where something is signed, and there alone.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERIFY_SCRIPT } from '../../../../src/wings/proofs/templates/verify/script.ts';
import { deProof } from '../../../../src/templates/languages/proof/de.ts';
import { enProof } from '../../../../src/templates/languages/proof/en.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { permits } from '../../../contracts/store-register.ts';
import { find } from '../../../pages/documents.ts';
import { digests, folder, publish, SITE, storeOf } from '../../../snapshot/published.ts';
import { sign } from '../signing.ts';

const OWN = ['verify.html', 'verify.js'];

const namesIn = async (out: string): Promise<string[]> => [...(await digests(out)).keys()];

/** What a host says that a page may load. The browser obeys all of them. */
async function policiesOf(out: string, path: string): Promise<readonly string[]> {
  const headers = await readFile(join(out, '_headers'), 'utf8');
  return headers.split(/^(?=\/)/m).flatMap((rule) => {
    const [pattern, ...lines] = rule.trim().split('\n');
    const expression = pattern!.replace(/[.]/g, '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+');
    if (!new RegExp(`^${expression}$`).test(path)) return [];
    return lines.flatMap((line) => /Content-Security-Policy: (.*)/.exec(line)?.[1] ?? []);
  });
}

async function openStore(language = 'en'): Promise<ServiceStore> {
  const store = await storeOf(230);
  await store.updateRegister({ ...permits(), access: 'open', language }, { recordedAt: '2030-01-01T00:00:00Z' });
  return store;
}

describe('verify.html', () => {
  it('is there once something is signed, and every other page is as strict as before', async () => {
    const [store, out] = [await openStore(), await folder()];
    await publish(store, out);
    const before = await digests(out);
    expect([...before.keys()].filter((name) => OWN.includes(name))).toEqual([]);
    const strict = await policiesOf(out, '/index.html');
    expect(await readFile(join(out, '_headers'), 'utf8')).not.toContain('script-src');
    await sign(store, 'permits');
    await publish(store, out);
    const names = await namesIn(out);
    expect(names).toEqual(expect.arrayContaining(OWN));
    for (const name of [...names, '', 'permits/', 'verify']) {
      const policies = await policiesOf(out, `/${name}`);
      const isOwn = OWN.includes(name) || name === 'verify';
      // What no browser shows as a page need not be named.
      if (!isOwn && /(?:\.html|\/|^)$/.test(name))
        expect([name, policies]).toEqual([name, expect.arrayContaining([...strict])]);
      if (isOwn)
        expect([name, policies.every((policy) => policy.includes("script-src 'self'; connect-src 'self'"))]).toEqual([
          name,
          true,
        ]);
      if (name.endsWith('.html')) {
        const text = await readFile(join(out, name), 'utf8');
        expect([name, text.includes('<script src=')]).toEqual([name, isOwn]);
      }
    }
    const page = await readFile(join(out, 'verify.html'), 'utf8');
    const [meta] = find(page, 'meta', { 'http-equiv': 'Content-Security-Policy' });
    expect(meta!.attributes.get('content')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'",
    );
    expect(find(await readFile(join(out, 'index.html'), 'utf8'), 'a', { href: 'verify.html' })).toHaveLength(1);
    expect(page).not.toContain(SITE);
  });

  it('is stricter than pages with a search, where there are some', async () => {
    const [store, out] = [await openStore(), await folder()];
    await sign(store, 'permits');
    await publish(store, out, { search: true });
    const policies = await policiesOf(out, '/verify.html');
    expect(policies.some((policy) => !policy.includes('wasm-unsafe-eval'))).toBe(true);
    expect(policies.every((policy) => policy.includes("script-src 'self'"))).toBe(true);
  });

  it('is in the language of the registers', async () => {
    const [store, out] = [await openStore('de'), await folder()];
    await sign(store, 'permits');
    await publish(store, out);
    const page = await readFile(join(out, 'verify.html'), 'utf8');
    expect([find(page, 'html')[0]!.language, find(page, 'h1')[0]!.text]).toEqual(['de', deProof.verify.title]);
  });
});

describe('its script', () => {
  it('is small, of ours alone, and has a text for everything that it says', () => {
    expect(Buffer.byteLength(VERIFY_SCRIPT)).toBeLessThan(15_000);
    expect(VERIFY_SCRIPT).not.toMatch(/\bhttps?:|innerHTML|insertAdjacentHTML|document\.write|\bimport\b|\beval\b/);
    const { script } = enProof.verify;
    const asked = [...VERIFY_SCRIPT.matchAll(/texts\.(\w+)|new Fault\('(\w+)'/g)].map(
      ([, one, other]) => one ?? other!,
    );
    expect(asked.filter((name) => !Object.hasOwn(script, name))).toEqual([]);
    const said = Object.keys(script).filter((name) => !new RegExp(`\\b${name}\\b`).test(VERIFY_SCRIPT));
    expect(said).toEqual([]);
    const placesOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const [name, text] of Object.entries(script))
      expect([name, placesOf(deProof.verify.script[name as keyof typeof script])]).toEqual([name, placesOf(text)]);
  });
});

// The script of verify.html over folders that somebody has changed: whatever it was, the headline says so, or nothing that a reader
// reads is another one. Node runs the script, with as much of a document as it uses.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../../../src/register/canonical-json.ts';
import { enProof } from '../../../../src/templates/languages/proof/en.ts';
import { VERIFY_SCRIPT } from '../../../../src/wings/proofs/templates/verify/script.ts';
import { permits } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { correct, folder, publish, storeOf } from '../../../snapshot/published.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';

/** As much of an element as the script uses. */
class Part {
  children: (Part | string)[] = [];
  append(...more: readonly (Part | string)[]): void {
    this.children.push(...more);
  }
  addEventListener(): void {
    // Nobody clicks.
  }
  get text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join(' ');
  }
}

type Files = ReadonlyMap<string, Buffer>;

/** What the page shows of a folder. */
function shownOf(files: Files, vkey: string): Promise<string> {
  return new Promise((resolve) => {
    const form = Object.assign(new Part(), {
      elements: { vkey: { value: '' }, folder: Object.assign(new Part(), { parentElement: {} }) },
    });
    const section = {
      replaceChildren(...content: readonly Part[]): void {
        const text = content.map((part) => part.text).join('\n');
        if (text !== enProof.verify.script.checking) resolve(text);
      },
    };
    const data = { texts: enProof.verify.script, core: {}, causes: {} };
    const box = {
      dataset: { verify: JSON.stringify(data) },
      querySelector: (name: string) => (name === 'form' ? form : section),
    };
    runInNewContext(VERIFY_SCRIPT, {
      ...{ URL, URLSearchParams, TextEncoder, TextDecoder, Uint8Array, Blob, crypto, atob, btoa },
      document: {
        currentScript: { src: 'https://static.example.org/verify.js' },
        documentElement: { lang: 'en' },
        querySelector: () => box,
        createElement: () => new Part(),
      },
      location: { protocol: 'https:', search: '', hash: `#${vkey}` },
      addEventListener: () => undefined,
      fetch(url: string) {
        const bytes = files.get(url.replace('https://static.example.org/', ''));
        return Promise.resolve({ ok: bytes !== undefined, arrayBuffer: () => Uint8Array.from(bytes!).buffer });
      },
    });
  });
}

/** The records that the pages show, without what is not said. */
function recordsIn(files: Files): string {
  const pages = [...files].filter(([name]) => /(?:index|\d{6})\.json$/.test(name)).sort();
  const said = (value: unknown): JsonValue => {
    if (Array.isArray(value)) return value.map(said);
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) => (one === null ? [] : [[name, said(one)]])),
    );
  };
  return canonicalJson(pages.map(([, bytes]) => said((JSON.parse(bytes.toString()) as { records: unknown }).records)));
}

it('says of every folder that was changed what is not as signed, or shows what was signed', async () => {
  const [store, out] = [await storeOf(130), await folder()];
  await store.updateRegister({ ...permits(), access: 'open' }, { recordedAt: '2030-01-01T00:00:00Z' });
  await correct(store, 3, 77);
  await sign(store, 'permits');
  await publish(store, out);
  const vkey = (await logsOf(store).of('permits')).vkey!;
  const whole = new Map(
    readdirSync(join(out, 'permits'), { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? [[path.slice(out.length + 1), readFileSync(path)] as const] : [];
    }),
  );
  const all = '130 records: every word as signed';
  expect((await shownOf(whole, vkey)).startsWith(all)).toBe(true);
  const names = [...whole.keys()].filter((name) => /\.json$|\.ndjson$|\/log\//.test(name));
  const below = (count: number): number => Math.floor(Math.random() * count);
  const records = recordsIn(whole);
  let found = 0;
  const count = tries(150, 5000);
  for (let round = 0; round < count; round++) {
    const name = names[below(names.length)]!;
    const before = whole.get(name)!;
    const changed = Buffer.from(before);
    const files = new Map(whole);
    const kind = below(5);
    const lines = before.toString('latin1').split('\n');
    if (kind === 0) files.set(name, whole.get(names[below(names.length)]!)!);
    else if (kind === 1) files.set(name, before.subarray(0, below(before.length)));
    else if (kind === 2) files.set(name, Buffer.from(lines.toSpliced(below(lines.length), 1).join('\n'), 'latin1'));
    else {
      const at = below(before.length);
      // Another letter or digit is still JSON, more often than not.
      changed[at] = kind === 3 ? below(256) : 48 + ((before[at]! + 1) % 10);
      files.set(name, changed);
    }
    const shown = await shownOf(files, vkey);
    const isAll = shown.startsWith(all) && !/Not signed yet|Missing|Not proved|Other words/.test(shown);
    if (!isAll) found++;
    else expect([round, name, kind, recordsIn(files) === records]).toEqual([round, name, kind, true]);
  }
  expect(found).toBeGreaterThan(count / 2);
  await store.close();
});

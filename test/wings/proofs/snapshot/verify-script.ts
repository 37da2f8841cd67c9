// Runs the script of verify.html in Node, with as much of a document as it uses.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { enProof } from '../../../../src/templates/languages/proof/en.ts';
import { VERIFY_SCRIPT } from '../../../../src/wings/proofs/templates/verify/script.ts';

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

/** The files of a folder, by their names in it. */
export type Files = ReadonlyMap<string, Buffer>;

/** What the page shows of a folder. @param search the query of its address */
export function shownOf(files: Files, vkey: string, search = ''): Promise<string> {
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
      location: { protocol: 'https:', search, hash: `#${vkey}` },
      addEventListener: () => undefined,
      fetch(url: string) {
        const bytes = files.get(url.replace('https://static.example.org/', ''));
        return Promise.resolve({ ok: bytes !== undefined, arrayBuffer: () => Uint8Array.from(bytes!).buffer });
      },
    });
  });
}

/** The files of a register in a folder. */
export function filesOf(out: string): Files {
  return new Map(
    readdirSync(join(out, 'permits'), { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? [[path.slice(out.length + 1), readFileSync(path)] as const] : [];
    }),
  );
}

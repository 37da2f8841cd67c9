import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SECRET, VECTORS } from './send/deliveries.ts';

const run = promisify(execFile);
const entry = new URL('../../src/webhooks/verify.ts', import.meta.url);

/** What a source names in `import`, `export … from` and `import()`. */
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

/** Every module that a file imports, directly or not, types included: files by their address, all else by its name. */
function reachableFrom(file: URL, found = new Set<string>()): ReadonlySet<string> {
  found.add(file.href);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    if (!name!.startsWith('.')) found.add(name!);
    else if (!found.has(new URL(name!, file).href)) reachableFrom(new URL(name!, file), found);
  }
  return found;
}

describe('the entry gazette/webhooks/verify', () => {
  it('reaches no module of Node and no package, only files of its own', () => {
    const reached = [...reachableFrom(entry)];
    expect(reached.filter((module) => !module.startsWith('file:'))).toEqual([]);
    expect(reached.some((module) => module.endsWith('/signature-rules.ts'))).toBe(true);
    // The walk does find such modules: the other entry has them.
    expect(reachableFrom(new URL('index.ts', entry))).toContain('node:crypto');
  });

  it('verifies where nothing of Node’s is global, as at an edge', async () => {
    const vector = VECTORS[0]!;
    const code = `
      const { verifyWebhook } = await import(${JSON.stringify(entry.href)});
      const out = console.log;
      // Node's own Headers and crypto load what they need at the first use.
      const headers = new Headers();
      await crypto.subtle.digest('SHA-256', new Uint8Array());
      for (const name of ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate']) {
        Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' is not there'); } });
      }
      const vector = ${JSON.stringify(vector)};
      const body = Uint8Array.from(atob(vector.body_base64), (unit) => unit.charCodeAt(0));
      const { id } = JSON.parse(new TextDecoder().decode(body));
      headers.set('x-register-signature', vector.header);
      headers.set('x-register-event', id);
      const options = { now: () => vector.timestamp * 1000 };
      const event = await verifyWebhook(body, headers, vector.secret, options);
      const wrong = await verifyWebhook(body, headers, 'another secret', options).catch((error) => error.code);
      const old = await verifyWebhook(body, headers, vector.secret).catch((error) => error.code);
      out(JSON.stringify([event.id === id, wrong, old]));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
    expect(JSON.parse(stdout)).toEqual([true, 'invalid_signature', 'signature_expired']);
  });

  it('parses the bytes that it verified, also when the caller’s buffer changes meanwhile', async () => {
    const { verifyWebhook } = await import('../../src/webhooks/verify.ts');
    const { delivery } = await import('./send/deliveries.ts');
    const { body, headers } = delivery();
    const event = verifyWebhook(body, headers, SECRET);
    body.fill(0x20);
    expect((await event).id).toBe('evt_1');
  });
});

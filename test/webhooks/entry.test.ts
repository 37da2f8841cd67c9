import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

/** The files and builtins that a process loads for the public entry. */
async function loaded(): Promise<readonly string[]> {
  const code = `
    import { registerHooks } from 'node:module';
    const modules = [];
    registerHooks({ resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      modules.push(found.url);
      return found;
    } });
    await import(${JSON.stringify(new URL('src/webhooks/index.ts', root).href)});
    console.log(JSON.stringify(modules));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
  return JSON.parse(stdout) as string[];
}

describe('the entry gazette/webhooks', () => {
  it('loads the receiver and nothing of the service, no package and no database', async () => {
    const modules = await loaded();
    const files = modules.filter((url) => url.startsWith(root.href)).map((url) => url.slice(root.href.length));
    expect(files).toContain('src/webhooks/receive/verify.ts');
    expect(
      files.filter(
        (file) =>
          !/^src\/(webhooks\/|errors\.ts|value-text\.ts|invisible\.ts|problem\.ts|checks\.ts|files\/sqlite-codes\.ts|register\/record\.ts|stores\/)/.test(
            file,
          ),
      ),
    ).toEqual([]);
    expect(files).not.toContain('src/webhooks/send/destination.ts');
    expect(files.filter((file) => /stores\/(sqlite|postgres)\/store\.ts/.test(file))).toEqual([]);
    expect(modules).not.toContain('node:sqlite');
  });
});

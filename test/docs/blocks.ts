// The code blocks of README.md and docs/*.md, and what the tests do with them: programs as files that run, commands as the
// lines of a page in their order. A `ts` block's first line names its file. A `sh` block that is not run says why in its
// first line, where readers see it.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Where programs of the pages import from: the entries of package.json, as sources. */
const ENTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(
    (
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
      }
    ).exports,
  ).flatMap(([entry, target]): [string, string][] =>
    typeof target === 'string'
      ? []
      : [[`gazette${entry.slice(1)}`, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]],
  ),
);

/** A fenced block. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** README.md and the pages of docs/, by their path. What docs/reference/ holds is generated, not written. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  ['README.md', ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))]
    .sort()
    .map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]),
);

/** All fenced blocks, page by page. */
export const BLOCKS: readonly Block[] = [...PAGES].flatMap(([page, text]) =>
  Array.from(text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm), ([, language, code]) => ({
    page,
    language: language!,
    code: code!,
  })),
);

/** Whether the first line of a `sh` block says that no test runs it, and why. */
export function isNotRun(block: Block): boolean {
  return /^# Not run by the tests: \S.*\n/.test(block.code);
}

/** The name in a `ts` block's first line. */
export function fileName(block: Block): string | null {
  return /^\/\/ ([\w-]+\.ts)\b/.exec(block.code)?.[1] ?? null;
}

/** The programs of all pages by file name, which no two share: they import each other. */
export function programs(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const block of BLOCKS.filter(({ language }) => language === 'ts')) {
    const name = fileName(block);
    if (name === null) throw new Error(`${block.page}: a ts block does not name its file: ${block.code}`);
    if (found.has(name)) throw new Error(`${block.page}: another block is named ${name}`);
    found.set(name, block.code);
  }
  return found;
}

/** The `sh` blocks of a page that are run, in their order. */
export function commands(page: string): readonly string[] {
  return BLOCKS.filter((block) => block.page === page && block.language === 'sh' && !isNotRun(block)).map(
    ({ code }) => code,
  );
}

/** A folder that holds the programs, changed by `edit`; `gazette` in them means this checkout's sources. */
export function writePrograms(edit: (name: string, code: string) => string = (_, code) => code): {
  readonly folder: string;
  readonly remove: () => void;
} {
  // Inside the checkout, where Node finds the frameworks; git ignores it.
  const folder = mkdtempSync(join(ROOT, 'test/docs/.blocks-'));
  // A page uses the example of a format.
  copyFileSync(join(ROOT, 'examples/tsv.ts'), join(folder, 'tsv.ts'));
  for (const [name, code] of programs()) {
    const runnable = edit(name, code).replace(/from '(gazette(?:\/[\w/-]+)?)'/g, (_, entry: string) => {
      const source = ENTRIES.get(entry);
      if (source === undefined) throw new Error(`${name}: the package has no entry ${entry}`);
      return `from '${relative(folder, join(ROOT, source)).replaceAll('\\', '/')}'`;
    });
    writeFileSync(join(folder, name), runnable);
  }
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

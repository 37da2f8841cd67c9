// No block of README.md and docs/ is left out: each is run by a test of this folder, parsed, or says why it is not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BLOCKS, isNotRun, PAGES, programs } from './blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .concat(readFileSync(join(ROOT, 'test/conformance/generators.test.ts'), 'utf8'))
  .join('\n');

describe('README.md and docs/', () => {
  it('have no program that no test names', () => {
    expect([...programs().keys()].filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
  });

  it('have blocks of known languages alone', () => {
    expect(new Set(BLOCKS.map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'json', 'ini', 'nginx']));
  });

  it('have no commands that no test runs and that do not say why', () => {
    const run = BLOCKS.filter((block) => block.language === 'sh' && !isNotRun(block));
    const pages = new Set(run.map(({ page }) => page));
    expect(
      [...pages].filter((page) => !tests.includes(`'${page}': {`) && !tests.includes(`commands('${page}')`)),
    ).toEqual([]);
  });

  it('have the addresses of queries in quotes: zsh looks for files that match a question mark, and refuses', () => {
    const lines = BLOCKS.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.split('\n'));
    const isBare = (line: string): boolean => /https?:\S*\?/.test(line.replace(/'[^']*'|"[^"]*"/g, ''));
    expect(lines.filter(isBare)).toEqual([]);
  });

  it('have JSON that parses', () => {
    for (const { code } of BLOCKS.filter(({ language }) => language === 'json')) JSON.parse(code);
  });

  it('have no code outside fenced blocks', () => {
    const indented = [...PAGES].flatMap(([page, text]) =>
      text
        .replace(/^```[\s\S]*?^```$/gm, '')
        .split('\n')
        .filter((line) => /^ {4}/.test(line))
        .map((line) => `${page}: ${line}`),
    );
    expect(indented).toEqual([]);
  });

  it('lead to pages, headings and files that exist', () => {
    const headings = (text: string): string[] =>
      Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
    const broken: string[] = [];
    for (const [page, text] of PAGES) {
      for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target!)) continue;
        const [path = '', anchor] = target!.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        const isThere = existsSync(join(ROOT, file));
        const isHeading =
          anchor === undefined || (isThere && headings(readFileSync(join(ROOT, file), 'utf8')).includes(anchor));
        if (!isThere || !isHeading) broken.push(`${page}: ${target!}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('fit on the first page: README.md has at most 200 lines and the two commands', () => {
    const readme = PAGES.get('README.md')!;
    expect(readme.split('\n').length).toBeLessThanOrEqual(201);
    expect(readme).toContain('npm ci && npm start\n');
    expect(readme).toContain('npm ci && npm test\n');
  });

  it('list every page of docs/', () => {
    const listed = PAGES.get('docs/README.md')!;
    const pages = [...PAGES.keys()].filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(pages.filter((page) => !listed.includes(`(${page.slice('docs/'.length)})`))).toEqual([]);
  });
});

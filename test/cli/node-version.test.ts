import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeComplaint } from '../../src/cli/process/node/node-version.ts';

describe('the version of Node', () => {
  it.each(['22.18.0', '22.19.1', '24.0.0', '26.1.0'])('%s is new enough', (version) => {
    expect(nodeComplaint(version)).toBeNull();
  });

  it.each(['0.12.18', '18.20.0', '20.20.2', '22.17.1'])('%s is too old, and is told what is needed', (version) => {
    expect(nodeComplaint(version)).toBe(
      `gazette needs Node 22.18 or newer; this is Node ${version}; see https://nodejs.org/`,
    );
  });

  it('needed is the one that package.json names', async () => {
    const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
    expect((JSON.parse(text) as { engines: { node: string } }).engines.node).toBe('>=22.18');
  });

  it('has a node:sqlite that does not bind numbered parameters, so no statement has one', async () => {
    const root = join(import.meta.dirname, '../..');
    const numbered: string[] = [];
    for await (const file of glob('src/**/*.ts', { cwd: root })) {
      if (/[\s=(,'"]\?\d/.test(await readFile(join(root, file), 'utf8'))) numbered.push(file);
    }
    expect(numbered).toEqual([]);
  });

  it('is looked at by a file that imports nothing else beforehand', async () => {
    const entry = await readFile(join(import.meta.dirname, '../../src/cli/gazette.ts'), 'utf8');
    expect(entry.match(/^import .*$/gm)).toEqual(["import { nodeComplaint } from './process/node/node-version.ts';"]);
    const check = await readFile(join(import.meta.dirname, '../../src/cli/process/node/node-version.ts'), 'utf8');
    expect(check).not.toMatch(/^import /m);
  });
});

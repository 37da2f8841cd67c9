// How the program treats the process it runs in.
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ending, folder, gazette, start } from './run.ts';
import { memoryFlags } from '../../src/cli/process/memory-flags.ts';
import { hushExperiments } from '../../src/cli/process/warnings.ts';

describe('flags for memory', () => {
  it.each<[string, readonly string[], readonly string[], number]>([
    ['an import', ['import', 'r', 'f.json'], [], 1],
    ['an import that was started with one', ['import', 'r', 'f.json'], ['--max-semi-space-size=32'], 0],
    ['another command', ['register', 'list'], [], 0],
    ['an export', ['export', '-', '--format', 'csv'], [], 1],
    ['a snapshot', ['snapshot', '--out', 'site'], [], 1],
    ['a file of the name of a command', ['register', 'import'], [], 0],
    ['no command', [], [], 0],
  ])('for %s', (_, args, execArgv, count) => {
    expect(memoryFlags(args, execArgv)).toHaveLength(count);
  });
});

describe('warnings', () => {
  it('of experimental features are not shown, others on one line each', () => {
    const shown: string[] = [];
    const emitter = Object.assign(new EventEmitter(), { stderr: { write: (text: string) => shown.push(text) } });
    emitter.on('warning', () => shown.push('as Node prints it'));
    hushExperiments(emitter);
    const warn = (name: string): boolean => emitter.emit('warning', Object.assign(new Error('it is so'), { name }));
    warn('ExperimentalWarning');
    warn('MaxListenersExceededWarning');
    expect(shown).toEqual(['gazette: warning: MaxListenersExceededWarning: it is so\n']);
  });
});

describe('a reader that has enough', () => {
  it('is no failure of the command that writes to it', async () => {
    const store = join(await folder(), 'gazette.db');
    await gazette(['register', 'add', 'r', '--title', 'R', '--store', store]);
    const child = start(['register', 'show', 'r', '--store', store]);
    child.stdin.end();
    child.stdout.destroy();
    expect(await ending(child)).toMatchObject({ code: 0, stderr: '' });
  });
});

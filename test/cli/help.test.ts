// The help of every command and subcommand says nothing that only a program reads, and nothing in commander's own words.
import type { Command } from 'commander';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, listedCommands, loadCommands } from '../../src/cli/main.ts';
import { createProgram } from '../../src/cli/program.ts';
import { gazette } from './run.ts';

/** This command and all below it. */
function family(command: Command): Command[] {
  return [command, ...command.commands.flatMap(family)];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

const { signal } = new AbortController();
const ALL = createProgram(await loadCommands(), process, signal);
const HELP = family(ALL).map((command) => ({
  name: nameOf(command),
  help: command.helpInformation().replace(/\s+/g, ' '),
}));

describe.each(HELP)('the help of $name', ({ help }) => {
  it('shows no list as a default, and no option with two defaults', () => {
    expect(help).not.toMatch(/\(default: \[|\(default: [^)]*\) \(default/);
  });

  it('has no command or option in the words of commander', () => {
    expect(help).not.toContain('display help for command');
    expect(help).toContain('-h, --help print this help');
  });
});

it('is there for commands and subcommands', () => {
  const names = HELP.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['gazette', 'gazette serve', 'gazette key create', 'gazette webhook add']),
  );
});

it.each(COMMAND_NAMES)('of the command %s is the same when only that is loaded', async (name) => {
  const alone = createProgram(await loadCommands([name]), process, signal);
  expect(alone.commands.map((command) => command.name())).toEqual([name]);
  const helps = family(alone.commands[0]!).map((command) => command.helpInformation());
  const all = ALL.commands.find((command) => command.name() === name)!;
  expect(helps).toEqual(family(all).map((command) => command.helpInformation()));
});

describe('of gazette serve', () => {
  it('has the dozen options that a beginner needs, and says in its last line where the others are', async () => {
    const { code, stdout } = await gazette(['serve', '--help']);
    const lines = stdout.toString().trimEnd().split('\n');
    expect(code).toBe(0);
    const flags = lines.flatMap((line) => /^ {2}(?:-h, )?(--[\w-]+)/.exec(line)?.[1] ?? []);
    expect(flags).toHaveLength(14);
    expect(flags).toEqual(expect.arrayContaining(['--store', '--port', '--base-url', '--config', '--help']));
    const all = (await gazette(['serve', '--help', 'all'])).stdout.toString();
    const others = Array.from(all.matchAll(/^ {2}(?:-h, )?--[\w-]+/gm)).length - flags.length;
    expect(lines.at(-1)).toBe(`The other ${others} options: gazette serve --help all`);
    expect(all).toContain('--webhook-schedule');
    expect(all).not.toContain('--help all');
  });

  it('knows all of them where one is misspelt', async () => {
    expect((await gazette(['serve', '--limit-kex', '1/1'])).stderr).toContain('Did you mean --limit-key?');
  });
});

describe('is asked for', () => {
  const of = async (...args: string[]): Promise<string> => (await gazette(args)).stdout.toString();

  it.each([
    [['help'], ['--help']],
    [['-h'], ['--help']],
    [[], ['--help']],
    [
      ['help', 'export'],
      ['export', '--help'],
    ],
    [
      ['export', 'permits', '-h'],
      ['export', '--help'],
    ],
    [
      ['help', 'key', 'create'],
      ['key', 'create', '--help'],
    ],
    [
      ['help', 'serve', 'all'],
      ['serve', '--help', 'all'],
    ],
    [
      ['serve', '--help=all'],
      ['serve', '--help', 'all'],
    ],
    [
      ['serve', '-h', 'all'],
      ['serve', '--help', 'all'],
    ],
  ])('with %j as with %j', async (asked, usual) => {
    const help = await of(...usual);
    expect(help).toContain('Usage: gazette');
    // Without a command, the help is an answer to a mistake.
    const { stdout, stderr } = await gazette(asked);
    expect(stdout.toString() + stderr).toBe(help);
  });

  it.each([
    [['help', 'exprot'], 'export'],
    [['exprot', '--help'], 'export'],
    [['help', 'nothing-like-it'], null],
  ])('of no command there is: %j', async (asked, meant) => {
    const { code, stderr } = await gazette(asked);
    const suggestion = meant === null ? '' : ` (Did you mean ${meant}?)`;
    expect([code, stderr]).toEqual([
      2,
      `gazette: unknown command '${asked.find((word) => !word.endsWith('help'))}'${suggestion} (usage)\n`,
    ]);
  });
});

/** Prints the address of every module that is loaded. */
const TELLING = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });
`)}`;

it.each([['--help'], ['--version'], ['exprot']])('of all commands is printed without loading one: %s', (arg) => {
  const args = ['--import', TELLING, 'src/cli/gazette.ts', arg];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'));
  const ofCommands = /\/src\/(?:cli\/commands|wings\/[a-z]+\/cli)\/(?!commands\.ts$)/;
  expect(loaded.filter((url) => ofCommands.test(url))).toEqual([]);
  // Commander has eight, and the tables of wings are three.
  expect(loaded.length).toBeLessThan(28);
});

it('of all commands lists each as it is', () => {
  const listed = createProgram(listedCommands(), process, signal);
  expect(listed.helpInformation()).toBe(ALL.helpInformation());
});

// The help of every command and subcommand says nothing that only a program reads, and nothing in commander's own words.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, createProgram } from '../../src/cli/main.ts';

/** This command and all below it. */
function family(command: Command): Command[] {
  return [command, ...command.commands.flatMap(family)];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

const { signal } = new AbortController();
const HELP = family(await createProgram(process, signal)).map((command) => ({
  name: nameOf(command),
  help: command.helpInformation().replace(/\s+/g, ' '),
}));

describe.each(HELP)('the help of $name', ({ help }) => {
  it('shows no list as a default, and no option with two defaults', () => {
    expect(help).not.toMatch(/\(default: \[|\(default: [^)]*\) \(default/);
  });

  it('has no command or option in the words of commander', () => {
    expect(help).not.toContain('display help for command');
    expect(help).toContain('--help print this help');
  });
});

it('is there for commands and subcommands', () => {
  const names = HELP.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['gazette', 'gazette serve', 'gazette key create', 'gazette webhook add']),
  );
});

it.each(COMMAND_NAMES)('of the command %s is the same when only that is loaded', async (name) => {
  const alone = await createProgram(process, signal, [name]);
  expect(alone.commands.map((command) => command.name())).toEqual([name]);
  const helps = family(alone.commands[0]!).map((command) => command.helpInformation());
  const all = (await createProgram(process, signal)).commands.find((command) => command.name() === name)!;
  expect(helps).toEqual(family(all).map((command) => command.helpInformation()));
});

// docs/reference/commands.md: every command with its arguments and its options, made of the commands themselves
// (src/cli/command.ts). `npm run docs:reference` writes it, and a test compares it with what is committed.
import {
  type AnyOptions,
  type Command,
  type CommandGroup,
  memberOf,
  type Option,
  spellingsOf,
  variableOf,
} from '../../src/cli/command.ts';
import { optionsOf } from '../../src/cli/program.ts';

const HEAD = `# Commands

Every command with its options, as the commands themselves have them. The first column is the option, the second the variable that says the same (of \`--no-…\`: with the value \`false\`). An option of which the third column names a member of \`gazette.json\` is a setting of the installation. Which of them wins: [configure.md](../configure.md).
`;

/** The page. @param commands all of them, by their names, in the order of the help */
export function commandsPage(commands: Readonly<Record<string, Command | CommandGroup>>): string {
  const sections = Object.entries(commands).flatMap(([name, one]) =>
    'commands' in one
      ? [
          `## gazette ${name}\n\n${cell(one.description)}\n`,
          ...Object.entries(one.commands).map(([sub, leaf]) => sectionOf([name, sub], leaf)),
        ]
      : [sectionOf([name], one)],
  );
  return [HEAD, ...sections].join('\n');
}

function sectionOf(words: readonly string[], command: Command): string {
  const head = `${words.length === 1 ? '##' : '###'} gazette ${words.join(' ')}\n\n${cell(command.description)}\n`;
  const told = command.arguments.map(
    ([name, description]) => `- \`${name}\`${description === undefined ? '' : `: ${cell(description)}`}\n`,
  );
  const rows = rowsOf(optionsOf(command), words);
  const table =
    rows.length === 0
      ? ''
      : `\n| option | variable | member | |\n|---|---|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
  return head + (told.length === 0 ? '' : `\n${told.join('')}`) + table;
}

function rowsOf(options: AnyOptions, words: readonly string[]): readonly (readonly string[])[] {
  return Object.entries(options).map(([name, option]) => {
    const { isSetting = false } = option;
    const variable =
      name === 'config' && words[0] !== 'init' ? variableOf(name) : variableOf(name, isSetting ? [] : words);
    const variables = [variable, ...(option.commonVariable === undefined ? [] : [option.commonVariable])];
    return [
      flagsOf(name, option),
      variables.map((one) => `\`${one}\``).join(', '),
      isSetting ? `\`${memberOf(name)}\`` : '',
      meaningOf(option),
    ];
  });
}

function flagsOf(name: string, option: Option<unknown>): string {
  const [flag, ...others] = spellingsOf(name, option);
  return [option.value === null ? flag! : `${flag} ${option.value}`, ...others].map((text) => `\`${text}\``).join(', ');
}

function meaningOf(option: Option<unknown>): string {
  const { description, choices, isRequired = false, negation, value } = option;
  // A default that is neither has a text.
  const fallback = value === null ? undefined : (option.defaultText ?? (option.default as string | number | undefined));
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(fallback === undefined ? [] : [`default: ${String(fallback)}`]),
    ...(isRequired ? ['required'] : []),
  ];
  const without = negation === undefined ? '' : `; \`--no-…\`: ${negation}`;
  return cell(description) + cell(without) + (notes.length === 0 ? '' : ` (${cell(notes.join('; '))})`);
}

/** A text of the help in Markdown. */
function cell(text: string): string {
  return text.replace(/[|<*_]/g, (character) => `\\${character}`);
}

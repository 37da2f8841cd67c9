// `gazette completion`: a script with which a shell completes the names of commands and options. The script has them in
// itself, so that completing starts no process.
import { GazetteError, quote } from '../errors.ts';
import {
  type AnyOptions,
  type Command,
  command,
  type CommandGroup,
  flagOf,
  spellingsOf,
  type Undescribed,
} from './command.ts';
import { optionsOf } from './program.ts';

/** The shells for which there is a script. */
const SHELLS = ['bash', 'zsh'] as const;

type Commands = Readonly<Record<string, Command | CommandGroup>>;

/** `gazette completion`. @param load gives all commands, by their names */
export function completionCommand(load: () => Promise<Commands>): Undescribed {
  return command({
    arguments: [['<shell>', `${SHELLS.join(' or ')}; to use it at once: source <(gazette completion bash)`]],
    options: {},
    run: async ([named], _, { io }) => {
      const shell = SHELLS.find((known) => known === named);
      if (shell === undefined) {
        throw new GazetteError('usage', `the shell must be one of ${SHELLS.join(', ')}, got ${quote(named)}`);
      }
      io.stdout.write(scriptOf(shell, await load()));
    },
  });
}

function scriptOf(shell: (typeof SHELLS)[number], all: Commands): string {
  const leaves = leavesOf(all);
  const groups = Object.entries(all).flatMap(([name, one]) =>
    'commands' in one ? [[name, Object.keys(one.commands)] as const] : [],
  );
  const names = [...Object.keys(all), 'help'];
  const following = [['', names], ['help', names], ['completion', SHELLS], ...groups] as const;
  const commands = [
    ...names.map((name) => ` ${name}`),
    ...leaves.map(([words]) => words).filter((words) => words.includes(' ')),
  ];
  const values = leaves.flatMap(([words, options]) =>
    Object.entries(options).flatMap(([name, { choices }]) =>
      choices === undefined ? [] : [`'${words} ${flagOf(name)}') words='${choices.join(' ')}' ;;`],
    ),
  );
  return `${shell === 'zsh' ? ZSH : ''}_gazette() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command='' words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$command \${COMP_WORDS[at]}" in
    ${commands.map((words) => `'${words}'`).join(' | ')})
      command="\${command:+$command }\${COMP_WORDS[at]}" ;;
    *) break ;;
    esac
  done
  # Only words of commands came before.
  ((at == COMP_CWORD)) && case "$command" in
  ${following.map(([words, next]) => `'${words}') words='${next.join(' ')}' ;;`).join('\n  ')}
  esac
  if [[ $word == -* ]]; then
    case "$command" in
    ${leaves.map(([words, options]) => `'${words}') words='${flagsIn(options).join(' ')}' ;;`).join('\n    ')}
    *) words='--help' ;;
    esac
  fi
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
  ${values.join('\n  ')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _gazette gazette
`;
}

/** zsh reads the completions of bash. */
const ZSH = 'autoload -U +X compinit bashcompinit && compinit && bashcompinit\n';

/** Every command that does something, by its words, with its options. */
function leavesOf(all: Commands): readonly (readonly [words: string, options: AnyOptions])[] {
  return Object.entries(all).flatMap(([name, one]) =>
    'commands' in one
      ? Object.entries(one.commands).map(([sub, leaf]) => [`${name} ${sub}`, optionsOf(leaf)] as const)
      : [[name, optionsOf(one)] as const],
  );
}

/** How options may be written. */
function flagsIn(options: AnyOptions): readonly string[] {
  return [...Object.entries(options).flatMap(([name, option]) => spellingsOf(name, option)), '--help'];
}

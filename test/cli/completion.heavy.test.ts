// `gazette completion`, asked by a real shell: what it proposes for the word that is being typed.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/main.ts';
import { gazette } from './run.ts';

const script = (await gazette(['completion', 'bash'])).stdout.toString();

/** What bash proposes for the last of these words. */
function proposed(...words: string[]): readonly string[] {
  const asks = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gazette; printf "%s\\n" "${COMPREPLY[@]}"';
  const answer = execFileSync('bash', ['-c', `${script}\n${asks}`, 'bash', 'gazette', ...words], { encoding: 'utf8' });
  return answer.split('\n').filter((line) => line !== '');
}

describe('in bash', () => {
  it.each([
    [[''], [...COMMAND_NAMES, 'help']],
    [['exp'], ['export']],
    [['help', 'exp'], ['export']],
    [
      ['key', 'r'],
      ['rotate', 'revoke'],
    ],
    [['key', 'rotate', '--gr'], ['--grace']],
    [['export', 'permits', '--format-'], ['--format-module']],
    [['serve', '--no-h'], ['--no-hsts']],
    [['import', 'permits', '--order', 'new'], ['newest-first']],
    [['completion', 'z'], ['zsh']],
    [['no-such-command', ''], []],
  ])('after gazette %j come %j', (words, expected) => {
    expect(proposed(...words).toSorted()).toEqual(expected.toSorted());
  });

  it('leaves arguments and values to the shell, which knows the files', () => {
    expect(proposed('import', 'permits', 'perm')).toEqual([]);
    expect(proposed('import', 'permits', '--store', 'gaz')).toEqual([]);
    expect(script).toContain('complete -o default -F _gazette gazette');
  });
});

it('is the same script for zsh, which is told to read it', async () => {
  expect((await gazette(['completion', 'zsh'])).stdout.toString()).toBe(
    `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${script}`,
  );
});

it('refuses another shell', async () => {
  const { code, stderr } = await gazette(['completion', 'fish']);
  expect([code, stderr]).toEqual([2, 'gazette: the shell must be one of bash, zsh, got "fish" (usage)\n']);
});

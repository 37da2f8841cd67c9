// Words that people paste into a shell are asked of a shell.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/import/shell-word.ts';

it.each([
  ['a plain one', 'id=key', 'id=key'],
  ['spaces', 'id=the key', "'id=the key'"],
  ['a quotation mark', "id=it's", "'id=it'\\''s'"],
  ['zero widths', 'title=a\u200bb', "$'title=a\\U0000200bb'"],
  ['bidirectional controls', "id=\u202e'\\x", "$'id=\\U0000202e\\'\\\\x'"],
  ['tag characters', 'id=\u{e0041}', "$'id=\\U000e0041'"],
  ['a terminal’s escape', 'id=\u001b[2J', "$'id=\\U0000001b[2J'"],
])('a word with %s is what a shell reads', (_, text, written) => {
  const word = shellWord(text);
  expect(word).toBe(written);
  expect(word).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u);
  const { stdout } = spawnSync('bash', ['-c', `printf %s ${word}`], { env: { LC_ALL: 'C.UTF-8' }, encoding: 'utf8' });
  expect(stdout).toBe(text);
});

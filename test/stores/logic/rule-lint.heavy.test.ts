// What the lint refuses in a rule of the stores: above all a forgotten `yield*`, which no type shows and which on no
// database does anything. The project's own configuration is run, on small rules.
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import tseslint from 'typescript-eslint';

// Without the rules that need types: the files named here are not there.
const eslint = new ESLint({
  overrideConfig: [
    { files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } },
    { files: ['**/*.ts'], rules: { ...tseslint.configs.disableTypeChecked.rules, 'types/compiler': 'off' } },
  ],
});

async function refusals(body: string, path = 'src/stores/logic/example.ts', sql = 'sql'): Promise<string[]> {
  const code = `
    import type { Rule, Sql } from './rule.ts';
    import { NUMBER, THINGS, findThing } from './things.ts';
    /** An example. */
    export function* example(${sql}: Sql, id: string, at: string): Rule<unknown> {
      ${body}
    }`;
  const [result] = await eslint.lintText(code, { filePath: path });
  return result!.messages.filter(({ ruleId }) => ruleId === 'no-restricted-syntax').map(({ message }) => message);
}

const INSERT = 'sql.run`INSERT INTO ${THINGS} (id, at) VALUES (${id}, ${at})`';
const SELECT = 'sql.one(NUMBER)`SELECT ${NUMBER} FROM ${THINGS} WHERE id = ${id}`';

describe('the lint of rules', () => {
  it.each([
    ['statements', `yield* ${INSERT}; return yield* ${SELECT};`],
    ['rules within rules', `if ((yield* findThing(sql, id)) === null) return null; return yield* findThing(sql, at);`],
    ['a choice of statements', `return id === at ? yield* ${SELECT} : yield* findThing(sql, id);`],
    ['rows by their keys', `yield* sql.put(THINGS, [[id]]); return yield* sql.get(THINGS, [[id]]);`],
    ['a time that is given', `return new Date(at).toISOString();`],
  ])('allows %s', async (_, body) => {
    expect(await refusals(body)).toEqual([]);
  });

  it.each([
    ['a statement without yield*', `${INSERT}; return yield* ${SELECT};`, /yield\*/],
    ['a question without yield*', `return ${SELECT};`, /yield\*/],
    ['a question kept for later', `const number = ${SELECT}; return number;`, /yield\*/],
    ['rows by their keys without yield*', `sql.put(THINGS, [[id]]); return null;`, /yield\*/],
    ['a rule without yield*', `findThing(sql, id); return null;`, /yield\*/],
    ['a rule asked for whether it is there', `if (findThing(sql, id) === null) return null; return 1;`, /yield\*/],
    ['a rule that is only yielded', `return yield findThing(sql, id);`, /yield\*/],
    ['a rule that is given sql last', `yield* findThing(id, sql); return null;`, /sql first/],
    ['a statement without its text', `const ask = sql.one(NUMBER); return ask;`, /take their statement at once/],
    [
      'sql under another name',
      `const { run } = sql; const ask = sql.run; return [run, ask];`,
      /used where it is given/,
    ],
    ['something yielded', `yield { text: '', values: [] }; return null;`, /yields nothing by itself/],
    ['a query error that is caught', `try { yield* ${INSERT}; } catch { return null; } return 1;`, /catches no error/],
    ['a clock', `return Date.now();`, /clock/],
    ['the time of now', `return new Date();`, /clock/],
    ['a random number', `return Math.random();`, /random/],
    ['a random id', `return crypto.randomUUID();`, /random/],
  ])('refuses %s', async (_, body, message) => {
    expect((await refusals(body)).join('\n')).toMatch(message);
  });

  it('refuses a rule that has another name for sql', async () => {
    expect((await refusals('return null;', undefined, 'db')).join()).toMatch(/calls what it asks/);
  });

  it('leaves code outside the rules alone', async () => {
    expect(await refusals(`${INSERT}; return Date.now();`, 'src/stores/rows/example.ts')).toEqual([]);
  });
});

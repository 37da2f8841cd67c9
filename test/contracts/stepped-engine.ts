// An engine that says before each statement of a writing rule, and after its commit, where it is: a listener may end
// the rule there, as a process that is killed does.
import { ledgerOn } from '../../src/wings/selling/stores/ledger-store.ts';
import type { Engine, Rule, Sql } from '../../src/stores/logic/rule.ts';
import type { LedgerStore } from '../../src/wings/selling/stores/contract/ledger.ts';

/** Where a rule is: before its statement of this number, from 0; before its commit; or after it. */
export type Step = number | 'commit' | 'answer';

/** The ledger of an engine, whose writing rules say where they are. @param at may throw, or never return */
export function steppedLedger(engine: Engine, at: (step: Step) => void): LedgerStore {
  return ledgerOn({
    read: (rule, ...given) => engine.read(rule, ...given),
    async write(rule, ...given) {
      function* stepped(sql: Sql): ReturnType<typeof rule> {
        let step = 0;
        const result = yield* rule(
          countedSql(sql, () => {
            at(step++);
          }),
          ...given,
        );
        at('commit');
        return result;
      }
      const result = await engine.write(stepped as (sql: Sql) => Rule<Awaited<ReturnType<typeof rule>['return']>>);
      at('answer');
      return result as never;
    },
  });
}

function countedSql(sql: Sql, before: () => void): Sql {
  return {
    ...sql,
    one: (shape) => {
      const statement = sql.one(shape);
      return (texts, ...parts) => {
        before();
        return statement(texts, ...parts);
      };
    },
    all: (shape) => {
      const statement = sql.all(shape);
      return (texts, ...parts) => {
        before();
        return statement(texts, ...parts);
      };
    },
    run: (texts, ...parts) => {
      before();
      return sql.run(texts, ...parts);
    },
  };
}

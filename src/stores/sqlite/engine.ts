// Rules on a SQLite connection. A query is run at once, in the rule's own frame: nothing is yielded, and a statement of a
// rule costs a tenth or two of a microsecond more than the same statement called directly.
import { type Answer, faultOf, type Engine, templatesIn, type Query,
  type SqlParameter, type Rule, type Sql, type Statement, yieldedSql } from '../logic/rule.ts'; // prettier-ignore
import type { Dialect } from '../rows/sql.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteStatement } from './statement.ts';
import { primaryCode } from './transaction.ts';

const DIALECT: Dialect = {
  table: (name) => name,
  parameter: () => '?',
  // There is one writer at a time.
  forUpdate: '',
  least: 'min',
  greatest: 'max',
  isPresent: 'is_removed = 0',
};

// https://sqlite.org/rescode.html: ERROR, CONSTRAINT, MISMATCH, MISUSE, RANGE.
const REFUSED: ReadonlySet<number> = new Set([1, 19, 20, 21, 25]);

/** The rules of one connection. */
export class SqliteEngine implements Engine {
  readonly #connection: SqliteConnection;
  /** By their texts. */
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #atOnce: Sql;
  readonly #yielded: Sql = yieldedSql(DIALECT);

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    const fill = templatesIn(DIALECT, (text) => this.#prepared(text));
    const statement = <T>(run: (prepared: SqliteStatement, values: readonly SqlParameter[]) => T): Statement<T> => {
      return (texts, ...parts) =>
        new AtOnce(() => {
          const { prepared, values } = fill(texts, parts);
          return run(prepared, values);
        });
    };
    this.#atOnce = {
      one: (shape) =>
        statement((prepared, values) => {
          const row = prepared.get(...values);
          return row === undefined ? null : shape.read(row);
        }),
      all: (shape) => statement((prepared, values) => prepared.all(...values).map(shape.read)),
      run: statement((prepared, values) => Number(prepared.run(...values).changes)),
    };
  }

  async write<Given extends readonly unknown[], T>(
    rule: (sql: Sql, ...given: Given) => Rule<T>,
    ...given: Given
  ): Promise<T> {
    try {
      return await this.#connection.write(() => resultOf(rule(this.#atOnce, ...given)));
    } catch (error) {
      throw named(rule, error);
    }
  }

  async read<Given extends readonly unknown[], T>(
    rule: (sql: Sql, ...given: Given) => Rule<T>,
    ...given: Given
  ): Promise<T> {
    try {
      const steps = rule(this.#yielded, ...given);
      let step = steps.next(NOTHING);
      if (step.done !== true) step = steps.next(this.#answer(step.value));
      if (step.done === true) return step.value;
      // It has more statements than one: all over again, on one state of the file.
      return this.#connection.read(() => resultOf(rule(this.#atOnce, ...given)));
    } catch (error) {
      throw named(rule, error);
    }
  }

  #answer({ text, values }: Query): Answer {
    const rows = this.#prepared(text).all(...values);
    return { rows, count: rows.length };
  }

  #prepared(text: string): SqliteStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#connection.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

const NOTHING: Answer = { rows: [], count: 0 };

/** A query that `yield*` runs without giving way. */
class AtOnce<T> implements Iterator<Query, T, Answer>, Iterable<Query, T, Answer> {
  readonly #run: () => T;

  constructor(run: () => T) {
    this.#run = run;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorReturnResult<T> {
    return { done: true, value: this.#run() };
  }
}

function resultOf<T>(steps: Rule<T>): T {
  const step = steps.next(NOTHING);
  if (step.done !== true) throw new TypeError(`a rule yielded by itself: ${step.value.text}`);
  return step.value;
}

function named(rule: { readonly name: string }, error: unknown): unknown {
  return REFUSED.has(primaryCode(error)) ? faultOf(rule, error) : error;
}

// Runs rules on a PostgreSQL database. Each yielded query is sent, and its result is returned to the rule. No statement
// has a name, because poolers such as PgBouncer share a connection's statements between clients.
import type { SqlRow } from '../rows/columns.ts';
import {
  type Answer,
  faultOf,
  type Engine,
  type PluginRules,
  type Query,
  type Rule,
  type Sql,
  yieldedSql,
} from '../logic/rule.ts';
import type { PostgresClient, PostgresConnection } from './connection.ts';
import { rowsOf } from './connection.ts';
import { dialectOf } from './dialect.ts';

/**
 * How often a rule that ends in a deadlock is run. The database aborts one of the transactions that wait for each
 * other.
 */
const ATTEMPTS = 5;

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const DEADLOCK = '40P01';

/** Data, constraints and names that do not fit the statement; 42501 is a missing privilege. */
const REFUSED = /^(?:22|23|42(?!501))/;

/** The rules of one store. */
export class PostgresEngine implements Engine {
  readonly #connection: PostgresConnection;
  readonly #sql: Sql;

  constructor(connection: PostgresConnection, plugins: readonly PluginRules[] = []) {
    this.#connection = connection;
    this.#sql = yieldedSql(dialectOf(connection.prefix), plugins);
  }

  async write<Given extends readonly unknown[], T>(
    rule: (sql: Sql, ...given: Given) => Rule<T>,
    ...given: Given
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#connection.transaction((_, client) => this.#run(rule(this.#sql, ...given), client));
      } catch (error) {
        if (codeOf(error) !== DEADLOCK || attempt === ATTEMPTS) throw named(rule, error);
      }
    }
  }

  async read<Given extends readonly unknown[], T>(
    rule: (sql: Sql, ...given: Given) => Rule<T>,
    ...given: Given
  ): Promise<T> {
    try {
      const steps = rule(this.#sql, ...given);
      let step = steps.next(NOTHING);
      if (step.done !== true) {
        const rows = await this.#connection.query(step.value.text, step.value.values);
        step = steps.next({ rows, count: rows.length });
      }
      if (step.done === true) return step.value;
      // The rule has more than one statement: run it again from the start, on one state of the database.
      return await this.#connection.snapshot((client) => this.#run(rule(this.#sql, ...given), client));
    } catch (error) {
      throw named(rule, error);
    }
  }

  async #run<T>(steps: Rule<T>, client: PostgresClient): Promise<T> {
    let step = steps.next(NOTHING);
    while (step.done !== true) step = steps.next(await answerOf(client, step.value));
    return step.value;
  }
}

/** Runs a statement of this database as a part of a rule. @returns its rows */
export function* query(text: string, values: Query['values'] = []): Rule<readonly SqlRow[]> {
  return (yield { text, values }).rows;
}

const NOTHING: Answer = { rows: [], count: 0 };

async function answerOf(client: PostgresClient, { text, values }: Query): Promise<Answer> {
  const result = await client.query({ text, values: [...values], rowMode: 'array' });
  return { rows: rowsOf(result), count: result.rowCount ?? 0 };
}

function named(rule: { readonly name: string }, error: unknown): unknown {
  return REFUSED.test(codeOf(error)) ? faultOf(rule, error) : error;
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

// An inspection holds a bounded number of rows at a time, however long the log of a register is.
import { expect, it } from 'vitest';
import type { Finding } from '../../../src/stores/contract/inspection.ts';
import { inspectionOn } from '../../../src/stores/logic/inspect/inspection.ts';
import type { Engine, Rule, Sql, Statement } from '../../../src/stores/logic/rule.ts';
import type { Shape } from '../../../src/stores/rows/sql.ts';
import { SEGMENT } from '../../../src/stores/logic/finding/postings.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { STORED } from '../../../src/wings/stored.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { folder } from '../../cli/run.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

/** Runs rules on another engine, and counts the rows of each one that reads. */
class CountingEngine implements Engine {
  readonly #engine: Engine;
  /** The most rows that a rule was given. */
  most = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  write<Given extends readonly unknown[], T>(
    rule: (sql: Sql, ...given: Given) => Rule<T>,
    ...given: Given
  ): Promise<T> {
    return this.#engine.write(rule, ...given);
  }

  read<Given extends readonly unknown[], T>(rule: (sql: Sql, ...given: Given) => Rule<T>, ...given: Given): Promise<T> {
    const note = (rows: number): void => {
      this.most = Math.max(this.most, rows);
    };
    const counted = (sql: Sql, ...all: Given): Rule<T> => {
      let rows = 0;
      const count = <R>(shape: Shape<R>): Statement<R[]> => {
        const statement = sql.all(shape);
        return (...parts) => ({
          *[Symbol.iterator]() {
            const found = yield* statement(...parts);
            rows += found.length;
            note(rows);
            return found;
          },
        });
      };
      return rule({ ...sql, all: count }, ...all);
    };
    return this.#engine.read(counted, ...given);
  }
}

/** The most rows that a part of the inspection holds, and what it finds, of a store with so many versions. */
async function inspect(versions: number): Promise<{ readonly most: number; readonly findings: Finding[] }> {
  const path = `${await folder()}/store.db`;
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  await store.apply(
    'permits',
    Array.from({ length: versions / 2 }, (_, n) => say(`${n}`)),
    { recordedAt: at(0) },
  );
  const changed = Array.from({ length: versions / 2 }, (_, n) => say(`${n}`, { title: 'Changed' }));
  await store.apply('permits', changed, { recordedAt: at(1) });
  await store.close();
  const connection = SqliteConnection.open(path);
  const engine = new CountingEngine(new SqliteEngine(connection, STORED));
  const findings: Finding[] = [];
  const damage = () => Promise.reject(new Error('not asked for'));
  for await (const part of inspectionOn(engine, damage, STORED).rows()) findings.push(...part.findings);
  connection.close();
  return { most: engine.most, findings };
}

it('holds no more rows of a long log at a time than of a segment', async () => {
  // At most a segment of the index of terms: its records, a key of each, and some terms that they share.
  const { most, findings } = await inspect(10_000);
  expect(findings).toEqual([]);
  expect(most).toBeLessThan(2 * SEGMENT + 200);
});

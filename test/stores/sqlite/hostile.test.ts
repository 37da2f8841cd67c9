// What a SQLite store reads for the worst questions. Statements are counted where node:sqlite runs them; those that run before
// anybody else gets a turn are one read.
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { COSTS, hostileContract, type Read, textIn } from '../../contracts/hostile-contract.ts';

hostileContract('SqliteStore', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const watch = new Watch();
  const store = SqliteStore.open(path, { bulk: true });
  return Promise.resolve({
    store,
    reads: () => watch.reads(),
    plans: async () => {
      const database = new DatabaseSync(path, { readOnly: true });
      const plans = [...watch.asked].map((sql) => {
        const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
        return rows.map(({ detail }) => String(detail)).join('\n');
      });
      database.close();
      return Promise.resolve(plans);
    },
    settle: async () => {
      // What writers ask is not of a request.
      watch.asked.clear();
      watch.reads();
      return Promise.resolve();
    },
    // What is asked for comes as lists: nothing else is read whole.
    refused: /^SCAN (?!(?:s|json_each) VIRTUAL TABLE)|TEMP B-TREE|AUTOMATIC/m,
    dispose: async () => {
      watch.end();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  });
});

/** Counts what node:sqlite reads of the tables of records and terms. */
class Watch {
  readonly asked = new Set<string>();
  readonly #native = Object.getOwnPropertyDescriptors(StatementSync.prototype);
  #reads: Read[] = [];
  #isOpen = false;

  constructor() {
    const note = (sql: string, parameters: readonly SQLInputValue[], rows: readonly unknown[]): void => {
      this.#note(sql, parameters, rows);
    };
    const all: (this: StatementSync, ...parameters: SQLInputValue[]) => unknown[] = this.#native.all.value!;
    const get: (this: StatementSync, ...parameters: SQLInputValue[]) => unknown = this.#native.get.value!;
    replace('all', function (...parameters) {
      const rows = all.apply(this, parameters);
      note(this.sourceSQL, parameters, rows);
      return rows;
    });
    replace('get', function (...parameters) {
      const row = get.apply(this, parameters);
      note(this.sourceSQL, parameters, row === undefined ? [] : [row]);
      return row;
    });
  }

  reads(): readonly Read[] {
    const reads = this.#reads;
    this.#reads = [];
    this.#isOpen = false;
    return reads;
  }

  end(): void {
    Object.defineProperties(StatementSync.prototype, { all: this.#native.all, get: this.#native.get });
  }

  #note(sql: string, parameters: readonly SQLInputValue[], rows: readonly unknown[]): void {
    if (!/^\s*SELECT\b/.test(sql)) return;
    if (/\b(?:FROM|JOIN) (?:records|term_postings|value_columns)\b/.test(sql)) this.asked.add(sql);
    if (!this.#isOpen) {
      this.#reads.push({ records: 0, text: 0, looks: 0 });
      this.#isOpen = true;
      queueMicrotask(() => {
        this.#isOpen = false;
      });
    }
    const last = this.#reads.at(-1)!;
    const isRecords = /\bFROM records\b/.test(sql);
    this.#reads[this.#reads.length - 1] = {
      records: last.records + (isRecords ? rows.length : 0),
      text: last.text + (isRecords ? rows.reduce<number>((sum, row) => sum + textIn(row as unknown[]), 0) : 0),
      looks: last.looks + looksOf(sql, parameters),
    };
  }
}

function looksOf(sql: string, [segments]: readonly SQLInputValue[]): number {
  if (sql.includes('term >= ')) return COSTS.beginning;
  if (!/\bJOIN (?:term_postings|value_columns)\b/.test(sql)) return 0;
  const { length } = JSON.parse(segments as string) as readonly unknown[];
  return length * (sql.includes('JOIN value_columns') ? COSTS.range : 1);
}

function replace(name: 'all' | 'get', value: (this: StatementSync, ...parameters: SQLInputValue[]) => unknown): void {
  Object.defineProperty(StatementSync.prototype, name, { value, configurable: true, writable: true });
}

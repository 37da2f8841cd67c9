// Overwrites of single values in a store's rows, below the store: what somebody does with a database tool, or a disk.
// The inspection must find each and name the row.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import type { Finding, InspectedStore } from '../../src/stores/contract/inspection.ts';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import { tries } from '../effort.ts';
import { at } from './store-register.ts';

/** A value as a driver takes and returns it. Integers are texts where a driver refuses large ones. */
export type Value = string | number | bigint | Uint8Array | null;

/** A column of a table. */
export interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: 'text' | 'integer' | 'bytes';
  /** Its place in the primary key, from 1; 0 for a column that is not in it. */
  readonly keyAt: number;
}

/** A filled store (full-store.ts) and a way to its rows. */
export interface OpenedRows {
  readonly store: InspectedStore;
  readonly columns: readonly Column[];
  /** The name of a table in statements. */
  readonly name: (table: string) => string;
  /** The n-th placeholder, from 1. */
  readonly mark: (n: number) => string;
  /** Runs a statement without checks of references. Rows are objects. */
  readonly run: (sql: string, values: readonly Value[]) => Promise<readonly Readonly<Record<string, Value>>[]>;
}

/**
 * Columns of which the inspection checks the form alone, because another value of the same form is what an operator may
 * have wanted, or what only happened once: nothing else in the store depends on it.
 */
const FORM_ALONE: Readonly<Record<string, string>> = {
  'accounts.id': 'keys and endpoints show the other name, but an account need not have any',
  'accounts.access_until': 'an operator sets it at will',
  'accounts.is_suspended': 'an operator sets it at will',
  'accounts.created_at': 'nothing repeats it',
  'accounts.limit_requests': 'an operator sets it at will',
  'accounts.limit_seconds': 'an operator sets it at will',
  'accounts.email': 'an operator sets it at will',
  'api_keys.name': 'its owner sets it at will',
  'api_keys.scopes': 'its owner sets it at will',
  'api_keys.feeds': 'its owner sets it at will',
  'api_keys.limit_requests': 'its owner sets it at will',
  'api_keys.limit_seconds': 'its owner sets it at will',
  'api_keys.expires_at': 'its owner sets it at will',
  'api_keys.requests': 'nothing repeats it',
  'idempotency_keys.account_id': 'the other account exists',
  'idempotency_keys.route': 'clients alone remember it',
  'idempotency_keys.name': 'clients alone remember it',
  'idempotency_keys.digest': 'clients alone remember it',
  'idempotency_keys.token': 'its process alone knows it',
  'idempotency_keys.begun_at': 'nothing repeats it',
  'idempotency_keys.ends_at': 'nothing repeats it',
  'idempotency_keys.result': 'an endpoint may have been changed since',
  'api_keys.number': 'nothing refers to it',
  'api_keys.digest': 'the key itself is stored nowhere',
  'api_keys.id': 'nothing refers to it',
  'api_keys.account_id': 'the other account exists',
  'api_keys.product': 'the key belongs to another deployment then, which may exist',
  'api_keys.last_four': 'the key itself is stored nowhere',
  'api_keys.created_at': 'nothing repeats it',
  'api_keys.last_used_at': 'nothing repeats it',
  'api_keys.ends_at': 'an operator sets it at will',
  'api_keys.revoked_at': 'an operator sets it at will',
  'api_keys.budget': 'its owner sets it at will',
  'api_keys.per_day': 'its owner sets it at will',
  'api_keys.spent_day': 'nothing repeats it',
  'api_keys.spent_on_day': 'nothing repeats it',
  'ledger.at': 'nothing repeats it',
  'ledger.payer': 'the sums of the accounts show it',
  'ledger.amount': 'the sums of the accounts show it',
  'ledger.currency': 'the currency of the account shows it',
  'ledger.provider': 'the sums of the accounts show it',
  'ledger.reference': 'the provider alone knows it',
  'ledger.key_id': 'the sums of the keys show it',
  'ledger.idempotency_key': 'clients alone remember it',
  'ledger.reason': 'nothing repeats it',
  'holds.number': 'nothing refers to it',
  'holds.payload': 'the provider alone knows it',
  'holds.requirements': 'the provider alone knows it',
  'holds.identifier': 'clients alone remember it',
  'holds.opened_at': 'nothing repeats it',
  'holds.ended_at': 'nothing repeats when it was',
  'sign_in_links.kind': 'an editor may have the name of an account',
  'sign_in_links.owner': 'the other account or editor exists',
  'sign_in_links.digest': 'the link itself is stored nowhere',
  'sign_in_links.ends_at': 'nothing repeats it',
  'sign_in_links.mails': 'nothing repeats it',
  'sign_in_links.mails_since': 'nothing repeats it',
  'sessions.digest': 'the secret itself is stored nowhere',
  'sessions.kind': 'an editor may have the name of an account',
  'sessions.owner': 'the other account or editor exists',
  'sessions.created_at': 'nothing repeats it',
  'sessions.ends_at': 'nothing repeats it',
  'editors.name': 'nothing but links and sessions refers to it',
  'editors.email': 'an operator sets it at will',
  'editors.feeds': 'an operator sets it at will',
  'editors.role': 'an operator sets it at will',
  'editors.created_at': 'nothing repeats it',
  'editors.removed_at': 'nothing repeats when it was',
  'desk_log.number': 'nothing refers to it',
  'desk_log.at': 'nothing repeats it',
  'desk_log.who': 'nothing repeats it',
  'desk_log.role': 'nothing repeats it',
  'desk_log.action': 'nothing repeats it',
  'desk_log.feed': 'rows of removed registers remain',
  'desk_log.subject': 'nothing repeats it',
  'configuration.digest': 'the configuration itself is stored nowhere',
  'configuration.since': 'nothing repeats it',
  'leases.last_write': 'nothing repeats it',
  'leases.last_result': 'nothing repeats it',
  'register_counts.signature': 'another rule makes another one, and own values are then counted again',
  'register_counts.next_position': 'a register of which no own value is counted has the same counters',
  'register_terms.signature': 'another rule makes another one, and the index is then made again',
  'register_terms.next_position': 'the records up to it are indexed again',
  'webhook_endpoints.id': 'nothing refers to it; the key of the secrets shows it (operate/doctor.ts)',
  'webhook_endpoints.account_id': 'the other account exists',
  'webhook_endpoints.url': 'an operator sets it at will',
  'webhook_endpoints.feeds': 'an operator sets it at will',
  'webhook_endpoints.types': 'an operator sets it at will',
  'webhook_endpoints.filters': 'an operator sets it at will',
  'webhook_endpoints.created_at': 'nothing repeats it',
  'webhook_endpoints.disabled_at': 'nothing repeats it',
  'webhook_endpoints.disabled_reason': 'nothing repeats it',
  'webhook_endpoints.failing_since': 'nothing repeats it',
  'webhook_endpoints.secret': 'the key of the secrets shows it (operate/doctor.ts)',
  'webhook_endpoints.next_secret': 'the key of the secrets shows it (operate/doctor.ts)',
  'webhook_endpoints.previous_secret': 'the key of the secrets shows it (operate/doctor.ts)',
  'webhook_endpoints.previous_until': 'an operator sets it at will',
  'webhook_endpoints.told': 'nothing repeats it',
  'webhook_endpoints.told_until': 'nothing repeats it',
  'webhook_endpoints.standard_webhooks': 'an operator sets it at will',
  'webhook_starts.register': 'rows of removed registers remain',
  'webhook_starts.endpoint': 'the other endpoint exists',
  'webhook_starts.change': 'an endpoint may start at any change',
  'webhook_cursors.register': 'rows of removed registers remain',
  'webhook_cursors.change': 'a fan-out may have come to any change',
  'webhook_deliveries.number': 'nothing refers to one that was not tried yet',
  'webhook_deliveries.endpoint': 'the other endpoint exists',
  'webhook_deliveries.event_id': 'receivers alone remember it',
  'webhook_deliveries.type': 'receivers alone remember it',
  'webhook_deliveries.base_url': 'the service may have had any address',
  'webhook_deliveries.created_at': 'nothing repeats it',
  'webhook_deliveries.state': 'an attempt has many outcomes',
  'webhook_deliveries.reason': 'an attempt has many outcomes',
  'webhook_deliveries.tries': 'a replay begins to count again',
  'webhook_deliveries.due_at': 'the schedule is set at will',
  'webhook_deliveries.lease': 'it belongs to a process that may be gone',
  'webhook_attempts.at': 'nothing repeats it',
  'webhook_attempts.duration_ms': 'nothing repeats it',
  'webhook_attempts.status': 'receivers alone remember it',
  'webhook_attempts.error': 'nothing repeats it',
  'webhook_attempts.response': 'receivers alone remember it',
  'leases.register': 'a process may work on the other register',
  'leases.token': 'its process alone knows it',
  'leases.what': 'its process alone knows it',
  'leases.host': 'its process alone knows it',
  'leases.pid': 'its process alone knows it',
  'leases.since': 'its process alone knows it',
  'leases.ends_at': 'its process alone knows it',
  'store_keys.name': 'a key that is missing is made anew',
  'store_keys.secret': 'digests that were made with it are compared with each other alone',
  'registers.is_renumbered': 'it only says where else to look for a key',
  'registers.building': 'it only makes other entity tags',
  'versions.import': 'the other import exists',
  'erased_keys.said': 'the key was erased',
  'erased_records.hmac': 'the tree over the log has it: its version is named',
  'imports.report': 'nothing repeats it',
  'imports.replaced': 'nothing repeats it',
  'erased_keys.slot': 'the other record exists',
  'signed_logs.uuid': 'nothing repeats that of the log of logs',
  'imports.first_change': 'other work on the register changes it too',
  'imports.number': 'nothing refers to it',
  'imports.register': 'the other register exists',
  'imports.file': 'the file is not stored',
  'imports.cause': 'nothing repeats it',
  'imports.who': 'nothing repeats it',
  'imports.begun_at': 'nothing repeats it',
  'imports.state': 'nothing repeats it',
  'imports.added': 'the file is not stored',
  'imports.changed': 'the file is not stored',
  'imports.unchanged': 'the file is not stored',
  'imports.restored': 'the file is not stored',
  'imports.redacted': 'the file is not stored',
  'imports.withdrawn': 'the file is not stored',
  'imports.refused': 'the file is not stored',
  'imports.ended_at': 'nothing repeats it',
  'imports.error': 'nothing repeats it',
  'imports.decided_by': 'nothing repeats it once it is decided',
  'imports.last_change': 'other work on the register changes it too',
  'imports.digest': 'the file is not stored',
  'proposals.change': 'a proposal may be made at any change',
  'proposals.digest': 'the file is not stored',
  'proposals.settings': 'the file is not stored',
  'proposals.report': 'the file is not stored',
  'proposals.unchanged': 'the file is not stored',
  'proposed_records.number': 'the other import exists',
  'proposed_records.batch': 'the file is not stored',
  'proposed_records.place': 'the file is not stored',
  'proposed_records.record_id': 'the file may have any record',
  'proposed_records.stated': 'the file is not stored',
  'kept_by_hand.slot': 'the other record exists',
  'kept_by_hand.said': 'the file is not stored',
  'kept_by_hand.version': 'the record has the other version too',
  'withdrawn.is_redacted': 'the redaction may have been lifted, which leaves no other trace',
  'versions.content_version': 'in erased versions nothing depends on it',
  'versions.cause': 'a correction looks like a change of the source',
  'versions.recorded_at': 'any time between its neighbours would do',
  'versions.changed': 'it depends on the definition of its time',
  'versions.salt': 'an erased version needs none',
  'versions.commitment': 'an erased version has no salt to check it with',
  'versions.log': 'an erased version has no salt to check it with',
  'registers.definition': 'an operator sets it at will',
  'registers.import_order': 'nothing repeats it',
  'registers.row_secret': 'nothing tells which keys were made with it',
  'registers.ignored': 'nothing repeats it',
  'registers.reading': 'nothing repeats it',
  'registers.last_change': 'it moves with the definition too',
  'registers.last_modified': 'it may be ahead of the last change',
  'registers.definition_version': 'nothing repeats it',
  'purges.part': 'another part may have to be rewritten',
  'purges.number': 'it only rises',
  'purges.asked_at': 'nothing repeats it',
  'limit_counts.caller': 'nothing refers to it',
  'limit_counts.used': 'nothing repeats it',
  'limit_counts.granted': 'nothing repeats it',
  'limit_counts.ends_at': 'nothing repeats it',
  'failure_counts.caller': 'nothing refers to it',
  'failure_counts.used': 'nothing repeats it',
  'failure_counts.granted': 'nothing repeats it',
  'failure_counts.ends_at': 'nothing repeats it',
  'limit_nodes.node': 'its process alone knows it',
  'limit_nodes.seen_at': 'nothing repeats it',
  'removed_registers.id': 'a register of the other id may have been removed',
  'removed_registers.last_modified': 'the removed register is gone',
};

/** Columns of {@link FORM_ALONE} that may contain any text. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  ...['idempotency_keys.route', 'idempotency_keys.name', 'idempotency_keys.token'],
  ...['ledger.reference', 'ledger.key_id', 'ledger.idempotency_key', 'ledger.reason', 'holds.identifier'],
  ...[
    'api_keys.id',
    'api_keys.name',
    'webhook_endpoints.id',
    'webhook_deliveries.base_url',
    'webhook_attempts.response',
  ],
  ...[
    'leases.token',
    'leases.what',
    'leases.host',
    'store_keys.name',
    'imports.file',
    'imports.who',
    'imports.decided_by',
    'purges.part',
  ],
  ...['desk_log.who', 'desk_log.feed', 'desk_log.subject'],
  ...['configuration.digest', 'proposals.unchanged'],
  ...['limit_counts.caller', 'failure_counts.caller', 'limit_nodes.node'],
]);

/** Columns that may contain any JSON. */
const ANY_JSON: ReadonlySet<string> = new Set([
  'idempotency_keys.result',
  'holds.payload',
  'holds.requirements',
  'imports.replaced',
  'proposals.settings',
  'proposals.report',
  'proposed_records.stated',
]);

type Row = Readonly<Record<string, Value>>;

/** Every finding of an inspection. */
export async function inspected({ inspection }: InspectedStore): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const part of inspection.rows()) findings.push(...part.findings);
  return findings;
}

/** Registers the suite for one database. */
export function overwriteContract(open: () => OpenedRows): void {
  // A purge that was held up, which no store is made to have.
  beforeAll(async () => {
    const { run, name } = open();
    await run(`INSERT INTO ${name('purges')} (part, number, asked_at) VALUES ('records', 1, '${at(8)}')`, []);
    // Counts of nodes, which a store in a file has none of.
    for (const table of ['limit_counts', 'failure_counts']) {
      await run(`INSERT INTO ${name(table)} (caller, used, granted, ends_at) VALUES ('key demo', 3, 2, 60000)`, []);
    }
    await run(`INSERT INTO ${name('limit_nodes')} (node, seen_at) VALUES ('demo', 1)`, []);
  });

  it('finds nothing wrong in a store that a service has filled', async () => {
    expect(await inspected(open().store)).toEqual([]);
  });

  it('has checked every column of every table, or says why not', () => {
    const { columns } = open();
    const tables = new Set(columns.map(({ table }) => table));
    const names = new Set(columns.map(({ table, column }) => `${table}.${column}`));
    // A wing that is not there has none of its tables.
    const asked = Object.keys(FORM_ALONE).filter((name) => tables.has(name.split('.')[0]!));
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
    expect([...ANY_TEXT].filter((name) => FORM_ALONE[name] === undefined)).toEqual([]);
  });

  it('finds a value of a wrong form in every column of which the form alone is checked', async () => {
    const rows = open();
    const checked = rows.columns.filter(({ table, column }) => {
      const name = `${table}.${column}`;
      return FORM_ALONE[name] !== undefined && !ANY_TEXT.has(name);
    });
    // All at once, but for keys: a row must still be found.
    const keys = checked.filter(({ keyAt }) => keyAt > 0).map((column) => [column]);
    for (const together of [checked.filter(({ keyAt }) => keyAt === 0), ...keys]) {
      const misfits: { readonly column: Column; readonly row: Row; readonly value: Value }[] = [];
      for (const column of together) {
        const [row] = await rowsOf(rows, column.table);
        misfits.push({ column, row: row!, value: { text: '?', integer: -1, bytes: new Uint8Array() }[column.type] });
      }
      const findings = await misfits.reduceRight(
        (work, { column, row, value }) =>
          () =>
            overwritten(rows, column, row, value, work),
        (): Promise<Finding[] | null> => inspected(rows.store),
      )();
      for (const { column, row, value } of misfits) {
        const found = named(findings, rows, column, row, value);
        const problems = found.filter(({ problem }) => problem.startsWith(`${column.column} `));
        expect(problems, `${column.table}.${column.column}`).not.toEqual([]);
      }
    }
  });

  it('checks every row of a long table, and each once', async () => {
    const { store, columns, name, run } = open();
    const own = columns.filter(({ table, keyAt }) => table === 'imports' && keyAt === 0).map(({ column }) => column);
    const [last] = await run(`SELECT CAST(max(number) AS text) AS number FROM ${name('imports')}`, []);
    // More than are read at once, and numbers whose order is not that of their digits.
    await run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO ${name('imports')} (${own.join(', ')})
       SELECT ${own.map((column) => (column === 'state' ? "'?'" : column)).join(', ')} FROM ${name('imports')}, n
       WHERE number = ${String(last!.number)}`,
      [],
    );
    const findings = (await inspected(store)).map(({ table, row }) => `${table}, ${row}`);
    await run(`DELETE FROM ${name('imports')} WHERE number > ${String(last!.number)}`, []);
    const expected = Array.from({ length: 1200 }, (_, n) => `imports, number ${Number(last!.number) + 1 + n}`);
    expect(findings.sort()).toEqual(expected.sort());
  });

  it('finds JSON of another form in every column of objects and lists', async () => {
    const rows = open();
    for (const column of rows.columns.filter(({ table, column }) => !ANY_TEXT.has(`${table}.${column}`))) {
      const all = await rowsOf(rows, column.table);
      const row = all.find((one) => /^[[{]/.test(String(one[column.column])));
      if (column.type !== 'text' || row === undefined) continue;
      for (const value of ['null', '1', '[1', '{"a":']) {
        const findings = await overwritten(rows, column, row, value, () => inspected(rows.store));
        const isAnyJson = ANY_JSON.has(`${column.table}.${column.column}`) && ['null', '1'].includes(value);
        const found = findings === null || isAnyJson || named(findings, rows, column, row, value).length > 0;
        expect(found, `${column.table}.${column.column} of ${shown(row)}: ${value}`).toBe(true);
      }
    }
  });

  it('says of a size of a tree that was overwritten little more than that, however large it is', async () => {
    const rows = open();
    const column = rows.columns.find((one) => one.table === 'log_trees' && one.column === 'size');
    // A store without proofs has no trees.
    if (column === undefined) return;
    const [row] = await rowsOf(rows, 'log_trees');
    const findings = await overwritten(rows, column, row!, String(2 ** 40), () => inspected(rows.store));
    expect(named(findings, rows, column, row!, String(2 ** 40))).not.toEqual([]);
    // The size itself, the checkpoint, and of each level of tiles the first that is missing.
    expect(findings!.length).toBeLessThan(12);
  });

  it('goes on where a tile was moved to a place that no tile has', async () => {
    const rows = open();
    const column = rows.columns.find((one) => one.table === 'log_tiles' && one.column === 'place');
    // A store without proofs has no trees.
    if (column === undefined) return;
    const [row] = await rowsOf(rows, 'log_tiles');
    const place = String(2n ** 62n);
    const findings = await overwritten(rows, column, row!, place, () => inspected(rows.store));
    expect(named(findings, rows, column, row!, place)).not.toEqual([]);
  });

  it('finds somebody who decided about a proposal that waits', async () => {
    const rows = open();
    const column = rows.columns.find((one) => one.table === 'imports' && one.column === 'decided_by')!;
    const row = (await rowsOf(rows, 'imports')).find(({ state }) => state === 'proposed')!;
    const findings = await overwritten(rows, column, row, 'clerk', () => inspected(rows.store));
    expect(named(findings, rows, column, row, 'clerk')).not.toEqual([]);
  });

  it('names the import whose proposal was moved to another one', async () => {
    const rows = open();
    const column = rows.columns.find((one) => one.table === 'proposals' && one.column === 'number')!;
    const [row] = await rowsOf(rows, 'proposals');
    const others = (await rowsOf(rows, 'imports')).filter(({ number }) => String(number) !== String(row!.number));
    const findings = await overwritten(rows, column, row!, others[0]!.number!, () => inspected(rows.store));
    expect(named(findings, rows, column, row!, others[0]!.number!)).not.toEqual([]);
  });

  it('finds another value in a row of every column that is not said to be checked by its form alone', async () => {
    const rows = open();
    const missed: string[] = [];
    for (const column of rows.columns.filter(({ table, column }) => FORM_ALONE[`${table}.${column}`] === undefined)) {
      const all = await rowsOf(rows, column.table);
      for (const [at, row] of all.slice(0, 1).entries()) {
        if (!(await hasDependents(rows, column, row))) continue;
        const [old, another] = [row[column.column]!, all[(at + 1) % all.length]![column.column]!];
        for (const value of otherValues(old, column, another, 5)) {
          if (column.column === 'data' && statedBy(value) !== null && statedBy(value) === statedBy(old)) continue;
          if (column.column === 'logged_checkpoint' && textOf(value) === textOf(old)) continue;
          const findings = await overwritten(rows, column, row, value, () => inspected(rows.store));
          // Null: the database refused it.
          if (findings === null || named(findings, rows, column, row, value).length > 0) continue;
          missed.push(`${column.table}.${column.column} of ${shown(row)}: ${show(old)} -> ${show(value)}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  const runs = tries(3, 200);
  it(`finds each of ${runs} random overwrites, and names the row`, async () => {
    const rows = open();
    const columns = rows.columns.filter(({ table, column }) => FORM_ALONE[`${table}.${column}`] === undefined);
    const overwrite = fc.record({ at: fc.nat(), row: fc.nat(), kind: fc.nat(), other: fc.nat() });
    await fc.assert(
      fc.asyncProperty(overwrite, async (choice) => {
        const column = columns[choice.at % columns.length]!;
        const all = await rowsOf(rows, column.table);
        const row = all[choice.row % all.length]!;
        fc.pre(await hasDependents(rows, column, row));
        const old = row[column.column]!;
        const values = otherValues(old, column, all[choice.other % all.length]![column.column]!, choice.other);
        const value = values[choice.kind % values.length]!;
        fc.pre(column.column !== 'data' || statedBy(value) === null || statedBy(value) !== statedBy(old));
        const findings = await overwritten(rows, column, row, value, () => inspected(rows.store));
        // Keys of before may have signed what the log of logs was given: only its text is compared.
        fc.pre(column.column !== 'logged_checkpoint' || textOf(value) !== textOf(old));
        // The database refused it, as a key that is taken or a null where there must be none.
        fc.pre(findings !== null);
        const told = `${column.table}.${column.column} of ${shown(row)}: ${show(old)} -> ${show(value)}`;
        const which = named(findings, rows, column, row, value);
        expect(which, `${told}\n${findings.map((finding) => JSON.stringify(finding)).join('\n')}`).not.toEqual([]);
      }),
      { numRuns: runs, maxSkipsPerRun: 1000, endOnFailure: true },
    );
    expect(await inspected(rows.store)).toEqual([]);
  });
}

/** The text of a signed note, without its signatures. */
function textOf(note: Value): string {
  return String(note).split('\n\n')[0]!;
}

/** What own values state, of which null and absent mean the same; null for what is not JSON. */
function statedBy(data: Value): string | null {
  try {
    const members = Object.entries(JSON.parse(String(data)) as Readonly<Record<string, JsonValue>>);
    return canonicalJson(Object.fromEntries(members.filter(([, value]) => value !== null)));
  } catch {
    return null;
  }
}

/** What accounts and keys have beside a ledger, which tells another value of it. */
const LEDGERED = new Set(['accounts.credit', 'accounts.charged', 'api_keys.spent', 'api_keys.max_price']);

/** Whether the store has what tells another value from this one: a register without records may not. */
async function hasDependents(
  { run, name, columns }: OpenedRows,
  { table, column }: Column,
  row: Row,
): Promise<boolean> {
  if (LEDGERED.has(`${table}.${column}`) && !columns.some((one) => one.table === 'ledger')) return false;
  const of: Readonly<Record<string, string>> = {
    'ledger.number': `ledger WHERE number = ${String(row.number)} AND kind IN ('hold', 'charge')`,
    'logs.number': `versions WHERE log = ${String(row.number)}`,
    // The log of logs is no register's.
    'logs.uuid': `registers WHERE number = ${String(row.register)}`,
    'logs.register': `registers WHERE number = ${String(row.register)}`,
  };
  const dependents = of[`${table}.${column}`];
  if (dependents === undefined) return true;
  return (await run(`SELECT 1 AS found FROM ${name('')}${dependents} LIMIT 1`, [])).length > 0;
}

/** The columns of a table's primary key, in their order. */
function keyOf(columns: readonly Column[], table: string): string[] {
  const own = columns.filter((column) => column.table === table && column.keyAt > 0);
  return own.sort((a, b) => a.keyAt - b.keyAt).map(({ column }) => column);
}

/** The rows of a table in the order of its key. */
async function rowsOf({ run, name, columns }: OpenedRows, table: string): Promise<readonly Row[]> {
  const own = columns.filter((column) => column.table === table);
  const selected = own.map(({ column, type }) =>
    type === 'integer' ? `CAST(${column} AS text) AS ${column}` : column,
  );
  const key = keyOf(columns, table);
  return run(
    `SELECT ${selected.join(', ')} FROM ${name(table)} t ORDER BY ${key.map((one) => `t.${one}`).join(', ')}`,
    [],
  );
}

/** Runs something while a value is another; null when the database refuses the value. */
async function overwritten<T>(
  { run, name, mark, columns }: OpenedRows,
  { table, column }: Column,
  row: Row,
  value: Value,
  work: () => Promise<T>,
): Promise<T | null> {
  const key = keyOf(columns, table);
  const set = (now: Value, whole: Row) =>
    run(
      `UPDATE ${name(table)} SET ${column} = ${mark(1)} WHERE ${key.map((one, at) => `${one} = ${mark(at + 2)}`).join(' AND ')}`,
      [now, ...key.map((one) => whole[one]!)],
    );
  try {
    await set(value, row);
  } catch (error) {
    if (error instanceof GazetteError) throw error;
    return null;
  }
  try {
    return await work();
  } finally {
    await set(row[column]!, { ...row, [column]: value });
  }
}

/** Values that a column of this type may have instead. */
function otherValues(old: Value, { type }: Column, another: Value, random: number): Value[] {
  const some: Value[] = old === null ? [] : [null];
  if (
    another !== old &&
    !(another instanceof Uint8Array && old instanceof Uint8Array && Buffer.compare(another, old) === 0)
  )
    some.push(another);
  if (type === 'integer') {
    const number = Number(old);
    const others = [number + 1, number - 1, 0, -1, random, random * 4_294_967_296].filter(
      (one) => one !== number || old === null,
    );
    return [...some, ...others.map(String)];
  }
  if (type === 'bytes') {
    if (!(old instanceof Uint8Array)) return [new Uint8Array(32)];
    return [
      ...some,
      old.map((byte, at) => (at === random % old.length ? byte ^ (1 << (random % 8)) : byte)),
      old.slice(1),
    ];
  }
  if (typeof old !== 'string' || old === '') return [...some, 'x', '[]'];
  const at = random % old.length;
  const changed = old.slice(0, at) + (old[at] === '7' ? '8' : '7') + old.slice(at + 1);
  return [...some, changed, `${old}x`, old.slice(1), ''];
}

/**
 * The findings that name the row: by its key, old or new, or by its record and version. A log is named by its register,
 * an endpoint with another number by the rows that have its own.
 */
function named(
  findings: readonly Finding[] | null,
  { columns }: OpenedRows,
  { table, column }: Column,
  row: Row,
  value: Value,
): Finding[] {
  const key = keyOf(columns, table);
  const textOf = (whole: Row) => key.map((one) => `${one} ${String(whole[one])}`).join(', ');
  const keys = [textOf(row), textOf({ ...row, [column]: value })];
  return (findings ?? []).filter(
    (finding) =>
      (finding.table === table && finding.row !== null && keys.includes(finding.row)) || isOf(finding, table, row),
  );
}

function isOf({ table: found, row: place, feedId, version, problem }: Finding, table: string, row: Row): boolean {
  if (table === 'logs') return feedId !== null;
  // A proposal has the number of its import, which has none then.
  if (table === 'proposals') return found === 'imports' && place === `number ${String(row.number)}`;
  // Entries, payments and items that are owned refer to each other.
  if (table === 'ledger')
    return ['ledger', 'grants', 'holds'].includes(found!) && problem.endsWith(`got ${String(row.number)}`);
  if (table === 'webhook_endpoints')
    return problem === `endpoint must be the number of an endpoint, got ${String(row.number)}`;
  if (!['records', 'withdrawn', 'contents', 'versions'].includes(table)) return false;
  const slot = String(row.slot);
  const isOfSlot = found !== 'versions' && place === `slot ${slot}`;
  // A record's content is that of the version that wrote it.
  const isOfVersion = version !== null && [Number(row.version), Number(row.content_version)].includes(version);
  return isOfSlot || (isOfVersion && found === 'versions' && table !== 'versions');
}

function shown(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name} ${show(value)}`)
    .join(', ')
    .slice(0, 300);
}

function show(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
}

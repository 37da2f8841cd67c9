// The inspection of a store on either database: table by table, then the log of every register, a part at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../../register/sources/source.ts';
import type { InspectedPart, StoreInspection } from '../../contract/inspection.ts';
import type { Lease } from '../../contract/leases.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { asBytes, asText, IS_PRESENT, shape, table } from '../../rows/sql.ts';
import { checkRegisters } from './registers.ts';
import { tablePart } from './table-rows.ts';
import { type CheckedTerms, checkTerms } from './terms.ts';
import { tableRules } from './tables.ts';
import { checkValues } from './values.ts';
import { checkVersions, type LogSums, NO_SUMS } from './versions.ts';
import { LEASE, LEASES_NOW } from '../leases.ts';
import type { InspectedRegister, StorePlugin } from '../plugins/plugin.ts';
import type { Engine, Rule, Sql } from '../rule.ts';

const ENDPOINTS = table('webhook_endpoints');
const REGISTERS = table('registers');

const SECRET = shape(['id', 'secret'], ([id, secret]) => ({ endpointId: asText(id), secret: asBytes(secret) }));

const LEASE_OF = shape([...LEASE.columns.map((name) => `l.${name}`), 'g.id'], (row) => ({
  ...LEASE.read(row),
  feedId: asText(row.at(-1)),
}));

/** The inspection of a store. @param damage what the database itself finds */
export function inspectionOn(
  engine: Engine,
  damage: StoreInspection['damage'],
  plugins: readonly StorePlugin[],
): StoreInspection {
  return {
    damage,
    rows: ({ signal } = {}) => rowsOf(engine, plugins, signal),
    secrets: () => engine.read(allSecrets),
    leases: () => engine.read(allLeases),
  };
}

async function* rowsOf(
  engine: Engine,
  plugins: readonly StorePlugin[],
  signal?: AbortSignal,
): AsyncGenerator<InspectedPart, void, undefined> {
  const ofPlugins = async function* (register: InspectedRegister | null): AsyncGenerator<InspectedPart['findings']> {
    for (const { inspect } of plugins) {
      if (inspect !== undefined) yield* inspect(engine, register, () => pause(signal));
    }
  };
  const { findings, registers } = await engine.read(checkRegisters);
  let versions = 0;
  const ofVersions = registers.reduce((sum, { change }) => sum + change, 0);
  yield { findings, versions, ofVersions };
  for (const checkRows of tableRules(plugins).map(tablePart)) {
    for (let after: SqlRow | null = null, isEnd = false; !isEnd;) {
      await pause(signal);
      const part: { readonly findings: InspectedPart['findings']; readonly last: SqlRow | null } = await engine.read(
        checkRows,
        after,
      );
      yield { findings: part.findings, versions, ofVersions };
      after = part.last;
      isEnd = after === null;
    }
  }
  for await (const found of ofPlugins(null)) yield { findings: found, versions, ofVersions };
  for (const register of registers) {
    await pause(signal);
    yield { findings: await engine.read(checkValues, register), versions, ofVersions };
    for (let sums: LogSums = NO_SUMS, isEnd = false; !isEnd;) {
      await pause(signal);
      const part = await engine.read(checkVersions, register, sums);
      versions += part.versions;
      yield { findings: part.findings, versions, ofVersions };
      ({ sums, isEnd } = part);
    }
    for await (const found of ofPlugins(register)) yield { findings: found, versions, ofVersions };
    for (let after: number | null = 0; after !== null;) {
      await pause(signal);
      const part: CheckedTerms = await engine.read(checkTerms, register, after);
      yield { findings: part.findings, versions, ofVersions };
      after = part.last;
    }
  }
}

/** A read of a file blocks: between two, whatever else the process has to do gets its turn. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  throwIfAborted(signal);
}

function* allSecrets(sql: Sql): Rule<readonly { readonly endpointId: string; readonly secret: Uint8Array }[]> {
  return yield* sql.all(SECRET)`SELECT id, secret FROM ${ENDPOINTS}
    UNION ALL SELECT id, next_secret FROM ${ENDPOINTS} WHERE next_secret IS NOT NULL
    UNION ALL SELECT id, previous_secret FROM ${ENDPOINTS} WHERE previous_secret IS NOT NULL`;
}

function* allLeases(sql: Sql): Rule<readonly (Lease & { readonly feedId: string })[]> {
  return yield* sql.all(LEASE_OF)`SELECT ${LEASE_OF} FROM ${LEASES_NOW} JOIN ${REGISTERS} g ON g.number = l.register
    WHERE ${IS_PRESENT}`;
}

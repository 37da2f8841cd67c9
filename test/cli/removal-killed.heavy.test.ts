// `gazette register remove` that ends at any moment: the file as it is then, opened by five different commands, always comes
// to the same end. A stopped process leaves its files exactly as a killed one does.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { STORED } from '../../src/wings/stored.ts';
import { registerRows } from '../../src/stores/logic/removal.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { EFFORT, tried, tries } from '../effort.ts';
import { letPass, until } from '../until.ts';
import { ending, folder, gazette, start } from './run.ts';
import { makeStore, serve } from './served.ts';

const IMAGES = tries(4, 200);

/** A removal of so many takes some thirty transactions. */
const RECORDS = 3000;

/** How many images one run gives at most, and how far they are apart, in milliseconds. */
const IMAGES_OF_A_RUN = 10;
const APART_MS = 40;

/** The rows of a register that is called `permits` and has the number 1, by table. */
interface Left {
  readonly isListed: boolean;
  readonly isMarked: boolean;
  readonly rows: Readonly<Record<string, number>>;
}

function leftIn(path: string): Left {
  const db = new DatabaseSync(path);
  try {
    const count = (sql: string, ...values: number[]): number => Number(db.prepare(sql).get(...values)!.count);
    const rows = registerRows(STORED).map(({ table, column, from }) => {
      const sql = `SELECT count(*) AS count FROM ${table} WHERE ${column} >= ? AND ${column} < ?`;
      return [table, count(sql, from(1), from(2))] as const;
    });
    return {
      isListed: count('SELECT count(*) AS count FROM registers WHERE number = 1 AND is_removed = 0') === 1,
      isMarked: count('SELECT count(*) AS count FROM registers WHERE number = 1 AND is_removed = 1') === 1,
      rows: Object.fromEntries(rows),
    };
  } finally {
    db.close();
  }
}

/** Copies of a store while its register is removed, at random moments. */
async function* images(origin: string, place: string): AsyncGenerator<string, void, undefined> {
  for (let run = 0; ; run++) {
    const path = `${place}/run-${run}.db`;
    cpSync(origin, path);
    const child = start(['register', 'remove', 'permits', '--yes', '--store', path]);
    const ended = ending(child);
    const state = (): string => {
      const stat = `/proc/${child.pid}/stat`;
      return existsSync(stat) ? (/\) (\w) /.exec(readFileSync(stat, 'utf8'))?.[1] ?? '') : '';
    };
    // Before it there is nothing to interrupt.
    await until('the store in use', () => existsSync(`${path}-wal`) || child.exitCode !== null);
    for (let count = 0; count < IMAGES_OF_A_RUN && child.exitCode === null; count++) {
      await letPass(Math.random() * APART_MS, 'a moment drawn at random');
      if (!child.kill('SIGSTOP')) break;
      await until('the stop', () => state() === 'T' || state() === 'Z' || state() === '');
      const image = `${place}/${run}-${count}`;
      await mkdir(image);
      for (const end of ['', '-wal']) if (existsSync(path + end)) cpSync(path + end, `${image}/gazette.db${end}`);
      const isLast = Math.random() < 1 / IMAGES_OF_A_RUN;
      child.kill(isLast ? 'SIGKILL' : 'SIGCONT');
      yield `${image}/gazette.db`;
      if (isLast) break;
    }
    await ended;
  }
}

it(`comes to one end from ${IMAGES} random moments`, async () => {
  const place = await folder();
  const { path: origin } = await makeStore(RECORDS);
  const store = SqliteStore.open(origin);
  await store.createRegister(defineRegister({ id: 'other', title: 'O', created_at: '2026-01-01T00:00:00Z' }));
  await store.close();
  const file = `${place}/records.json`;
  await writeFile(file, JSON.stringify([{ id: '1', title: 'T', source_url: 'https://example.org/' }]));
  const untouched = leftIn(origin);
  const commands = [
    ['register', 'list'],
    ['account', 'add', 'another'],
    ['import', 'other', file],
    ['register', 'remove', 'permits', '--yes'],
    ['serve'],
  ];
  const seen = { before: 0, halfway: 0, after: 0 };
  let count = 0;
  for await (const image of images(origin, place)) {
    const before = await copied(image, 'doctor');
    const doctor = await gazette(['doctor', '--store', before]);
    const state = leftIn(before);
    seen[state.isListed ? 'before' : state.isMarked ? 'halfway' : 'after']++;
    const lines = doctor.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    expect(
      lines.filter((line) => !/the register was removed, but|the lease of process \d+ on .* is void/.test(line)),
    ).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(1);
    for (const command of commands) {
      const copy = await copied(image, command.join('-').replaceAll('/', ''));
      const isRemoved = (await end(command, copy)) || !state.isListed;
      const left = leftIn(copy);
      if (isRemoved) {
        expect([left.isListed, left.isMarked, Object.values(left.rows).every((rows) => rows === 0)]).toEqual([
          ...[false, false, true],
        ]);
        expect(await gazette(['doctor', '--store', copy])).toMatchObject({ code: 0 });
      } else {
        expect({ ...left, rows: { ...left.rows, leases: 0 } }).toEqual(untouched);
      }
    }
    if (++count === IMAGES) break;
  }
  tried(IMAGES);
  // Of a few, all may be before the removal or after it; of many, some are where something is to be completed.
  if (EFFORT === 'whole') expect(seen.halfway, JSON.stringify(seen)).toBeGreaterThan(IMAGES / 10);
});

/** A copy of an image for one command: a folder of its own. */
async function copied(image: string, name: string): Promise<string> {
  const place = `${image}-${name}`;
  await mkdir(place);
  for (const end of ['', '-wal']) if (existsSync(image + end)) await cp(image + end, `${place}/gazette.db${end}`);
  return `${place}/gazette.db`;
}

/** Runs a command to its end. @returns whether it removed the register itself */
async function end(command: readonly string[], path: string): Promise<boolean> {
  if (command[0] !== 'serve') {
    const { code, stderr } = await gazette([...command, '--store', path]);
    const isRemoval = command[1] === 'remove';
    // The lease of the process that was stopped may hold it.
    if (isRemoval && code === 1) expect(stderr).toMatch(/register_busy|unknown_feed/);
    else expect([code, stderr]).toEqual([0, expect.any(String)]);
    return isRemoval && code === 0;
  }
  const { child, ended } = await serve(path);
  await until('the end of the removal', () => !leftIn(path).isMarked);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  return false;
}

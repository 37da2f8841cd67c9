// What the programs that ask a changed copy begin and end with.

/** A service over three records of an open register, in a store beside the program. */
export const SERVICE = `
import { mkdtempSync } from 'node:fs';
import { createGazette } from './src/service/create-gazette.ts';
import { SqliteStore } from './src/stores/sqlite/store.ts';
import { permits, say } from './test/contracts/store-register.ts';
const path = mkdtempSync('asked-') + '/store.db';
const store = SqliteStore.open(path);
await store.createRegister({ ...permits(), access: 'open' });
await store.apply('permits', ['a', 'b', 'c'].map((key) => say(key)), { recordedAt: '2026-10-01T10:00:00Z' });
const gazette = createGazette({ store, baseUrl: 'https://registers.example.org' });
const get = (path) => gazette.fetch(new Request('https://registers.example.org' + path));
const json = async (path) => (await get(path)).json();
const text = async (path) => (await get(path)).text();
`;

/** Prints the answer; the store goes with the copy. */
export const END = `
await gazette.close();
await store.close();
console.log(JSON.stringify(answer));
`;

/** A run of the command line of the copy, over the same store, within a program. */
export const COMMAND_LINE = `
import { Writable } from 'node:stream';
import { run } from './src/cli/main.ts';
const command = async (args, env = {}) => {
  let said = '';
  const stdout = new Writable({ write: (chunk, _, done) => ((said += chunk), done()) });
  const code = await run(args, { stdin: process.stdin, stdout, stderr: stdout, env }, new AbortController().signal);
  return { code, said };
};
`;

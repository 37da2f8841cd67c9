// The log's lines, as pino writes them: those who read logs of `gazette serve` with pino's tools go on doing so.
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openLog } from '../../../src/cli/process/log.ts';
import { until } from '../../until.ts';
import { folder } from '../run.ts';
import { makeStore, serve } from '../served.ts';

it('has a line for each entry: level, time in milliseconds, fields, message', async () => {
  const path = `${await folder()}/log`;
  const descriptor = openSync(path, 'w');
  onTestFinished(() => {
    closeSync(descriptor);
  });
  const before = Date.now();
  const log = openLog(descriptor);
  log.info({ request_id: '1', route: null, bytes: 3 }, 'answered');
  const failure = new RangeError('too far', { cause: new Error('the map is old') });
  log.error({ request_id: '2', err: failure }, 'request failed');
  log.error({ request_id: '3', err: 'a word' }, 'request failed');
  log.close();
  log.info({}, 'after the end');
  // A line that is just being written when the log is closed may come after those that waited behind it.
  const written = await until('three lines', async () => {
    const text = await readFile(path, 'utf8');
    return text.split('\n').length > 3 && text;
  });
  const idOf = (line: string): string => /"request_id":"(\d)"/.exec(line)?.[1] ?? '9';
  const lines = written.split('\n').sort((a, b) => idOf(a).localeCompare(idOf(b)));
  const times = lines.slice(0, 3).map((line) => (JSON.parse(line) as { readonly time: number }).time);
  expect(times.every((time) => time >= before && time <= Date.now())).toBe(true);
  expect(lines[0]).toBe(`{"level":30,"time":${times[0]},"request_id":"1","route":null,"bytes":3,"msg":"answered"}`);
  expect(JSON.parse(lines[1]!)).toEqual({
    level: 50,
    time: times[1],
    request_id: '2',
    err: {
      type: 'RangeError',
      message: 'too far: the map is old',
      stack: expect.stringMatching(/^RangeError: too far\n[^]*\ncaused by: Error: the map is old\n/) as unknown,
    },
    msg: 'request failed',
  });
  expect(JSON.parse(lines[2]!)).toMatchObject({ err: 'a word' });
  expect(lines.slice(3)).toEqual(['']);
});

it('loses its lines, and ends nothing, when its reader has gone', async () => {
  const { path } = await makeStore(1);
  const { child, api, ended } = await serve(path);
  child.stdout.destroy();
  // The first line finds that nobody reads; those after it go nowhere.
  for (let i = 0; i < 5; i++) expect((await fetch(`${api}/feeds`)).status).toBe(200);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

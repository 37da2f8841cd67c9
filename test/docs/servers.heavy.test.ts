// The servers of README.md and docs/, started as the pages show them (but for the port and the size of the register) in
// processes of their own, each against the one black-box suite.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeExportServer, SERVED_RECORDS } from '../contracts/export-server-contract.ts';
import { freePort } from './free-port.ts';
import { writePrograms } from './blocks.ts';
import { startServer, stopServer } from './server-process.ts';

/** The servers and where each serves the exports. */
const HOSTS: readonly (readonly [string, string])[] = [
  ['node-http.ts', '/feeds/permits/records'],
  ['express.ts', '/open-data/feeds/permits/records'],
  ['fastify.ts', '/feeds/permits/records'],
  ['koa.ts', '/feeds/permits/records'],
  ['hono.ts', '/feeds/permits/records'],
];

/** The register of the suite in the place of the README's short one. */
const REGISTER = `
import { fromRecords } from 'gazette';
import { SAMPLE_DEFINITION, sampleRecords } from '../../contracts/sample-register.ts';
export const permits = fromRecords(SAMPLE_DEFINITION, sampleRecords(${SERVED_RECORDS}), { order: 'newest-first' });
`;

describe.each(HOSTS)('the program %s', (file, path) => {
  const server = { address: '' };
  let process: ChildProcess;
  let remove: () => void;

  beforeAll(async () => {
    const port = await freePort();
    const written = writePrograms((name, code) =>
      name === 'permits.ts' ? REGISTER : code.replaceAll('8080', String(port)),
    );
    remove = written.remove;
    server.address = `http://127.0.0.1:${port}${path}`;
    process = await startServer(join(written.folder, file), `${server.address}/export.csv`);
  });

  afterAll(async () => {
    await stopServer(process);
    remove();
  });

  describeExportServer(file, () => server);
});

describe('the README', () => {
  it.each([
    ['node-http.ts', ''],
    ['add-to-express.ts', '/open-data'],
  ])('serves its own short register as %s shows it', async (file, mount) => {
    const port = await freePort();
    const { folder, remove } = writePrograms((_, code) => code.replaceAll('8080', String(port)));
    const address = `http://127.0.0.1:${port}${mount}/feeds/permits/records`;
    const server = await startServer(join(folder, file), `${address}/export.csv`);
    try {
      for (const format of ['csv', 'xlsx', 'xml', 'rss', 'atom']) {
        expect((await fetch(`${address}/export.${format}`)).status).toBe(200);
      }
    } finally {
      await stopServer(server);
      remove();
    }
  });
});

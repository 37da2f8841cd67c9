// The receivers of docs/webhooks-in.md, started as the page shows them (but for the port) in processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, inject, it, vi } from 'vitest';
import { delivery, recordDelivery, SECRET } from '../webhooks/send/deliveries.ts';
import { freePort } from './free-port.ts';
import { until } from '../until.ts';
import { writePrograms } from './blocks.ts';

it.each(['receive-node.ts', 'receive-express.ts', 'receive-fastify.ts'])('%s receives webhooks', async (file) => {
  const database = `docs_${file.replace(/\W/g, '_')}`;
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  const port = await freePort();
  const { folder, remove } = writePrograms((_, code) => code.replaceAll('8080', String(port)));
  const child = spawn(process.execPath, [join(folder, file)], {
    env: {
      ...process.env,
      SIGNING_SECRET: SECRET,
      DATABASE: join(folder, 'app.db'),
      DATABASE_URL: inject('postgresUrl').replace(/\/postgres$/, `/${database}`),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const { body, headers } = delivery();
    const post = async (rawBody: Buffer): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: rawBody, headers: { ...headers } }))
        .status;
    await listening(port);
    expect(await post(body)).toBe(204);
    expect(await post(body)).toBe(204);
    expect(await post(Buffer.from('{}'))).toBe(401);
  } finally {
    child.kill();
    await ended;
    remove();
  }
});

it('receive.ts writes what an event says, once', async () => {
  const { folder, remove } = writePrograms();
  const file = join(folder, 'app.db');
  vi.stubEnv('SIGNING_SECRET', SECRET);
  vi.stubEnv('DATABASE', file);
  try {
    const { receiver } = (await import(join(folder, 'receive.ts'))) as {
      readonly receiver: (request: Request) => Promise<Response>;
    };
    const { body, headers } = recordDelivery();
    for (let i = 0; i < 2; i++) {
      const request = new Request('https://example.org/', { method: 'POST', body, headers: { ...headers } });
      expect((await receiver(request)).status).toBe(204);
    }
    const db = new DatabaseSync(file);
    expect(db.prepare('SELECT * FROM news').all()).toEqual([
      { record_id: 'permits:2026~2F0417', title: 'Discharge of cooling water, Northern Wharf' },
    ]);
    db.close();
  } finally {
    vi.unstubAllEnvs();
    remove();
  }
});

async function listening(port: number): Promise<void> {
  await until('somebody to listen', () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' }).then(
      () => true,
      () => false,
    ),
  );
}

// `gazette serve --read-store`: what a service says of the replica that it is to read from.
import { expect, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { startPostgres } from '../stores/postgres/server.ts';
import { replicated } from '../stores/postgres/replica/replicated.ts';
import { until } from '../until.ts';
import { gazette } from './run.ts';
import { serve } from './served.ts';

const servers = replicated();

async function publish(...numbers: readonly number[]): Promise<void> {
  const store = await PostgresStore.open(servers().pool);
  if ((await store.register('permits')) === null) await store.createRegister(SAMPLE_DEFINITION);
  const batch = numbers.map((number) => toPublishedRecord(sampleRecord(number), true));
  await store.apply('permits', batch, { recordedAt: '2026-10-01T10:00:00Z' });
  await store.close();
  await servers().caughtUp();
}

/** What a service tells of its replica: the reads, by what became of them, and how far it is behind. */
async function toldBy(said: string): Promise<Readonly<Record<string, number>>> {
  const address = /metrics on (\S+)/.exec(said)![1]!;
  const text = await (await fetch(address)).text();
  const lines = text.matchAll(/^gazette_replica_(?:reads_total\{outcome="(\w+)"\}|(lag)_seconds) ([\d.e-]+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, outcome, lag, figure]) => [(outcome ?? lag)!, Number(figure)]));
}

it('answers from the replica, and from the primary while the replica is behind', async () => {
  const { primary, replica, pause, resume } = servers();
  await publish(1, 2, 3);
  const options = ['--read-store', replica.url, '--metrics-port', '0'];
  const { api, said } = await serve(primary.url, ...options);
  const newest = async (): Promise<unknown> => {
    const answer = await fetch(`${api}/feeds/permits/records`);
    return ((await answer.json()) as { readonly records: readonly { readonly id: string }[] }).records[0]?.id;
  };
  expect(await newest()).toBe(sampleRecord(3).id);
  expect(await toldBy(said)).toMatchObject({ answered: 1, behind: 0, failed: 0 });
  await until('the service to say that the replica has all', async () => {
    const asked = performance.now();
    return (await toldBy(said)).lag! < (performance.now() - asked) / 1000;
  });
  await pause();
  try {
    const store = await PostgresStore.open(servers().pool);
    await store.apply('permits', [toPublishedRecord(sampleRecord(4), true)], { recordedAt: '2026-10-02T10:00:00Z' });
    await store.close();
    await until('the service to know of the commit', async () => (await newest()) === sampleRecord(4).id);
    expect((await toldBy(said)).behind).toBe(1);
    await until('the service to say how far the replica is behind', async () => (await toldBy(said)).lag! >= 1);
  } finally {
    await resume();
  }
});

it('starts without the replica, and says so', async () => {
  await publish(1);
  const away = 'postgres://nobody:secret@127.0.0.1:1/none';
  const { api, said } = await serve(servers().primary.url, '--read-store', away);
  expect(said).toMatch(
    /--read-store postgres:\/\/…@127\.0\.0\.1:1\/none cannot be reached now, and the store itself is read: .*ECONNREFUSED/,
  );
  expect((await fetch(`${api}/feeds/permits/records`)).status).toBe(200);
});

it('refuses a replica of another database, and a replica as its store', async () => {
  await publish(1);
  const { primary, replica } = servers();
  const other = await startPostgres();
  onTestFinished(() => other.stop());
  const refusal = async (store: string, readStore?: string): Promise<string> => {
    const reading = readStore === undefined ? [] : ['--read-store', readStore];
    const { code, stderr } = await gazette(['serve', '--port', '0', '--store', store, ...reading]);
    expect(code).not.toBe(0);
    return stderr;
  };
  const ofAnother = /^gazette: --read-store \S+ is no replica of the database of --store \(invalid_store\)\n$/;
  expect(await refusal(primary.url, other.url)).toMatch(ofAnother);
  expect(await refusal(primary.url, replica.url.replace(/[^/]+$/, 'template1'))).toMatch(ofAnother);
  const asStore = /^gazette: \S+ cannot be opened: the server is a replica \(store_unavailable\)\n$/;
  expect(await refusal(replica.url, replica.url)).toMatch(asStore);
  expect(await refusal(replica.url)).toMatch(asStore);
  expect(await refusal('sqlite:none.db', replica.url)).toBe(
    'gazette: --read-store must be postgres://…, and so must --store (usage)\n',
  );
});

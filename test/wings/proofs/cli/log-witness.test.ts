// `gazette serve --log-witness`, over HTTP: the log of logs is signed by its witness, and the logs of registers are not.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepSigning } from '../../../../src/wings/proofs/cli/signing/signing.ts';
import { openCheckpoint, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import type { StoredLog } from '../../../../src/wings/proofs/stores/contract/logs.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { until } from '../../../until.ts';
import { serveWitness, WITNESS } from '../witness/serving.ts';
import { folder } from '../../../cli/run.ts';
import { surroundings } from '../../../cli/surroundings.ts';
import { logsOf } from '../logs-of.ts';

/** What is signed of a log, and by how many. */
function signed({ checkpoint, origin, vkey }: StoredLog): string {
  if (checkpoint === null) return 'nothing';
  const { size, signatures } = openCheckpoint(checkpoint, origin!, [parseVerifierKey(vkey!), WITNESS]);
  return `${size} by ${signatures.length}`;
}

it('has the log of logs signed, and goes on without its witness while that is away', async () => {
  const place = await folder();
  const store = SqliteStore.open(join(place, 'store.db'));
  onTestFinished(() => store.close());
  await store.createRegister(permits());
  await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
  const { io, said } = surroundings({ GAZETTE_LOG_KEY: '07'.repeat(32) });
  const options = { logState: join(place, 'state'), baseUrl: 'https://registers.example' };
  const both = async (): Promise<string> =>
    `${signed(await logsOf(store).of('permits'))}; ${signed(await logsOf(store).ofLogs())}`;

  const alone = keepSigning(io, store, options)!;
  await until('both are signed', async () => (await both()) === '2 by 1; 1 by 1');
  await alone.stop();
  // It has a name before it is told to the witness.
  const key = parseVerifierKey((await logsOf(store).ofLogs()).vkey!);
  const witness = await serveWitness(join(place, 'witness.db'), [key]);
  const signing = keepSigning(io, store, { ...options, logWitness: [witness.named] })!;
  onTestFinished(() => signing.stop());
  await until('the log of logs is witnessed', async () => (await both()) === '2 by 1; 1 by 2');
  expect(said()).toBe('');

  await witness.stop();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await until('both are signed without it', async () => (await both()) === '3 by 1; 2 by 1');
  await until('it is said', () => said().includes('"witness.example/w1"'));
  expect(said()).toContain('checkpoints are published without its signature');
});

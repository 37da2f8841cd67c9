// Two publishers who witness each other, over HTTP: each signs its own registers, and the other's.
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { type RunningServer, startServer } from '../../src/adapters/server.ts';
import { keepSigning, type Signing } from '../../src/cli/process/signing/signing.ts';
import { checkCosigners } from '../../src/mirror/proved/witnesses.ts';
import {
  formatVerifierKey,
  generateSignerKey,
  openCheckpoint,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
} from '../../src/proofs/index.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { witnessHandler } from '../../src/witness/handler.ts';
import { WitnessState } from '../../src/witness/state.ts';
import { trustedLogs, Witness } from '../../src/witness/witness.ts';
import { folder } from '../cli/run.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { until } from '../until.ts';

/** A publisher: registers, a log key, and a key to witness with. */
class Publisher {
  readonly store: SqliteStore;
  readonly witnessKey: SignerKey;
  said = '';
  readonly #place: string;
  readonly #name: string;
  #signing: Signing | null = null;
  #server: RunningServer | null = null;
  #state: WitnessState | null = null;

  constructor(name: string, place: string) {
    this.#name = name;
    this.#place = place;
    this.store = SqliteStore.open(join(place, `${name}.db`));
    this.witnessKey = parseSignerKey(generateSignerKey(`${name}.example/witness`, 'witness'));
  }

  /** Signs its own logs. @param logWitness who signs them too */
  async sign(logWitness: readonly string[]): Promise<void> {
    await this.#signing?.stop();
    const stderr = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.said += chunk.toString();
        done();
      },
    });
    const env = { GAZETTE_LOG_KEY: Buffer.alloc(32, this.#name).toString('hex') };
    const options = { logState: join(this.#place, `${this.#name}.state`), baseUrl: `https://${this.#name}.example` };
    this.#signing = keepSigning({ stdin: Readable.from([]), stdout: stderr, stderr, env }, this.store, {
      ...options,
      logWitness,
    });
  }

  /** Witnesses the log of another one. @returns what the other one names it with */
  async witness(other: Publisher): Promise<string> {
    this.#state = WitnessState.open(join(this.#place, `${this.#name}.witness`));
    const vkeys = [await other.store.logs.of('permits'), await other.store.logs.ofLogs()].map(({ vkey }) => vkey!);
    const logs = trustedLogs(vkeys.map(parseVerifierKey));
    const handler = witnessHandler(new Witness({ key: this.witnessKey, logs, state: this.#state }), () => undefined);
    this.#server = await startServer(handler, { port: 0, host: '127.0.0.1', connectionsPerAddress: 10 });
    return `${this.#server.url} ${formatVerifierKey(this.witnessKey)}`;
  }

  /** Goes away as a witness. */
  async leave(): Promise<void> {
    await this.#server?.stop();
    this.#state?.close();
    this.#server = null;
  }

  async close(): Promise<void> {
    await this.#signing?.stop();
    await this.leave();
    await this.store.close();
  }

  /** What is signed of its register, and whether the other one signed it. */
  async signed(by: Publisher): Promise<string> {
    const logs = [await this.store.logs.of('permits'), await this.store.logs.ofLogs()];
    const [found, ofLogs] = logs.map(({ checkpoint, origin, vkey }) => {
      if (checkpoint === null) return 'nothing';
      const { size, signatures } = openCheckpoint(checkpoint, origin!, [parseVerifierKey(vkey!), by.witnessKey]);
      return `${size} by ${signatures.length}`;
    });
    return `${found}; ${ofLogs}`;
  }
}

it('sign what the other one signed, and go on alone while one is away', async () => {
  const place = await folder();
  const [one, two] = [new Publisher('one', place), new Publisher('two', place)];
  onTestFinished(async () => {
    await one.close();
    await two.close();
  });
  for (const { store } of [one, two]) {
    await store.createRegister(permits());
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
  }
  // Each has a name before it is told to the other.
  await Promise.all([one.sign([]), two.sign([])]);
  await until(
    'both signed',
    async () => (await one.signed(two)) === '2 by 1; 1 by 1' && (await two.signed(one)) === '2 by 1; 1 by 1',
  );
  const [first, second] = [await one.witness(two), await two.witness(one)];
  await Promise.all([one.sign([second]), two.sign([first])]);
  await until('both witnessed', async () => {
    return (await one.signed(two)) === '2 by 2; 1 by 2' && (await two.signed(one)) === '2 by 2; 1 by 2';
  });
  const { checkpoint } = await one.store.logs.of('permits');
  expect(checkCosigners(checkpoint!, { keys: [two.witnessKey], policy: null }, Date.now())).toMatchObject([
    { name: 'two.example/witness', isStale: false },
  ]);
  expect(
    checkCosigners(checkpoint!, { keys: [two.witnessKey], policy: null }, Date.now() + 25 * 3_600_000),
  ).toMatchObject([{ isStale: true }]);
  expect(() => checkCosigners(checkpoint!, { keys: [one.witnessKey], policy: null }, 0)).toThrow(
    'one.example/witness" did not sign',
  );

  await two.leave();
  await one.store.apply('permits', [say('c')], { recordedAt: at(1) });
  await two.store.apply('permits', [say('c')], { recordedAt: at(1) });
  await until('the one that is alone signs', async () => (await one.signed(two)) === '3 by 1; 2 by 1');
  await until('the other one is witnessed', async () => (await two.signed(one)) === '3 by 2; 2 by 2');
  await until('it is said', () => one.said.includes('"two.example/witness"'));
  expect(one.said).toContain('checkpoints are published without its signature');
  expect(two.said).toBe('');
});

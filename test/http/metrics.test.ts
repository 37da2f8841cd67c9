// The figures of a node that others have to answer for.
import { expect, it } from 'vitest';
import { Metrics } from '../../src/http/metrics.ts';

const FIGURES = { answered: 3, waited: 2, behind: 1, failed: 0 };

it.each<[string, () => Promise<number | null>, string | undefined]>([
  ['tells how far the replica is behind', () => Promise.resolve(0.25), '0.25'],
  ['leaves out how far it is behind when nobody says', () => Promise.resolve(null), undefined],
  ['leaves out how far it is behind when it is away', () => Promise.reject(new Error('away')), undefined],
])('%s', async (_, replicaLag, told) => {
  const { registry } = new Metrics({ replica: () => FIGURES, replicaLag });
  const text = await registry.metrics();
  expect(/^gazette_replica_lag_seconds (.+)$/m.exec(text)?.[1]).toBe(told);
  expect(text).toContain('gazette_replica_reads_total{outcome="behind"} 1\n');
});

it('does not wait for a replica that does not answer', async () => {
  let asked = 0;
  const replicaLag = (): Promise<number> => {
    asked++;
    return new Promise(() => undefined);
  };
  const { registry } = new Metrics({ replica: () => FIGURES, replicaLag });
  const texts = await Promise.all([registry.metrics(), registry.metrics()]);
  for (const text of texts) {
    expect(text).toContain('gazette_replica_reads_total{outcome="answered"} 3\n');
    expect(text).not.toMatch(/^gazette_replica_lag_seconds /m);
  }
  expect(asked).toBe(1);
});

it('says nothing of a replica that there is not', async () => {
  expect(await new Metrics().registry.metrics()).not.toContain('gazette_replica');
});

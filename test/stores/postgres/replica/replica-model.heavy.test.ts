// Random histories with a replica that lags at random. Those with failovers too are in failover-model.heavy.test.ts.
import fc from 'fast-check';
import { it } from 'vitest';
import { tries } from '../../../effort.ts';
import { letPass } from '../../../until.ts';
import { History } from './history.ts';
import { openNodes, replicated } from './replicated.ts';
import { changes, lags, reads } from './steps.ts';

const servers = replicated();

const steps = fc.array(fc.oneof(...changes, ...lags, ...reads), { minLength: 8, maxLength: 40 });

let schemas = 0;

it('answers no older than its tag says, while the replica lags at random', async () => {
  const { pool, pause, resume, caughtUp } = servers();
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await resume();
      const schema = `model_${++schemas}`;
      const { writer, nodes } = await openNodes(servers(), schema);
      const history = new History(nodes);
      await history.begin(writer);
      await caughtUp();
      const later: Promise<void>[] = [];
      for (const step of all) {
        if (step.do === 'pause') await pause();
        else if (step.do === 'resume') later.push(letPass(step.after, 'the lag of the replica').then(resume));
        else if (step.do === 'wait') await letPass(step.for, 'readers come at any time');
        else if (step.do === 'read') await history.read(step.node);
        else if (step.do === 'walk') await history.walk(step.node, writer);
        else await history.change(writer, step);
      }
      await Promise.all(later);
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    }),
    { numRuns: tries(4, 400) },
  );
  await resume();
});

// `gazette snapshot --out s3://…` killed at any moment. The same twenty times on a server of others: test/conformance/s3.test.ts.
import { describe, it, onTestFinished } from 'vitest';
import { tried, tries } from '../effort.ts';
import { type KillableServer, killRuns, variablesOf } from '../snapshot/bucket/killed-runs.ts';
import { CREDENTIALS, startS3 } from '../snapshot/bucket/s3-server.ts';

/** How many runs are killed. */
const KILLS = tries(8, 200);

describe('gazette snapshot --out s3://', () => {
  it('killed at any moment leaves old and new objects, refuses a second run, and is completed by the next one', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const server: KillableServer = {
      env: variablesOf(s3.url, CREDENTIALS),
      objects: () => Promise.resolve(new Map([...s3.objects].map(([name, { bytes }]) => [name, bytes]))),
      onChange: () => undefined,
      get aheadMs() {
        return s3.aheadMs;
      },
      set aheadMs(ms) {
        s3.aheadMs = ms;
      },
    };
    s3.onChange = (name) => void server.onChange(name, server.objects);
    await killRuns(server, KILLS);
    tried(KILLS);
  });
});

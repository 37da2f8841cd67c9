// A service on a port, for the judges of the agents' endpoint.
import { type RunningServer, startServer } from '../../src/adapters/server.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { world, PRODUCT } from '../world.ts';

/** How many records its register has. */
export const RECORDS = 25;

/** A running service. */
export interface McpService {
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

/** Starts one on a loopback port. */
export async function serveMcp(): Promise<McpService> {
  const { store, key, clock } = await world({ records: RECORDS });
  const gazette = createGazette({ store, product: PRODUCT, limits: null, now: () => clock.now });
  const server: RunningServer = await startServer((request, info) => gazette.fetch(request, info), {
    port: 0,
    host: '127.0.0.1',
  });
  return {
    url: `${server.url}/api/v1/mcp`,
    key,
    async close() {
      await server.stop(0);
      await gazette.close();
    },
  };
}

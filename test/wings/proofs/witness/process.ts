// A witness as a process of its own: `node process.ts STATE KEY…` serves one for the logs with these keys on a free port, and prints
// where. Its own key is in the environment.
import { startServer } from '../../../../src/adapters/server.ts';
import { parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { parseSignerKey } from '../../../../src/wings/proofs/tlog/keys.ts';
import { witnessHandler } from './handler.ts';
import { WitnessState } from './state.ts';
import { trustedLogs, Witness } from './witness.ts';

const [path, ...logs] = process.argv.slice(2);
const key = parseSignerKey(process.env.WITNESS_KEY!);
const witness = new Witness({ key, logs: trustedLogs(logs.map(parseVerifierKey)), state: WitnessState.open(path!) });
const handler = witnessHandler(witness, (error) => {
  throw error;
});
const { url } = await startServer(handler, { port: 0, host: '127.0.0.1', connectionsPerAddress: Infinity });
process.stdout.write(`${url}\n`);

// The log of logs at the root of a snapshot, below the same paths as over HTTP. `/api/v1/log` itself is a folder here: what it answers
// is in `.well-known/gazette-log.json` alone.
import { LOG_OF_LOGS_FOLDER, WELL_KNOWN_LOG_FILE } from '../../../archive/layout.ts';
import type { ListRun, WrittenList } from '../../../snapshot/wing.ts';
import { logAnswer } from '../operate/log-files.ts';
import { failureOf } from '../../../snapshot/failures.ts';
import { type RootHead, stemOf } from '../../../snapshot/folder/manifest.ts';
import type { SnapshotFolder } from '../../../snapshot/folder/writer.ts';
import { isWritten, type LogPlan, planLog, type SnapshotLogs, writeLog } from './log-files.ts';

/** The stem of the file that says where it is, and which keys check it. */
const WELL_KNOWN = stemOf(WELL_KNOWN_LOG_FILE);

/**
 * Brings the log of logs to its present state. Called after the logs of the registers were read, it has their checkpoints, but for one
 * that was signed a moment ago.
 *
 * @throws GazetteError `log_contradicted` when another one took its place meanwhile; `output_failed`, `aborted`, errors of the store
 */
export async function bringLogOfLogs(
  folder: SnapshotFolder<RootHead>,
  logs: SnapshotLogs | undefined,
  { baseUrl, onBegin, signal }: ListRun,
): Promise<WrittenList> {
  let found: Found | null;
  try {
    found = await planOf(folder, logs, baseUrl);
  } catch (error) {
    return { ...keep(folder), failure: failureOf(null, error) };
  }
  if (found === null) return { stems: [], checkpoint: undefined, failure: null };
  const { plan, wellKnown } = found;
  if (!isWritten(folder, plan) || !folder.has(WELL_KNOWN_LOG_FILE, wellKnown)) await onBegin();
  const names = await writeLog(folder, plan, signal);
  // Last: it leads to the others.
  await folder.put(WELL_KNOWN_LOG_FILE, wellKnown);
  return { stems: [WELL_KNOWN, ...names], checkpoint: plan.log.checkpoint, failure: null };
}

interface Found {
  readonly plan: LogPlan;
  readonly wellKnown: Uint8Array;
}

/** Its files; null while it is not signed. */
async function planOf(
  folder: SnapshotFolder<RootHead>,
  logs: SnapshotLogs | undefined,
  baseUrl: string,
): Promise<Found | null> {
  const log = await logs?.ofLogs();
  if (logs === undefined || log === undefined || log.checkpoint === null) return null;
  const { uuid, name, checkpoint } = log;
  const plan = await planLog(folder, { feedId: null, uuid, name, checkpoint, logs }, true);
  const shown = logAnswer(log, `${baseUrl}/${LOG_OF_LOGS_FOLDER}/${name}`);
  return { plan, wellKnown: new TextEncoder().encode(`${JSON.stringify(shown)}\n`) };
}

/** Keeps what the last run wrote. */
function keep(folder: SnapshotFolder<RootHead>): Omit<WrittenList, 'failure'> {
  const { previous } = folder;
  const checkpoint = previous?.head.checkpoint;
  const stems = checkpoint === undefined ? [] : [WELL_KNOWN, ...previous!.namesWithin(LOG_OF_LOGS_FOLDER)];
  for (const stem of stems) folder.keep(stem);
  return { stems, checkpoint };
}

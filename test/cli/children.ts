// The processes that a process has started.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The ids of the processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,pid=,stat=']);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([parent, , state]) => Number(parent) === pid && !state!.startsWith('Z'))
    .map(([, child]) => Number(child));
}

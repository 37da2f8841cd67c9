// A contestant's process: runs whenever the process that started it asks, and answers the time.
import type { Runner } from './harness.ts';

/** Answers each message `{ repeats }` with a `Run`; the first message, which says who it is, comes once all is ready. */
export function serveRunner(runner: Runner): void {
  process.on('message', ({ repeats }: { readonly repeats: number }) => {
    runner.run(repeats).then(
      (run) => process.send!(run),
      (error: unknown) => {
        process.stderr.write(`${runner.name}: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  });
  const { role, version, note } = runner;
  process.send!({ role, version, note });
}

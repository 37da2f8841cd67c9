// Node's warnings. That a part of Node is experimental (node:sqlite is, on some versions) matters to the authors of a
// program, not to its users. It must run on every version of Node.

/** The emitter of warnings, usually `process`. */
export interface WarningEmitter {
  removeAllListeners(event: 'warning'): unknown;
  on(event: 'warning', listener: (warning: Error) => void): unknown;
  readonly stderr: { write(text: string): unknown };
}

/** Prints every warning on one line, except those of experimental features, instead of Node's own output. */
export function hushExperiments(emitter: WarningEmitter): void {
  emitter.removeAllListeners('warning');
  emitter.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') emitter.stderr.write(`gazette: warning: ${name}: ${message}\n`);
  });
}

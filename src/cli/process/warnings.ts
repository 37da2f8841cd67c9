// What Node warns of. That a part of Node is called experimental (node:sqlite is, on some of its versions) is for the
// authors of a program to weigh, and noise to its users. Written for every Node there is.

/** Whatever warnings are emitted on, `process` as a rule. */
export interface WarningEmitter {
  removeAllListeners(event: 'warning'): unknown;
  on(event: 'warning', listener: (warning: Error) => void): unknown;
  readonly stderr: { write(text: string): unknown };
}

/** Prints every warning on one line, but those of experimental features, in place of Node's own printing. */
export function hushExperiments(emitter: WarningEmitter): void {
  emitter.removeAllListeners('warning');
  emitter.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') emitter.stderr.write(`gazette: warning: ${name}: ${message}\n`);
  });
}

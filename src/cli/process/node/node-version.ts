// The Node version of the command line. It must run on every version of Node: it imports nothing and uses nothing new.

/** The oldest Node with everything that gazette uses: `node:sqlite` without a flag, type stripping in a checkout. */
const NEEDED: readonly [number, number] = [22, 18];

/**
 * The message for a Node that is too old; null if it is not.
 *
 * @param version as in `process.versions.node`: `20.20.2`
 */
export function nodeComplaint(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor, neededMinor] = NEEDED;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null;
  return `gazette needs Node ${neededMajor}.${neededMinor} or newer; this is Node ${version}; see https://nodejs.org/`;
}

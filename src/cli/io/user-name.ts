// Who runs a command, for the logs of what was done.
import { userInfo } from 'node:os';

/** The user of the operating system. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `user ${process.getuid?.() ?? 'without a name'}`;
  }
}

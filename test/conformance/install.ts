// Before the suite: the judges that come from npm. They are this folder's own; users of gazette never install them.
import { installPackages } from '../../bench/peers.ts';

/** Installs them where they are missing or older than the lock file asks. */
export function setup(): void {
  installPackages(import.meta.dirname);
}

// The system's hosts file (hosts(5)): an address and its names on each line. Read without Node's thread pool, which
// files, zlib and getaddrinfo() share.
import type { LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** How long what was read is used, in milliseconds. */
const READ_EVERY_MS = 5000;

/** Reads a hosts file, again every five seconds. */
export class HostsFile {
  readonly #path: string;
  readonly #now: () => number;
  #names: ReadonlyMap<string, readonly LookupAddress[]> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;

  /**
   * @param path default: the system's own
   * @param now milliseconds of a clock that never goes back
   */
  constructor(path: string = systemPath(), now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
  }

  /** The addresses of a name in lower case, in the order of the file. None: the file does not name it. */
  addresses(name: string): readonly LookupAddress[] {
    const now = this.#now();
    if (now - this.#readAt >= READ_EVERY_MS) {
      this.#readAt = now;
      this.#names = parseHosts(readText(this.#path));
    }
    return this.#names.get(name) ?? [];
  }
}

/** The addresses of each name, in lower case. Lines that do not begin with an address are ignored. */
function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const found = new Map<string, LookupAddress[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((written) => written.toLowerCase().replace(/\.$/, ''))) {
      const addresses = found.get(name) ?? [];
      if (addresses.length === 0) found.set(name, addresses);
      if (!addresses.some((known) => known.address === address)) addresses.push({ address, family });
    }
  }
  return found;
}

/** A system without the file has no names in it. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function systemPath(): string {
  if (process.platform !== 'win32') return '/etc/hosts';
  return join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts');
}

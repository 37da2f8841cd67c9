// A plain host of static files for a folder, below another address than the one it was made for, under the policies that the folder
// states itself (`_headers`).
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript; charset=utf-8',
};

/** The path below which the folder is. */
const MOUNT = '/any/mount/';

/** A host that runs. */
export interface StaticHost {
  /** Without a path. */
  readonly origin: string;
  /** The address of a file of the folder. */
  readonly addressOf: (name: string) => string;
  readonly close: () => void;
}

/**
 * Starts it.
 *
 * @param folder what it serves, as it is when it is asked
 * @param stated the folder whose rules hold. Default: the same
 */
export async function hostFolder(folder: string, stated: string = folder): Promise<StaticHost> {
  const rules = readFileSync(join(stated, '_headers'), 'utf8').split(/^(?=\/)/m);
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.replace(MOUNT, '').replace(/\?.*/, ''));
    const policies = rules.flatMap((rule) => {
      const [pattern, ...lines] = rule.trim().split('\n');
      const expression = pattern!.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+');
      if (!new RegExp(`^${expression}$`).test(`/${name}`)) return [];
      return lines.flatMap((line) => /Content-Security-Policy: (.*)/.exec(line)?.[1] ?? []);
    });
    response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
    if (policies.length > 0) response.setHeader('content-security-policy', policies);
    try {
      response.end(readFileSync(join(folder, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    addressOf: (name) => origin + MOUNT + name,
    close() {
      server.close();
    },
  };
}

// Places in messages. Every command loads this, and few open a store.

/** A URL in a form for messages. An unescaped password may extend into any part of it. */
export function withoutPassword(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0];
  if (scheme === undefined || scheme === 'sqlite://') return url;
  const parsed = URL.parse(url);
  if (parsed === null || `${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@')) return `${scheme}…`;
  const { username, password, host, pathname, search } = parsed;
  return `${scheme}${username + password === '' ? '' : '…@'}${host}${pathname}${search === '' ? '' : '?…'}`;
}

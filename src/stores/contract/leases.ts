// The interface of leases: one process at a time works on a register. A lease is a row that ends by itself unless it is
// renewed, not a lock of a database session, because poolers share sessions between clients.

/** How long a lease lasts unless it is renewed, in milliseconds. */
export const LEASE_MS = 30_000;

/** How often its holder renews it, in milliseconds: two renewals may fail before it ends. */
export const LEASE_RENEWAL_MS = 10_000;

/** Who works on a register. */
export interface LeaseHolder {
  /** The command and its file, such as `import permits.csv`. */
  readonly what: string;
  /** The name of the host. */
  readonly host: string;
  /** The process on that host. */
  readonly pid: number;
  /** When it began, RFC 3339. */
  readonly since: string;
}

/** The right to work on a register. */
export interface Lease extends LeaseHolder {
  /** Identifies the lease; unique. Writes name it in {@link WriteOptions.lease}. */
  readonly token: string;
  /** When it ends unless it is renewed, RFC 3339. */
  readonly until: string;
}

/** The leases of a store. `holdRegister()` takes, renews and releases one around a piece of work. */
export interface LeaseStore {
  /**
   * Takes a register at the time `lease.since`, unless another lease of it has not ended by then.
   *
   * @param options.over the token of a lease that is void because its process is gone: it is replaced although it has not ended
   * @returns null when the lease was taken, otherwise the lease that holds the register
   * @throws GazetteError `unknown_feed`
   */
  take(feedId: string, lease: Lease, options?: { readonly over?: string }): Promise<Lease | null>;

  /** Sets when a lease ends. One that has ended may be renewed as long as nobody took the register. @throws GazetteError `import_superseded` */
  renew(token: string, options: { readonly until: string }): Promise<void>;

  /** Ends a lease. An unknown one is ignored: it ended, and another holder may have come since. */
  release(token: string): Promise<void>;

  /** The latest lease of a register, whether it has ended or not; null if there is none. */
  find(feedId: string): Promise<Lease | null>;
}

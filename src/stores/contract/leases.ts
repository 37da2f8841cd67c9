// The interface of leases: one process at a time works on a register. A lease is a row that ends by itself unless it is
// renewed, not a lock of a database session, because poolers share sessions between clients. Its times are by the
// database's clock: those of its holders may differ.

/** How long a lease lasts unless it is renewed, in milliseconds. */
export const LEASE_MS = 30_000;

/** How often its holder renews it, in milliseconds: two renewals may fail before it ends. */
export const LEASE_RENEWAL_MS = 10_000;

/** A lease that ends later than this from now is void, in milliseconds: the clock was put back since it was renewed. */
export const LEASE_BOUND_MS = 60_000;

/** Who works on a register. */
export interface LeaseHolder {
  /** The command and its file, such as `import permits.csv`. */
  readonly what: string;
  /** The name of the host. */
  readonly host: string;
  /** The process on that host. */
  readonly pid: number;
  /** When it began, RFC 3339, by its own clock. */
  readonly since: string;
}

/** A lease that is asked for. */
export interface NewLease extends LeaseHolder {
  /** Identifies the lease; unique. Writes name it in {@link UnderLease.lease}. */
  readonly token: string;
  /** Whether the register may be a mirror. Default: a mirror is refused, whoever holds it. */
  readonly ofMirror?: boolean;
}

/** The right to work on a register. */
export interface Lease extends NewLease {
  /** When it ends unless it is renewed, RFC 3339. */
  readonly until: string;
  /** Whether it has ended, or ends later than a minute from now, by the database's clock. */
  readonly isVoid: boolean;
}

/** Under which lease a write is made. */
export interface UnderLease {
  /** The token of the lease. Absent: the write does not care who holds the register. */
  readonly lease?: string;
  /**
   * The number of the write under its lease, rising. When a write comes again with the number of the last one, because its
   * answer was lost, nothing is done twice, and the result is that of the first time. Absent: nothing is remembered.
   */
  readonly write?: number;
}

/** The leases of a store. `holdRegister()` takes, renews and releases one around a piece of work. */
export interface LeaseStore {
  /**
   * The folder in which the holders of leases mark that they run, where all processes that use the store run on one host:
   * the mark alone then says whether a lease is void. Null: they may run on several, and the mark in the folder for
   * temporary files says it only where there is one.
   */
  readonly marks: string | null;

  /**
   * Takes a register for 30 seconds, unless it has a lease. A lease that is taken again stays its holder's.
   *
   * @param options.over the lease that is void, as it was found: it is replaced unless it was renewed since
   * @returns null when the lease was taken, otherwise the lease that the register has
   * @throws GazetteError `unknown_feed`
   */
  take(
    feedId: string,
    lease: NewLease,
    options?: { readonly over?: Pick<Lease, 'token' | 'until'> },
  ): Promise<Lease | null>;

  /** Has a lease last for 30 seconds from now. One that has ended may be renewed as long as nobody took the register. @throws GazetteError `import_superseded` */
  renew(token: string): Promise<void>;

  /** Ends a lease. An unknown one is ignored: it ended, and another holder may have come since. */
  release(token: string): Promise<void>;

  /** The lease of a register, whether it is void or not; null if there is none. */
  find(feedId: string): Promise<Lease | null>;
}

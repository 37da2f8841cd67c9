// One run at a time on a bucket: an object that is written under conditions alone. Its holder renews it; a run that was
// killed no longer does, and after a while the next one takes it over. It stays when it is free, because not every server
// removes objects under conditions.
import { randomUUID } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import { LOCK_FILE } from '../places/lock.ts';
import type { BucketRequests, Condition } from './requests.ts';

/** The default of `lockMs`, in milliseconds. */
const LOCK_MS = 60_000;

/** How often it is renewed while it lasts. */
const RENEWALS = 6;

/** An entity tag that no object has. */
const NO_TAG = '"00000000000000000000000000000000"';

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The lock of a run. */
export class BucketLock {
  readonly #bucket: BucketRequests;
  readonly #lockMs: number;
  readonly #holder = randomUUID();
  readonly #timer: NodeJS.Timeout;
  #etag = '';
  /** When the last renewal that succeeded was sent, by the monotonic clock: others may take the lock `lockMs` later. */
  #renewedAt = 0;
  #renewals = 0;
  #renewing: Promise<void> = Promise.resolve();
  #isLost = false;

  private constructor(bucket: BucketRequests, lockMs: number) {
    this.#bucket = bucket;
    this.#lockMs = lockMs;
    // A renewal that fails leaves the lock as old as it is: the next write asks for it again, or fails.
    this.#timer = setInterval(() => void this.#renew().catch(() => undefined), lockMs / RENEWALS).unref();
  }

  /**
   * Takes the lock of a bucket.
   *
   * @throws GazetteError `snapshot_busy`; `output_failed`, also for a server that ignores conditions
   */
  static async take(bucket: BucketRequests, lockMs: number = LOCK_MS): Promise<BucketLock> {
    const lock = new BucketLock(bucket, lockMs);
    try {
      await lock.#take();
      return lock;
    } catch (error) {
      clearInterval(lock.#timer);
      throw error;
    }
  }

  /** Resolves while this run surely holds the lock. @throws GazetteError `snapshot_busy`, `output_failed` */
  async check(): Promise<void> {
    if (performance.now() - this.#renewedAt > this.#lockMs / 2) await this.#renew();
    if (this.#isLost) throw this.#busy();
  }

  /** Frees the lock. If that fails, it ends as that of a killed run does. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing.catch(() => undefined);
    if (!this.#isLost) await this.#write({ etag: this.#etag }, true).catch(() => undefined);
  }

  async #take(): Promise<void> {
    if (!(await this.#write('absent'))) {
      const found = await this.#bucket.read(LOCK_FILE);
      // It is never removed while a run works; somebody has done so.
      if (found === null) throw this.#busy();
      // An age that is not a number is one of a server without clock: the lock counts as new.
      if (!isFree(found.bytes) && !(found.ageMs >= this.#lockMs)) throw this.#busy();
      if (!(await this.#write({ etag: found.etag }))) throw this.#busy();
    }
    for (const condition of ['absent', { etag: NO_TAG }] as const) {
      if (!(await this.#write(condition))) continue;
      throw this.#bucket.failure(
        '',
        'the server ignores If-None-Match or If-Match, so nothing would keep two runs apart; write a folder, and copy it there',
      );
    }
  }

  #renew(): Promise<void> {
    this.#renewing = this.#renewing
      .catch(() => undefined)
      .then(async () => {
        if (!this.#isLost && !(await this.#write({ etag: this.#etag }))) this.#isLost = true;
      });
    return this.#renewing;
  }

  /** Writes the lock's object. @returns whether the condition held */
  async #write(condition: Condition, isFree = false): Promise<boolean> {
    const sentAt = performance.now();
    // Each text is another one, so that each has an entity tag of its own, and is known again after a lost answer.
    const state = { holder: isFree ? null : this.#holder, renewals: isFree ? this.#holder : ++this.#renewals };
    const etag = await this.#bucket.write(LOCK_FILE, Buffer.from(JSON.stringify(state)), HEADERS, { condition });
    if (etag === null) return false;
    this.#etag = etag;
    this.#renewedAt = sentAt;
    return true;
  }

  #busy(): GazetteError {
    const { path } = this.#bucket;
    const seconds = Math.ceil(this.#lockMs / 1000);
    return new GazetteError(
      'snapshot_busy',
      `${path} is being written by another run, or was by one that was killed less than ${seconds} seconds ago`,
      { details: { path } },
    );
  }
}

/** Whether the bytes of a lock's object say that nobody holds it. What is not a lock's is held, by somebody unknown. */
function isFree(bytes: Buffer): boolean {
  try {
    return (JSON.parse(bytes.toString()) as { readonly holder?: unknown }).holder === null;
  } catch {
    return false;
  }
}

// Who asks: requests of each kind, at random times.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../random.ts';
import { PLACES } from '../vocabulary.ts';
import type { Kind, Load } from './model.ts';
import { idOf, registerOf } from './site.ts';

/** One request. */
export interface Asked {
  readonly path: string;
  /** What the client has of it. */
  readonly etag?: string;
}

/** One answer. */
export interface Answered {
  readonly status: number;
  readonly etag: string | undefined;
  readonly ms: number;
}

/** A part of the register of which pages are asked. */
export interface Site {
  readonly port: number;
  readonly key: string;
  readonly registers: number;
  readonly recordsEach: number;
}

/** Asks one node. */
export class Asker {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  get({ path, etag }: Asked): Promise<Answered> {
    const sentAt = performance.now();
    const headers = {
      Authorization: `Bearer ${this.#site.key}`,
      ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, host: '127.0.0.1', port: this.#site.port, path, headers };
      request(options, (answer) => {
        answer.resume();
        answer.once('error', reject);
        answer.once('end', () => {
          resolve({ status: answer.statusCode!, etag: answer.headers.etag, ms: performance.now() - sentAt });
        });
      })
        .once('error', reject)
        .end();
    });
  }

  /** The same. @throws Error when the answer is not a 200 or 304 */
  async ok(asked: Asked): Promise<void> {
    const { status } = await this.get(asked);
    if (status !== 200 && status !== 304) throw new Error(`${asked.path} was answered ${status}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Begins one after the other at random times (Poisson), whether those before have ended or not, and waits for all. */
export async function atRandomTimes<T>(
  items: Iterable<T>,
  aSecond: number,
  begin: (item: T) => Promise<void>,
): Promise<void> {
  const random = new Random(Math.round(aSecond));
  const begun: Promise<void>[] = [];
  let next = performance.now();
  for (const item of items) {
    next -= (1000 / aSecond) * Math.log(1 - random.next());
    const early = next - performance.now();
    if (early > 0) await sleep(early);
    begun.push(begin(item));
  }
  await Promise.all(begun);
}

/** The first page of a register, as its clients read it. */
export function firstPage(register: number): string {
  return `/api/v1/feeds/${registerOf(register).id}/records/export.csv`;
}

/** A request of a kind that no client has repeated, anywhere in the site. */
export function asking(kind: Exclude<Kind, 'repeat'>, { registers, recordsEach }: Site, random: Random): Asked {
  const number = random.below(registers);
  const { id } = registerOf(number);
  const offset = random.below(Math.max(1, recordsEach - 100));
  const paths = {
    rendered: () => firstPage(number),
    page: () => `/api/v1/feeds/${id}/records/export.csv?offset=${offset}`,
    list: () => `/api/v1/feeds/${id}/records?offset=${offset}`,
    record: () => `/api/v1/records/${encodeURIComponent(idOf(registerOf(number), 1 + random.below(recordsEach)))}`,
    search: () => `/api/v1/feeds/${id}/records?q=${encodeURIComponent(random.pick(PLACES))}`,
    feeds: () => `/api/v1/feeds?limit=${50 + random.below(51)}&offset=${random.below(registers)}`,
  } as const;
  return { path: paths[kind]() };
}

/** What clients and others ask for, without end: clients send what they have. */
export class Visitors {
  readonly #asker: Asker;
  readonly #site: Site;
  readonly #load: Pick<Load, 'clients' | 'shares'>;
  readonly #tags: string[];
  readonly #random = new Random(2);

  private constructor(asker: Asker, site: Site, load: Pick<Load, 'clients' | 'shares'>, tags: readonly string[]) {
    this.#asker = asker;
    this.#site = site;
    this.#load = load;
    this.#tags = tags.flatMap((tag) => Array.from({ length: load.clients }, () => tag));
  }

  /** Every client has the first page of every register. */
  static async come(asker: Asker, site: Site, load: Pick<Load, 'clients' | 'shares'>): Promise<Visitors> {
    return new Visitors(asker, site, load, await firstTags(asker, site));
  }

  /** Sends one request. */
  async ask(): Promise<Answered> {
    let part = this.#random.next();
    for (const [kind, share] of Object.entries(this.#load.shares) as [keyof Load['shares'], number][]) {
      part -= share;
      if (part < 0 && kind !== 'repeat') return this.#asker.get(asking(kind, this.#site, this.#random));
      if (part < 0) break;
    }
    const register = this.#random.below(this.#site.registers);
    const client = register * this.#load.clients + this.#random.below(this.#load.clients);
    const answer = await this.#asker.get({ path: firstPage(register), etag: this.#tags[client]! });
    if (answer.etag !== undefined) this.#tags[client] = answer.etag;
    return answer;
  }
}

/** The tag of the first page of every register. */
export async function firstTags(asker: Asker, { registers }: Site): Promise<string[]> {
  const tags: string[] = [];
  for (let register = 0; register < registers; register++) {
    const { etag } = await asker.get({ path: firstPage(register) });
    if (etag === undefined) throw new Error(`${firstPage(register)} has no ETag`);
    tags.push(etag);
  }
  return tags;
}

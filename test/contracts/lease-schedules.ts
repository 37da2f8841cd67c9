// Random schedules of processes that want one register, over the rules of a store, while clocks jump: who has the register is
// compared with a model that knows who lives. Time is simulated, second by second.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { markProcess, type ProcessMark } from '../../src/files/process-mark.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { takeLease } from '../../src/stores/lease/take-lease.ts';
import { at, say } from './store-register.ts';

/** Where schedules run. */
export interface LeaseWorld {
  /** A store with the register `permits`. */
  readonly store: RegisterStore;
  /** The folder for marks of each host. */
  readonly hosts: readonly string[];
  /** Sets the database's clock, in milliseconds since 1970. */
  readonly setClock: (ms: number) => void | Promise<void>;
  /** How far the database's clock jumps at most, in seconds. */
  readonly jump: number;
  /** How many seconds pass at least between two jumps: a lease is renewed more often. */
  readonly jumpsEvery: number;
}

/** How long a schedule is, in seconds. */
const LENGTH = 150;

/** For how long the lease of a process that is gone may keep others out, in seconds. */
const PATIENCE = 60;

/** The time by the clock of nobody at which schedules begin. */
const START = Date.parse(at(0));

/** A lease in the model. */
interface Held {
  readonly token: string;
  readonly host: string;
  readonly mark: ProcessMark;
  /** `paused` lives, and neither renews nor writes. */
  state: 'working' | 'paused' | 'gone';
  /** When its state changes, or when it was gone. */
  until: number;
  renewAt: number;
  writes: number;
}

/** A process that wants the register now and then. */
interface Claimant {
  readonly host: string;
  /** How far its clock is from the true time, in milliseconds: up to an hour. */
  readonly skew: number;
  held: Held | null;
}

/** What happened in schedules. */
export interface Happened {
  taken: number;
  refused: number;
  overGone: number;
  overPaused: number;
  lateWrites: number;
}

/** Runs the schedule of this number. */
export async function runSchedule(world: LeaseWorld, number: number, happened: Happened): Promise<void> {
  const { store, hosts, setClock, jump, jumpsEvery } = world;
  let state = number + 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let warm = 0; warm < 5; warm++) random();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const claimants = Array.from({ length: 4 }, (): Claimant => {
    return { host: pick(hosts), skew: Math.round((random() - 0.5) * 7_200_000), held: null };
  });
  const register: { holder: Held | null } = { holder: null };
  let [now, offset, jumpsAt] = [0, 0, random() * jumpsEvery];
  const past: string[] = [];
  const said = (): string => `schedule ${number}, second ${now}`;

  /** Writes under a lease: it must succeed as long as the lease is the register's, and no longer. */
  const write = async (token: string, place: number): Promise<void> => {
    const recordedAt = new Date(START).toISOString();
    const record = say(`${number}-${place}`);
    const written = await store.apply('permits', [record], { recordedAt, lease: token, write: place }).then(
      () => 'written',
      (error: unknown) => (error as { readonly code?: unknown }).code,
    );
    expect(written, said()).toBe(token === register.holder?.token ? 'written' : 'import_superseded');
  };

  const work = async (claimant: Claimant, held: Held): Promise<void> => {
    if (held.state === 'paused') {
      if (now < held.until) return;
      if (held !== register.holder) {
        happened.lateWrites++;
        await write(held.token, ++held.writes);
        held.mark.end();
        claimant.held = null;
        return;
      }
      Object.assign(held, { state: 'working', until: now + random() * 60, renewAt: now });
    }
    expect(held === register.holder, said()).toBe(true);
    if (now >= held.renewAt) {
      await store.leases.renew(held.token);
      held.renewAt = now + 9 + Math.floor(random() * 3);
    }
    if (random() < 0.1) await write(held.token, ++held.writes);
    if (now < held.until) return;
    const end = random();
    if (end < 0.3) Object.assign(held, { state: 'paused', until: now + random() * 100 });
    else {
      claimant.held = null;
      past.push(held.token);
      if (end < 0.6) {
        await store.leases.release(held.token);
        held.mark.end();
        register.holder = null;
      } else {
        // Killed, or it could not release its lease.
        held.mark.leave();
        Object.assign(held, { state: 'gone', until: now });
      }
    }
  };

  const claim = async (claimant: Claimant): Promise<void> => {
    const { host, skew } = claimant;
    const token = randomUUID();
    const mark = markProcess(host, token)!;
    const since = new Date(START + now * 1000 + skew).toISOString();
    const lease = { token, what: 'import', host, pid: 1, since };
    const isTaken = (await takeLease(store.leases, 'permits', lease, host)) === null;
    const isHere = register.holder?.host === host;
    if (isTaken) {
      const isAllowed =
        register.holder === null || register.holder.state === 'gone' || (register.holder.state === 'paused' && !isHere);
      expect(isAllowed, `${said()}: taken from one that was ${register.holder?.state}`).toBe(true);
      happened.taken++;
      if (register.holder?.state === 'gone') happened.overGone++;
      if (register.holder?.state === 'paused') {
        happened.overPaused++;
        past.push(register.holder.token);
      }
      const until = now + random() * 60;
      claimant.held = { token, host, mark, state: 'working', until, renewAt: now + 10, writes: 0 };
      register.holder = claimant.held;
    } else {
      const isLeft = register.holder?.state === 'gone' && (isHere || now - register.holder.until >= PATIENCE);
      expect(
        register.holder !== null && !isLeft,
        `${said()}: refused because of one that was ${register.holder?.state}`,
      ).toBe(true);
      happened.refused++;
      mark.end();
    }
  };

  for (; now < LENGTH; now++) {
    if (now >= jumpsAt) {
      offset += (random() - 0.5) * 2 * jump;
      jumpsAt = now + jumpsEvery * (1 + random());
    }
    await setClock(Math.round(START + (now + offset) * 1000));
    const isDue = (): boolean => register.holder?.state === 'gone' && now - register.holder.until >= PATIENCE;
    for (const claimant of claimants) {
      if (claimant.held !== null) await work(claimant, claimant.held);
      else if (isDue() || random() < 0.1) await claim(claimant);
    }
    expect(isDue(), `${said()}: nobody has it`).toBe(false);
    const late = past.at(-1);
    if (late !== undefined && late !== register.holder?.token && random() < 0.05) await write(late, 1000 + now);
  }
  for (const { held } of claimants) held?.mark.end();
  if (register.holder !== null) await store.leases.release(register.holder.token);
}

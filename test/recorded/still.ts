// Preloaded into every process of the recording (`node --import`): its clock stands still until it is set, nothing happens
// that waits for seconds, and Math.random is constant. So nothing in an answer tells when, or how fast, it was made.
const LONG_MS = 5000;

const RealDate = Date;

/** The time that it really is, in milliseconds since 1970. */
export const realNow: () => number = RealDate.now.bind(RealDate);

let nowMs = RealDate.parse(process.env.RECORDED_NOW ?? '2026-10-01T12:00:00Z');

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [nowMs] : values, newTarget) as Date,
  apply: () => new RealDate(nowMs).toString(),
  get: (target, property) => (property === 'now' ? () => nowMs : (Reflect.get(target, property) as unknown)),
});
performance.now = () => 1000;
Math.random = () => 0.5;

// A timer of seconds would fire on a slow machine, and not on a fast one.
const realSetTimeout = setTimeout;
const realSetInterval = setInterval;
const delay = (ms = 0): number => (ms >= LONG_MS ? 2 ** 31 - 1 : ms);
globalThis.setTimeout = Object.assign(
  (act: () => void, ms?: number, ...values: unknown[]) => realSetTimeout(act, delay(ms), ...(values as [])),
  setTimeout,
);
globalThis.setInterval = (act: () => void, ms?: number, ...values: unknown[]) =>
  realSetInterval(act, delay(ms), ...(values as []));

// A service is told the time by the process that asks it.
process.on('message', (time: string) => {
  setClock(time);
  process.send!('set');
});
process.channel?.unref();

/** Sets the clock of this process. */
export function setClock(time: string): void {
  nowMs = RealDate.parse(time);
}

// Preloaded with --import: moves this process's clock to the year 2041 and makes Math.random constant.
const RealDate = Date;
const SHIFT_MS = RealDate.UTC(2041, 5, 15) - RealDate.UTC(2026, 0, 1);
const realNow = RealDate.now.bind(RealDate);
const now = (): number => realNow() + SHIFT_MS;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
});
Math.random = () => 0.5;

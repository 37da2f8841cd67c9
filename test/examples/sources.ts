// Loaded before an example: `gazette` in it means this checkout's sources, not what `npm ci` has built in dist/.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('../../', import.meta.url);
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** A test that loads an example in its own process ends them. */
export const hooks: { readonly deregister: () => void } = registerHooks({
  resolve(specifier, context, next) {
    const entry = /^gazette(?:\/(.+))?$/.exec(specifier);
    const target = entry === null ? undefined : entries[entry[1] === undefined ? '.' : `./${entry[1]}`];
    if (target === undefined || typeof target === 'string') return next(specifier, context);
    const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
    return next(new URL(source, root).href, context);
  },
});

// Paths into JSON values, as `--pick` and `--map` write them: `result.items`, `links.0.href`, or a JSON Pointer
// (RFC 6901) such as `/meta/org.name` where a name has dots of its own.
import { isRawObject, type RawValue } from './raw-record.ts';

/** The names on the path, outermost first; a name of digits is also an array's index. */
export type ValuePath = readonly string[];

/**
 * The path of an expression; null when it has an empty step, which in dotted form is always a typing error.
 *
 * @example parsePath('meta.org') // ['meta', 'org']
 */
export function parsePath(expression: string): ValuePath | null {
  if (expression.startsWith('/')) {
    // RFC 6901 4: ~1 first, then ~0, so that ~01 is ~1.
    return expression
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  const steps = expression.split('.');
  return steps.includes('') ? null : steps;
}

/** The inverse of {@link parsePath}: dotted if that is unambiguous, otherwise a JSON Pointer. */
export function formatPath(path: ValuePath): string {
  const dotted =
    path.length > 0 && path.every((step) => step !== '' && !step.includes('.')) && !path[0]!.startsWith('/');
  return dotted ? path.join('.') : path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a path; undefined if there is none. Only own members count. */
export function valueAt(value: RawValue, path: ValuePath): RawValue | undefined {
  let current: RawValue | undefined = value;
  for (const step of path) {
    if (Array.isArray(current)) current = isIndex(step) ? (current as readonly RawValue[])[Number(step)] : undefined;
    else if (isRawObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** Whether a step can be an array's index (RFC 6901 4: no leading zeros). */
function isIndex(step: string): boolean {
  return /^(?:0|[1-9]\d{0,14})$/.test(step);
}

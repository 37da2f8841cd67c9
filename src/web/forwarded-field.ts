// Header fields that a trusted proxy adds about its request (`X-Forwarded-For`, `-Host`, `-Proto`; predecessors of RFC
// 7239).

/**
 * The last value of a list: each proxy adds its own at the end, and earlier values may come from the client. Undefined
 * if there is none.
 *
 * @example forwardedField(new Headers({ 'x-forwarded-host': 'evil.example, front.example' }), 'x-forwarded-host') // 'front.example'
 */
export function forwardedField(headers: Pick<Headers, 'get'>, name: string): string | undefined {
  const last = headers.get(name)?.split(',').at(-1)!.trim();
  return last === '' ? undefined : last;
}

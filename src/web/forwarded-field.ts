// What a trusted proxy says of the request that reached it (`X-Forwarded-For`, `-Host`, `-Proto`; the ancestors of RFC 7239).

/**
 * The last value of a list: each proxy adds its own at the end, and whatever stands before may come from the client.
 * Undefined where there is none.
 *
 * @example forwardedField(new Headers({ 'x-forwarded-host': 'evil.example, front.example' }), 'x-forwarded-host') // 'front.example'
 */
export function forwardedField(headers: Pick<Headers, 'get'>, name: string): string | undefined {
  const last = headers.get(name)?.split(',').at(-1)!.trim();
  return last === '' ? undefined : last;
}

// Cookies as browsers send and take them.
import { describe, expect, it } from 'vitest';
import { cookieIn, cookieName, setCookie } from '../../src/web/cookies.ts';

describe('a cookie', () => {
  it('is not found where there is none', () => {
    expect(cookieIn(null, 'gazette')).toBeNull();
  });

  it('that came twice is nobody’s', () => {
    expect(cookieIn('gazette=mine; gazette=theirs', 'gazette')).toBeNull();
    expect(cookieIn('gazette=mine; gazette=mine', 'gazette')).toBeNull();
  });

  it('is tied to its host where the service is published over HTTPS', () => {
    const options = { maxAgeSeconds: 60, sameSite: 'Lax' } as const;
    expect(setCookie('gazette', 'x', { ...options, isSecure: true })).toBe(
      '__Host-gazette=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    );
    expect(setCookie('gazette', 'x', { ...options, isSecure: false })).toBe(
      'gazette=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
    );
    expect([cookieName('gazette', true), cookieName('gazette', false)]).toEqual(['__Host-gazette', 'gazette']);
  });
});

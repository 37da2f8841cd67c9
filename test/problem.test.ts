import { describe, expect, it } from 'vitest';
import { type ErrorCode, GazetteError } from '../src/errors.ts';
import { PROBLEM_MEDIA_TYPE, problemKind, PROBLEMS, toProblem } from '../src/problem.ts';

const codes = Object.keys(PROBLEMS) as ErrorCode[];

/** What passes by itself, and says what it is. */
const TOLD = ['event_in_progress', 'index_building', 'not_ready', 'too_many_downloads', 'too_many_uploads'] as const;

/** Some of the codes that no answer carries. */
const NEVER_ANSWERED = ['usage', 'invalid_record', 'unknown_account', 'schema_too_new', 'request_failed'] as const;

describe('the table of problems', () => {
  it.each(NEVER_ANSWERED)('has no status for %s, which no answer carries', (code) => {
    expect(PROBLEMS).not.toHaveProperty(code);
    expect(problemKind(code)).toEqual(PROBLEMS.internal_error);
  });

  it('has the media type of RFC 9457', () => {
    expect(PROBLEM_MEDIA_TYPE).toBe('application/problem+json');
  });

  it.each(codes)('gives %s an error status and a title of its own', (code) => {
    const { status, title } = problemKind(code);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(codes.filter((other) => problemKind(other).title === title)).toEqual([code]);
  });
});

describe('toProblem', () => {
  it('tells the client which parameter is wrong and how', () => {
    const error = new GazetteError('invalid_parameter', 'limit must be 1..100, got 0', {
      details: { parameter: 'limit' },
    });
    expect(toProblem(error, 'req-1')).toEqual({
      type: 'urn:gazette:problem:invalid_parameter',
      title: 'A parameter is not valid',
      status: 400,
      detail: 'limit must be 1..100, got 0',
      code: 'invalid_parameter',
      request_id: 'req-1',
      parameter: 'limit',
    });
  });

  it.each([
    ['unknown_format', 404],
    ['unknown_feed', 404],
    ['not_found', 404],
    ['method_not_allowed', 405],
    ['invalid_parameter', 400],
    ['aborted', 499],
    ...TOLD.map((code) => [code, 503] as const),
  ] as const)('passes on the message of %s with status %i', (code, status) => {
    expect(toProblem(new GazetteError(code, 'the message'), 'r')).toMatchObject({
      code,
      status,
      detail: 'the message',
    });
  });

  it('leaves the parameter out where there is none', () => {
    expect(toProblem(new GazetteError('not_found', 'x'), 'r')).not.toHaveProperty('parameter');
    const odd = new GazetteError('invalid_parameter', 'x', { details: { parameter: 5 } });
    expect(toProblem(odd, 'r')).not.toHaveProperty('parameter');
  });

  const inside: readonly (readonly [string, unknown])[] = [
    ...[
      ...codes.filter(
        (code) =>
          problemKind(code).status >= 500 &&
          problemKind(code).status !== 501 &&
          !(TOLD as readonly ErrorCode[]).includes(code),
      ),
      ...NEVER_ANSWERED,
    ].map((code) => [code, new GazetteError(code, '/srv/secret.db', { details: { parameter: 'secret' } })] as const),
    ['an error of something else', new TypeError('/srv/secret.db')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['an object that only looks like an error', { code: 'invalid_parameter', message: 'secret' }],
  ];
  it.each(inside)('says nothing of the inside for %s', (_, error) => {
    const problem = toProblem(error, 'req-7');
    expect(problem).toMatchObject({ request_id: 'req-7' });
    // That it will pass is worth knowing; what it was is not for clients.
    const known =
      error instanceof GazetteError && problemKind(error.code).status === 503 ? error.code : 'internal_error';
    expect([problem.code, problem.status]).toEqual([known, problemKind(known).status]);
    expect(problem.detail).toContain('req-7');
    expect(JSON.stringify(problem)).not.toContain('secret');
  });
});

// Webhooks, genuine and forged, that the guide's programs are asked about in every language.
import { readFile } from 'node:fs/promises';

interface SignedCase {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: number;
  readonly body_base64: string;
  readonly header: string;
}

const CASES = JSON.parse(
  await readFile(new URL('../../fixtures/webhooks/signatures.json', import.meta.url), 'utf8'),
) as readonly SignedCase[];

/** What a program is asked: the body is in base64. */
interface Question {
  readonly secret: string;
  /** In seconds since 1970. */
  readonly now: number;
  readonly body: string;
  readonly header: string;
  readonly expected: boolean;
}

/** Whether each is genuine: as it was signed, and with another body, another secret, at another time, without a signature. */
export const QUESTIONS: readonly Question[] = CASES.flatMap(({ secret, timestamp, body_base64: body, header }) => [
  { secret, now: timestamp + 299, body, header, expected: true },
  { secret, now: timestamp + 301, body, header, expected: false },
  { secret, now: timestamp - 301, body, header, expected: false },
  { secret: `${secret}x`, now: timestamp, body, header, expected: false },
  { secret, now: timestamp, body: `${body.slice(0, -4)}AAAA`, header, expected: false },
  { secret, now: timestamp, body, header: header.replace('v1=', 'v2='), expected: false },
  { secret, now: timestamp, body, header: `${header},v1=${'0'.repeat(64)}`, expected: true },
  { secret, now: timestamp, body, header: '', expected: false },
  { secret, now: timestamp, body, header: 't=,v1=', expected: false },
]);

/** What each of them must be found to be. */
export const EXPECTED: readonly boolean[] = QUESTIONS.map((question) => question.expected);

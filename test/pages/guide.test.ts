// The guide: its addresses are those of the service, and its programs do what it says.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { GUIDES } from '../../src/templates/guide-page.ts';
import { pagingSample, WEBHOOK_SAMPLE } from '../../src/templates/guide/samples.ts';
import { LANGUAGES } from '../../src/templates/wording.ts';
import { demoService, ORIGIN, RECORDS } from '../service/demo-service.ts';
import { find } from './documents.ts';

const run = promisify(execFile);

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

/** Whether each is genuine: as it was signed, and with another body, another secret, at another time, without a signature. */
const QUESTIONS = CASES.flatMap(({ secret, timestamp, body_base64: body, header }) => [
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

const expected = QUESTIONS.map((question) => question.expected);

describe('the guide', () => {
  it.each(Object.keys(LANGUAGES))('names the service’s own addresses (%s)', async (language) => {
    const { get } = await demoService({ baseUrl: 'https://registers.example/open', limits: undefined as never });
    const page = await (await get(`${ORIGIN}/guide?lang=${language}`)).text();
    expect(find(page, 'h1')[0]!.text).toBe(GUIDES[language]!.title);
    expect(page).toContain('https://registers.example/open/api/v1/feeds/permits/records?limit=2');
    expect(page).toContain('https://registers.example/open/opml');
    expect(page).not.toContain(ORIGIN);
    expect(page).toContain('600');
    expect(Buffer.byteLength(page)).toBeLessThan(50_000);
    // What stands for a value is filled in.
    expect(find(page, 'p').filter(({ text }) => /\{[a-z]+\}|`/.test(text))).toEqual([]);
  });

  it('has every text in every language', () => {
    expect(Object.keys(GUIDES)).toEqual(Object.keys(LANGUAGES));
    for (const guide of Object.values(GUIDES)) {
      expect(Object.keys(guide)).toEqual(Object.keys(GUIDES.en!));
      for (const [name, text] of Object.entries(guide)) {
        const parts = (whole: string): unknown => whole.match(/\{[a-z]+\}/g);
        expect([name, parts(text)]).toEqual([name, parts(GUIDES.en![name as keyof typeof guide])]);
      }
    }
  });
});

describe('a program of the guide', () => {
  it('in Python knows a genuine webhook', async () => {
    const program = `${WEBHOOK_SAMPLE.Python}
import base64, json, sys
print(json.dumps([is_genuine(base64.b64decode(q["body"]), q["header"], q["secret"], q["now"]) for q in json.loads(sys.argv[1])]))`;
    const { stdout } = await run('python3', ['-c', program, JSON.stringify(QUESTIONS)]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('in Node knows a genuine webhook', async () => {
    const program = `${WEBHOOK_SAMPLE.Node}
const answers = JSON.parse(process.argv[1]).map((q) => isGenuine(Buffer.from(q.body, 'base64'), q.header, q.secret, q.now));
console.log(JSON.stringify(answers));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(QUESTIONS)]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('in PHP knows a genuine webhook, where PHP is', async (context) => {
    const program = `${WEBHOOK_SAMPLE.PHP}
echo json_encode(array_map(fn($q) => is_genuine(base64_decode($q['body']), $q['header'], $q['secret'], $q['now']), json_decode($argv[1], true)));`;
    const hasPhp = await run('php', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasPhp) return context.skip('there is no PHP here');
    const { stdout } = await run('php', ['-r', program, JSON.stringify(QUESTIONS)]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it.each(['Python', 'Node'] as const)('in %s reads all records, page by page', async (language) => {
    const { gazette, key } = await demoService();
    const server = await startServer(gazette.fetch, { port: 0, host: '127.0.0.1' });
    try {
      const program = pagingSample({ api: `${server.url}/api/v1`, feedId: 'permits' })[language];
      const [file, options] =
        language === 'Python'
          ? (['python3', ['-c']] as const)
          : ([process.execPath, ['--input-type=module', '-e']] as const);
      const { stdout } = await run(file, [...options, program], { env: { ...process.env, GAZETTE_KEY: key } });
      expect(stdout.trim().split('\n')).toHaveLength(RECORDS);
    } finally {
      await server.stop();
    }
  });
});

// The guide: its addresses are those of the service, and its programs do what it says.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { GUIDES } from '../../src/templates/guide-page.ts';
import { pagingSample, WEBHOOK_SAMPLE } from '../../src/templates/guide/samples.ts';
import { LANGUAGES } from '../../src/templates/wording.ts';
import { BASE_URL, SAMPLES, world } from '../world.ts';
import { type OwnersService, ownersService } from './account/signed-in.ts';
import { find } from './documents.ts';
import { EXPECTED, QUESTIONS } from './signed-questions.ts';

const run = promisify(execFile);

describe('the guide', () => {
  it.each(Object.keys(LANGUAGES))('names the service’s own addresses (%s)', async (language) => {
    const { get } = await world({
      samples: SAMPLES,
      baseUrl: 'https://registers.example/open',
      limits: undefined as never,
    });
    const page = await (await get(`${BASE_URL}/guide?lang=${language}`)).text();
    expect(find(page, 'h1')[0]!.text).toBe(GUIDES[language]!.title);
    expect(page).toContain('https://registers.example/open/api/v1/feeds/permits/records?limit=2');
    expect(page).toContain('https://registers.example/open/opml');
    expect(page).not.toContain(BASE_URL);
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

describe('its examples', () => {
  const REGISTERS = ['permits', 'fines', 'sealed'] as const;

  async function service(): Promise<OwnersService> {
    const made = await ownersService();
    for (const id of REGISTERS.slice(1)) {
      await made.store.createRegister(
        defineRegister({ id, title: `Register <b>${id}</b>`, description: '', created_at: '2026-01-01T00:00:00Z' }),
      );
    }
    return made;
  }

  /** The register of the first example, and whether all are of it. */
  function registerIn(page: string): string {
    const named = new Set(Array.from(page.matchAll(/\/feeds\/([a-z]+)\//g), ([, id]) => id));
    const [chosen] = find(page, 'option').filter(({ attributes }) => attributes.has('selected'));
    expect([...named]).toEqual([chosen!.attributes.get('value')]);
    return chosen!.attributes.get('value')!;
  }

  it('are about a register that the reader may choose', async () => {
    const { get } = await service();
    const open = async (query: string): Promise<string> => (await get(`${BASE_URL}/guide${query}`)).text();
    expect(registerIn(await open(''))).toBe('permits');
    const page = await open('?register=fines&lang=de');
    expect(registerIn(page)).toBe('fines');
    expect(find(page, 'option').map(({ text }) => text)).toContain('Register <b>sealed</b>');
    expect(find(page, 'input', { name: 'lang' })[0]!.attributes.get('value')).toBe('de');
    expect(find(page, 'a', { hreflang: 'en' })[0]!.attributes.get('href')).toBe('/guide?register=fines&lang=en');
    expect(registerIn(await open('?register=nothing"><b>'))).toBe('permits');
  });

  it('are for the owner’s own key: its last four characters, and a register that it opens', async () => {
    const owners = await service();
    const { browser } = await owners.signedIn('other');
    const guide = async (query = ''): Promise<string> => (await browser.open(`${BASE_URL}/guide${query}`)).html;
    const ending = (page: string): string | undefined => /Your key ends in <code[^>]*>…(....)</.exec(page)?.[1];
    // Neither a key for other things nor one that was revoked reads records.
    await owners.accounts.createKey('other', { scopes: ['webhooks'] });
    const { entry: old } = await owners.accounts.createKey('other');
    await owners.accounts.revokeKey('other', old.id);
    expect([ending(await guide()), registerIn(await guide())]).toEqual([undefined, 'permits']);
    const { key } = await owners.accounts.createKey('other', { feeds: ['fines'] });
    const page = await guide();
    expect([ending(page), registerIn(page)]).toEqual([key.slice(-4), 'fines']);
    expect(page).not.toContain(key);
    expect(registerIn(await guide('?register=sealed'))).toBe('sealed');
    expect(ending(await (await owners.get(`${BASE_URL}/guide`)).text())).toBeUndefined();
  });
});

describe('a program of the guide', () => {
  it('in Python knows a genuine webhook', async () => {
    const program = `${WEBHOOK_SAMPLE.Python}
import base64, json, sys
print(json.dumps([is_genuine(base64.b64decode(q["body"]), q["header"], q["secret"], q["now"]) for q in json.loads(sys.argv[1])]))`;
    const { stdout } = await run('python3', ['-c', program, JSON.stringify(QUESTIONS)]);
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });

  it('in Node knows a genuine webhook', async () => {
    const program = `${WEBHOOK_SAMPLE.Node}
const answers = JSON.parse(process.argv[1]).map((q) => isGenuine(Buffer.from(q.body, 'base64'), q.header, q.secret, q.now));
console.log(JSON.stringify(answers));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(QUESTIONS)]);
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });

  it.each(['Python', 'Node'] as const)('in %s reads all records, page by page', async (language) => {
    const { fetch, key } = await world({ samples: SAMPLES });
    const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
    try {
      const program = pagingSample({ api: `${server.url}/api/v1`, feedId: 'permits' })[language];
      const [file, options] =
        language === 'Python'
          ? (['python3', ['-c']] as const)
          : ([process.execPath, ['--input-type=module', '-e']] as const);
      const { stdout } = await run(file, [...options, program], { env: { ...process.env, GAZETTE_KEY: key } });
      expect(stdout.trim().split('\n')).toHaveLength(SAMPLES);
    } finally {
      await server.stop();
    }
  });
});

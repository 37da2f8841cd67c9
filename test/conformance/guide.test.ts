// The programs of the guide, in every language that it has, as somebody would run who copied them: against a service on loopback,
// with what the language brings alone. They read all records of a register, and know genuine webhooks from forged ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { pagingSample, type Sample, WEBHOOK_SAMPLE } from '../../src/templates/guide/samples.ts';
import { EXPECTED, QUESTIONS } from '../pages/signed-questions.ts';
import { SAMPLES, world } from '../world.ts';
import { missing, program, PYTHON } from './tools.ts';

type Language = keyof Sample;

/** The questions about webhooks, in a file, and the answers on standard output, in each language. */
const ASKING: Readonly<Record<Language, (sample: string) => string>> = {
  Python: (sample) => `${sample}
import base64, json, sys
questions = json.load(open(sys.argv[1]))
print(json.dumps([is_genuine(base64.b64decode(q["body"]), q["header"], q["secret"], q["now"]) for q in questions]))
`,
  PHP: (sample) => `${sample}
$questions = json_decode(file_get_contents($argv[1]), true);
echo json_encode(array_map(fn($q) => is_genuine(base64_decode($q['body']), $q['header'], $q['secret'], $q['now']), $questions));
`,
  Go: () => `package main

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"time"

	"guide/webhook"
)

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var questions []struct {
		Body, Header, Secret string
		Now                  int64
	}
	json.Unmarshal(text, &questions)
	answers := []bool{}
	for _, question := range questions {
		body, _ := base64.StdEncoding.DecodeString(question.Body)
		answers = append(answers, webhook.IsGenuine(body, question.Header, question.Secret, time.Unix(question.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`,
  Node: (sample) => `${sample}
import { readFileSync } from 'node:fs';
const questions = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(JSON.stringify(questions.map((q) => isGenuine(Buffer.from(q.body, 'base64'), q.header, q.secret, q.now))));
`,
};

const FILES: Readonly<Record<Language, string>> = {
  Python: 'program.py',
  PHP: 'program.php',
  Go: 'main.go',
  Node: 'program.mjs',
};

const LANGUAGES: readonly (readonly [language: Language, absent: string | null])[] = [
  ['Python', missing(PYTHON, '--version')],
  ['PHP', missing('php', '--version')],
  ['Go', missing('go', 'version')],
  ['Node', null],
];

describe.each(LANGUAGES)('the programs of the guide in %s', (language, absent) => {
  describe.skipIf(absent !== null)(absent ?? 'run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gazette-guide-'));
    let service: Awaited<ReturnType<typeof world>>;
    let server: Awaited<ReturnType<typeof startServer>>;

    beforeAll(async () => {
      service = await world({ samples: SAMPLES });
      server = await startServer(service.fetch, { port: 0, host: '127.0.0.1' });
    });

    afterAll(async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    });

    /** Writes a program, and runs it. @returns its standard output */
    async function run(name: string, text: string, key: string | null, ...args: readonly string[]): Promise<string> {
      const place = join(folder, name);
      mkdirSync(place, { recursive: true });
      const file = join(place, FILES[language]);
      writeFileSync(file, text);
      if (language === 'Go') {
        mkdirSync(join(place, 'webhook'), { recursive: true });
        writeFileSync(join(place, 'go.mod'), 'module guide\n\ngo 1.19\n');
        writeFileSync(join(place, 'webhook', 'webhook.go'), WEBHOOK_SAMPLE.Go);
      }
      const command: Readonly<Record<Language, readonly string[]>> = {
        Python: [PYTHON, file],
        PHP: ['php', file],
        // The standard library alone: nothing is fetched. Debian's packages bring it compiled, if cgo is left on.
        Go: ['GOPROXY=off', 'GOTOOLCHAIN=local', `GOCACHE=${join(folder, 'cache')}`, 'go', 'run', '.'],
        Node: [process.execPath, file],
      };
      return program(
        'env',
        '--unset=GAZETTE_KEY',
        `--chdir=${place}`,
        ...(key === null ? [] : [`GAZETTE_KEY=${key}`]),
        ...command[language],
        ...args,
      );
    }

    it('read all records, page by page', async () => {
      const sample = pagingSample({ api: `${server.url}/api/v1`, feedId: 'permits' })[language];
      const lines = (text: string): readonly string[] => text.trim().split('\n');
      const all = lines(await run('paging', sample, service.key));
      expect(all).toHaveLength(SAMPLES);
      expect(new Set(all).size).toBe(SAMPLES);
      expect(lines(await run('paging', sample, null)).length).toBeLessThan(SAMPLES);
      await expect(run('paging', sample, 'no key')).rejects.toThrow();
    });

    it('know a genuine webhook from forged ones', async () => {
      const questions = join(folder, 'questions.json');
      writeFileSync(questions, JSON.stringify(QUESTIONS));
      expect(JSON.parse(await run('webhook', ASKING[language](WEBHOOK_SAMPLE[language]), null, questions))).toEqual(
        EXPECTED,
      );
    });
  });
});

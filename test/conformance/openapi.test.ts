// openapi.json before the two judges people use: redocly's recommended rules and spectral's rules for OpenAPI.
import { beforeAll, describe, expect, it } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { loadJudge } from './tools.ts';

/** What is used of @redocly/openapi-core. */
interface Redocly {
  readonly createConfig: (config: { readonly extends: readonly string[] }) => Promise<unknown>;
  readonly lintFromString: (options: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: unknown;
  }) => Promise<readonly { readonly ruleId: string; readonly message: string }[]>;
}

/** What is used of @stoplight/spectral-core and @stoplight/spectral-rulesets. */
interface Spectral {
  readonly default: {
    readonly Spectral: new () => {
      setRuleset(ruleset: { readonly extends: readonly unknown[] }): void;
      run(document: string): Promise<readonly { readonly code: string | number; readonly message: string }[]>;
    };
  };
}
interface Rulesets {
  readonly default: { readonly oas: unknown };
}

describe.each(['/openapi.json', `/feeds/${SAMPLE_DEFINITION.id}/openapi.json`])('%s', (path) => {
  let text: string;

  beforeAll(async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(SAMPLE_DEFINITION);
    const gazette = createGazette({
      store,
      baseUrl: 'https://registers.example.org',
      contact: 'data@registers.example.org',
      licenceUrl: 'https://creativecommons.org/licenses/by/4.0/',
    });
    const request = new Request(`https://registers.example.org/api/v1${path}`);
    text = await (await gazette.fetch(request)).text();
    await gazette.close();
  });

  /** The document without its operations' names, so that a judge who says nothing has said something before. */
  const spoilt = (): string => text.replaceAll('"operationId"', '"x-operationId"').replace('"url"', '"x-url"');

  it('has nothing that redocly would change', async () => {
    const { createConfig, lintFromString } = await loadJudge<Redocly>('@redocly/openapi-core');
    const config = await createConfig({ extends: ['recommended'] });
    const judge = async (source: string): Promise<string[]> => {
      const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
      return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    };
    expect(await judge(spoilt())).not.toEqual([]);
    expect(await judge(text)).toEqual([]);
  });

  it('has nothing that spectral would change', async () => {
    const { Spectral } = (await loadJudge<Spectral>('@stoplight/spectral-core')).default;
    const { oas } = (await loadJudge<Rulesets>('@stoplight/spectral-rulesets')).default;
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas] });
    const judge = async (source: string): Promise<string[]> =>
      (await spectral.run(source)).map(({ code, message }) => `${code}: ${message}`);
    expect(await judge(spoilt())).not.toEqual([]);
    expect(await judge(text)).toEqual([]);
  });
});

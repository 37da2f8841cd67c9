// What a service has of proofs: the routes that its description names, and the spans of what is asked of logs.
import * as telemetry from '@opentelemetry/api';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../telemetry/collected.ts';
import { SAMPLES, world } from '../../world.ts';

it('is described, with who may ask', async () => {
  const { get } = await world({ samples: SAMPLES });
  const { paths } = (await (await get('/openapi.json')).json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: { readonly security: readonly object[] } }>>;
  };
  const own = Object.entries(paths).filter(([path]) => /\/log\b|\/proof$/.test(path));
  expect(own.map(([path, { get }]) => [path, get!.security.length])).toEqual([
    ['/feeds/{feed_id}/log/{log}/checkpoint', 0],
    ['/feeds/{feed_id}/log/{log}/tile/{level}/{a}', 0],
    ['/log', 0],
    ['/log/{log}/checkpoint', 0],
    ['/log/{log}/tile/{level}/{a}', 0],
    // Whoever asks gets one; the salts of older versions are for a key.
    ['/records/{record_id}/proof', 2],
  ]);
});

it('has spans', async () => {
  const names: string[] = [];
  onTestFinished(collect(({ name }) => names.push(name)));
  const { get } = await world({ samples: SAMPLES, telemetry });
  await get('/log');
  expect(names).toContain('store proofs.logs.ofLogs');
});

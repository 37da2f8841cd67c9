// The spans of what a service asks of the ledger.
import * as telemetry from '@opentelemetry/api';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../telemetry/collected.ts';
import { SAMPLES, world } from '../../world.ts';

it('has spans', async () => {
  const names: string[] = [];
  onTestFinished(collect(({ name }) => names.push(name)));
  const { get } = await world({ samples: SAMPLES, telemetry });
  await get('/openapi.json');
  expect(names).toContain('store selling.hasSold');
});

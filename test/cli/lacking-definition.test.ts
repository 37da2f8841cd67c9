// A definition file that lacks what the register has.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { registerCommands, type RegisterCommands } from './register-commands.ts';

let { at, run, definition } = {} as RegisterCommands;
beforeEach(async () => {
  ({ at, run, definition } = await registerCommands());
  const whole = { title: 'Permits', language: 'de', fields: [{ name: 'fee', label: 'Fee', type: 'number' }] };
  await writeFile(join(at, 'whole.json'), JSON.stringify(whole));
  await run('register', 'add', 'permits', '--definition', join(at, 'whole.json'));
});

it('a definition that lacks fields, title or language changes nothing, unless --replace says so', async () => {
  const before = await definition();
  const file = join(at, 'prices.json');
  for (const [written, lost] of [
    [{ title: 'Permits', prices: { currency: 'EUR', per_record: 200 } }, 'the field fee, the language'],
    [{ language: 'de', fields: [{ name: 'fee', label: 'Fee', type: 'number' }] }, 'the title'],
    [{ title: 'Permits', language: 'de', fields: [{ name: 'cost', label: 'Fee', type: 'number' }] }, 'the field fee'],
  ] as const) {
    await writeFile(file, JSON.stringify(written));
    const refused = await run('register', 'update', 'permits', '--definition', file);
    expect(refused).toMatch(/^1: /);
    expect(refused).toContain(lost);
    expect(refused).toContain('--replace');
    expect(await definition()).toEqual(before);
  }
  // Options count as the file does.
  await writeFile(file, JSON.stringify({ title: 'Other', fields: before.fields }));
  expect(await run('register', 'update', 'permits', '--definition', file, '--language', 'en')).toContain('changed');
  expect(await definition()).toMatchObject({ title: 'Other', language: 'en' });
  await writeFile(file, '{ "title": "Third" }');
  expect(await run('register', 'update', 'permits', '--definition', file, '--replace')).toContain('changed');
  expect(await definition()).toMatchObject({ title: 'Third', language: null, fields: [] });
});

// A journalist's way: she saves a page of a record from a service as her browser saves pages, the register withdraws the record, and a
// month later she proves what it said. Nothing of the service runs any more then.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gazetteProcess } from '../../cli/run.ts';
import { SAMPLE_DEFINITION } from '../../contracts/sample-register.ts';
import { addSamples } from '../../world.ts';
import { sign, signLogOfLogs } from '../../wings/proofs/signing.ts';
import { faults } from '../pages/audit.ts';
import { type Chromium, launch, noChromium, watch } from '../pages/chromium.ts';
import { type PagesService, startPages } from '../pages/service.ts';

const ID = 'permits:2026-0007';

describe.skipIf(noChromium !== null)(`a saved page of a record (${noChromium ?? 'in Chromium'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-saved-page-'));
  let service: PagesService;
  let browser: Chromium;

  beforeAll(async () => {
    service = await startPages({}, async (store) => {
      await store.createRegister({ ...SAMPLE_DEFINITION, access: 'open' });
      await addSamples(store, 1, 30);
      await sign(store, 'permits');
      await signLogOfLogs(store);
    });
    browser = await launch({ runsLong: true });
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it('proves what the record said once the register has withdrawn it, however the browser saved it', async () => {
    const address = `${service.origin}/records/${ID}`;
    const watched = await watch(browser, service.origin);
    const page = await watched.open();
    // The key is on the page of the proof: she writes it down.
    await page.goto(`${address}/proof`);
    const vkey = /\bKey that checks the signature\s+(\S+)/.exec(await page.locator('main').innerText())![1]!;
    await page.goto(address);
    expect(await page.getByText('The signed proof, for later').count()).toBe(1);
    const saved = new Map<string, string>();
    saved.set('fetched.html', await (await fetch(address, { headers: { accept: 'text/html' } })).text());
    const { data } = (await (await watched.context.newCDPSession(page)).send('Page.captureSnapshot')) as {
      data: string;
    };
    saved.set('page.mhtml', data);
    saved.set('page.html', await page.content());
    await page.getByText('The signed proof, for later').click();
    saved.set('opened.html', await page.content());
    expect(await faults(page, 'record-with-proof')).toEqual([]);
    saved.set('copied.txt', await page.locator('pre[data-proof]').innerText());
    await page.goto(`${address}/proof`);
    saved.set('proof.html', await page.content());
    expect(watched.complaints).toEqual([]);
    await watched.context.close();

    await service.store.withdraw('permits', [ID], { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(service.store, 'permits');
    expect((await fetch(address, { headers: { accept: 'text/html' } })).status).toBe(410);
    await service.close();

    for (const [name, text] of saved) {
      const path = join(folder, name);
      writeFileSync(path, text);
      const { code, stdout, stderr } = await gazetteProcess(['verify', path, '--vkey', vkey]);
      expect([name, code, stderr]).toEqual([name, 0, '']);
      expect([name, stdout.toString()]).toEqual([
        name,
        expect.stringMatching(
          /^proved: version 1 of permits:2026-0007: first_observed, recorded at 2026-05-01T00:00:00.000Z\nsigned: change 7 of 30 of /,
        ),
      ]);
      expect(stdout.toString()).toMatch(/\ntitle +Permit 7: Müller & Söhne, "Nordhafen"\n/);
      const forged = join(folder, `forged-${name}`);
      writeFileSync(forged, text.replace(/index 6\n/, 'index 5\n'));
      if (text.includes('index 6\n'))
        expect(await gazetteProcess(['verify', forged, '--vkey', vkey])).toMatchObject({ code: 1 });
    }
    expect(service.errors).toEqual([]);
  });
});

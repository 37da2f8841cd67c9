// A saved page of a record is evidence: `gazette verify` says what was signed of it, also once the register has withdrawn the record.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { proveText } from '../../../../src/wings/proofs/mirror/evidence/proved-text.ts';
import { proofsIn } from '../../../../src/wings/proofs/mirror/evidence/saved-page.ts';
import { formatVerifierKey, parseVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { type Ending, folder, gazette } from '../../../cli/run.ts';
import { SAMPLE_DEFINITION } from '../../../contracts/sample-register.ts';
import { ownersService, type OwnersService } from '../../../pages/account/signed-in.ts';
import { BASE_URL } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';
import { cosignLogOfLogs, sign, signLogOfLogs } from '../signing.ts';

const [ID, OTHER, PAID] = ['permits:2026-0001', 'permits:2026-0002', 'notices:1'];
const WITNESS = signerOf('witness.example.org', 'witness', Buffer.alloc(32, 9));

describe('a saved page', () => {
  let service: OwnersService;
  let vkey: string;
  /** The page of the record as it was saved before the register withdrew it. */
  let saved: string;

  const pageOf = async (id: string): Promise<string> =>
    (
      await service.get(`${BASE_URL}/records/${id}`, { headers: { accept: 'text/html', 'accept-language': 'en' } })
    ).text();
  const verify = async (file: string | Uint8Array, ...more: readonly string[]): Promise<Ending & { file: string }> => {
    const path = join(await folder(), 'page.html');
    await writeFile(path, file);
    return { ...(await gazette(['verify', path, ...more])), file: path };
  };
  const printed = async (file: string | Uint8Array, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr, file: path } = await verify(file, '--vkey', vkey, ...more);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.toString().replaceAll(path, 'FILE');
  };
  const refused = async (file: string | Uint8Array, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr, file: path } = await verify(file, ...more);
    expect([code === 0, stdout.toString()]).toEqual([false, '']);
    return `${code} ${stderr.replaceAll(path, 'FILE')}`;
  };

  beforeAll(async () => {
    service = await ownersService();
    const { store } = service;
    await store.updateRegister({ ...SAMPLE_DEFINITION, access: 'open' }, { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(store, 'permits');
    await signLogOfLogs(store);
    await cosignLogOfLogs(store, WITNESS, Date.parse('2026-10-02T10:00:00Z'));
    vkey = (await logsOf(store).of('permits')).vkey!;
    saved = await pageOf(ID);
    await store.withdraw('permits', [ID], { recordedAt: '2026-11-02T10:00:00Z' });
    await store.redact(OTHER, { recordedAt: '2026-11-02T11:00:00Z' });
    await sign(store, 'permits');
    await signLogOfLogs(store);
  });

  it('proves what the record said, a month after the register withdrew it', async () => {
    expect((await service.get(`/records/${ID}`)).status).toBe(410);
    const text = await printed(saved);
    expect(text).toMatch(
      /^proved: version 1 of permits:2026-0001: first_observed, recorded at 2026-05-01T00:00:00.000Z\nsigned: change 1 of 120 of registers\.example\.org\S+\nin the log of logs registers\.example\.org\S+\n/,
    );
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^title +Permit 1: Müller & Söhne, "Nordhafen"$/),
        expect.stringMatching(/^published_at +2026-04-02$/),
        expect.stringMatching(/^data\.applicant +Wasserwerk 1 — 水$/),
      ]),
    );
    expect(text).toMatch(/\nwhat else FILE shows was not compared\n$/);
  });

  it('is read however it was saved: with other line ends, as MHTML, or as the proof alone', async () => {
    const expected = await printed(saved);
    expect(await printed(saved.replaceAll('\n', '\r\n'))).toBe(expected);
    expect(await printed(`\ufeff${saved}`)).toBe(expected);
    const wide = Buffer.from(`\ufeff${saved}`, 'utf16le');
    expect(await printed(wide)).toBe(expected);
    expect(await printed(wide.swap16())).toBe(expected);
    for (const comment of ['<!-- a --!>', '<!-->', '<!--->', '<!--!><pre data-proof>none</pre>-->'])
      expect(await printed(saved.replace('<body', `${comment}<body`))).toBe(expected);
    expect(await printed(saved.replace('<pre ', '<PRE class="x" ').replaceAll('— ', '&mdash; '))).toBe(expected);
    const bytes = Buffer.from(saved);
    const quoted = Array.from(bytes, (byte) =>
      byte === 10
        ? '\n'
        : byte === 61 || byte > 126
          ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
          : String.fromCharCode(byte),
    )
      .join('')
      .replace(/[^\n=]{70}(?=[^\n])/g, '$&=\n');
    for (const [coding, body] of [
      ['quoted-printable', quoted],
      ['base64', bytes.toString('base64')],
    ] as const) {
      const head =
        'From: <Saved by a browser>\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----x"';
      const part = `------x\nContent-Type: text/html\nContent-Transfer-Encoding: ${coding}\n\n${body}\n`;
      const other = '------x\nContent-Type: text/css\n\np { color: red }\n';
      expect(await printed(`${head}\n\n\n${other}${part}${other}------x--\n`.replaceAll('\n', '\r\n'))).toBe(expected);
    }
    const [proof] = proofsIn(bytes);
    expect(await printed(proof!)).toBe(expected);
  });

  it('proves a withdrawal with what was withdrawn, and that an erased version was there', async () => {
    const withdrawn = await printed(await pageOf(ID));
    expect(withdrawn).toMatch(/^proved: version 1 of permits:2026-0001: first_observed/);
    expect(withdrawn).toMatch(
      /\nproved: version 2 of permits:2026-0001: withdrawn, recorded at 2026-11-02T10:00:00Z\n.*\nin the log of logs .*\nit says nothing\n/,
    );
    const erased = await printed(await pageOf(OTHER));
    expect(erased).toMatch(/^proved: version 2 of a record that the proof does not name \(position 2\): redacted/);
    expect(erased).toContain('\nwhat it says is not proved: ');
  });

  it('says that nothing is proved of what its reader may not have', async () => {
    const tiered = await ownersService();
    await sign(tiered.store, 'permits');
    const { vkey: own } = await logsOf(tiered.store).of('permits');
    const page = await tiered.get(`${BASE_URL}/records/${ID}`, { headers: { accept: 'text/html' } });
    const { code, stdout } = await verify(await page.text(), '--vkey', own!);
    expect([code, stdout.toString()]).toEqual([
      0,
      expect.stringMatching(
        /^proved: version 1 of permits:2026-0001: .*\nsigned: .*\nwhat it says is not proved: the proof has no salt of it/,
      ),
    ]);
  });

  it('says which witnesses signed, whenever that was, and asks for those of a policy', async () => {
    const witness = formatVerifierKey(WITNESS);
    expect(await printed(saved, '--witness', witness)).toContain(
      '\nsigned by the witness witness.example.org at 2026-10-02T10:00:00Z\n',
    );
    const other = formatVerifierKey(signerOf('other.example.org', 'witness', Buffer.alloc(32, 8)));
    expect(await refused(saved, '--vkey', vkey, '--witness', other)).toMatch(
      /^1 .*FILE: of the witnesses of the policy, nobody .*\(invalid_proof\)/,
    );
  });

  it('is refused without a key, with another one, and without a proof', async () => {
    expect(await refused(saved)).toMatch(/^2 .*a saved page needs --vkey/);
    expect(await refused(saved, '--vkey', vkey, '--state', 'x')).toMatch(/^2 .*--state/);
    const { vkey: ofLogs } = await logsOf(service.store).ofLogs();
    expect(await refused(saved, '--vkey', ofLogs!)).toMatch(/^1 .*FILE: the checkpoint must be of the log /);
    const name = parseVerifierKey(vkey).name;
    const forged = formatVerifierKey(signerOf(name, 'log', Buffer.alloc(32, 1)));
    expect(await refused(saved, '--vkey', forged)).toMatch(/^1 .*FILE: .*\(invalid_proof\)/);
    const elsewhere = formatVerifierKey(
      signerOf(name.replace('permits', PAID.split(':')[0]!), 'log', Buffer.alloc(32, 7)),
    );
    expect(await refused(saved, '--vkey', elsewhere)).toMatch(
      /^1 .*FILE: the checkpoint must be of the log .*\(invalid_proof\)/,
    );
    for (const none of ['', '<p>x</p>', saved.replace('data-proof', 'data-other'), Buffer.alloc(1000, 255)])
      expect(await refused(none, '--vkey', vkey)).toMatch(/^1 .*FILE has no proof: .*\(invalid_proof\)/);
  });

  it('proves nothing else when anything of its proof is changed', async () => {
    const [proof] = proofsIn(Buffer.from(saved));
    const key = parseVerifierKey(vkey);
    const whole = proveText(proof!, key, null);
    const extra = /^extra (.*)$/m.exec(proof!)![1]!;
    const said = JSON.parse(Buffer.from(extra, 'base64').toString()) as Record<string, unknown>;
    const withExtra = (change: object): string =>
      proof!.replace(extra, Buffer.from(JSON.stringify({ ...said, ...change })).toString('base64'));
    expect(proveText(withExtra({}), key, null)).toEqual(whole);
    const { statement } = said as { statement: { data: object } };
    const entry = JSON.parse(String(said.entry)) as object;
    const changes: readonly object[] = [
      { statement: { ...statement, title: 'Another' } },
      { statement: { ...statement, data: { ...statement.data, amount: 2 } } },
      { statement: null },
      { statement: { ...statement, title: '\ud800' } },
      { record_id: OTHER },
      { record_id: null },
      { record_salt: undefined },
      { record_salt: Buffer.alloc(32).toString('base64') },
      { record_salt: Buffer.alloc(31).toString('base64') },
      { salt: Buffer.alloc(32).toString('base64') },
      { salt: 7 },
      { log: 'x' },
      { entry: null },
      { entry: JSON.stringify({ ...entry, recorded_at: '2020-01-01T00:00:00Z' }) },
      { entry: `${String(said.entry)} ` },
      { checkpoint_proof: String(said.checkpoint_proof).replace('index 0', 'index 1') },
      { checkpoint_proof: proof },
      { checkpoint_proof: null },
    ];
    for (const change of changes)
      expect(() => proveText(withExtra(change), key, null), JSON.stringify(change)).toThrow(
        expect.objectContaining({ code: 'invalid_proof' }),
      );
    // What is left out is not proved, and nothing else is in its place.
    expect(proveText(withExtra({ salt: null }), key, null)).toMatchObject({ statement: undefined });
    expect(proveText(withExtra({ record_salt: null }), key, null)).toMatchObject({
      statement: undefined,
      recordId: null,
    });
    const outcomes = { refused: 0, same: 0, less: 0 };
    for (let at = 0; at < proof!.length; at++) {
      const changed = proof!.slice(0, at) + (proof![at] === 'A' ? 'B' : 'A') + proof!.slice(at + 1);
      try {
        const { statement: said, listed, ...rest } = proveText(changed, key, null);
        const own = {
          ...whole,
          ...rest,
          ...(said === undefined ? {} : { statement: said }),
          ...(listed && { listed }),
        };
        expect([at, own]).toEqual([at, whole]);
        outcomes[said === undefined || listed === null ? 'less' : 'same']++;
      } catch (error) {
        expect([at, error]).toEqual([at, expect.objectContaining({ code: 'invalid_proof' })]);
        outcomes.refused++;
      }
    }
    expect(outcomes.refused).toBeGreaterThan(0.98 * proof!.length);
  });
});

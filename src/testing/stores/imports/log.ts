// The contract of stores for the log of imports, and for what it forgets when a record is erased.
import assert from 'node:assert/strict';
import { matches, rejects } from '../../assertions.ts';
import { each, group, type Test } from '../../test.ts';
import type { ImportCounts } from '../../../stores/contract/imports/counts.ts';
import type { ImportEntry, NewImport } from '../../../stores/contract/imports/log.ts';
import { onRegister } from '../on-register.ts';
import { at, type OpenStore, permits, say } from '../said.ts';

const COUNTS: ImportCounts = {
  ...{ added: 1, changed: 2, unchanged: 3, restored: 4, redacted: 0 },
  ...{ withdrawn: 6, refused: 0 },
};
const KEY = new Uint8Array(32).fill(1);
const DIGEST = new Uint8Array(32).fill(7);

const begun = (file: string): NewImport => ({ file, cause: 'source_change', who: 'ada', begunAt: at(0) });

/** Registers this part of the suite for one implementation. */
export function importLogContract(test: Test, open: OpenStore): void {
  onRegister(test, 'logs imports', open, (it, on) => {
    const list = (feedId = 'permits'): Promise<readonly ImportEntry[]> => on.store.imports.list(feedId, { limit: 100 });
    const begin = (file: string): Promise<{ readonly number: number; readonly key: Uint8Array }> =>
      on.store.imports.begin('permits', begun(file), { key: KEY });
    /** A whole import of one record. */
    const imported = async (key: string, counts: Partial<ImportCounts> = {}, error: string | null = null) => {
      const { number } = await begin(`${key}.csv`);
      await on.apply(0, say(key));
      const end = { counts: { ...COUNTS, ...counts }, endedAt: at(1), error, digest: DIGEST };
      await on.store.imports.end(number, end);
    };
    const digests = async (): Promise<Record<string, boolean>> =>
      Object.fromEntries((await list()).map(({ file, digest }) => [file, digest !== null]));

    group(it, 'and', (it) => {
      it('keeps who took in what, newest first', async () => {
        const { number } = await begin('a.csv');
        const none = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0, withdrawn: 0, refused: 0 };
        const more = { kind: 'file', undoes: null, decidedBy: null };
        const running = { ...begun('a.csv'), ...more, number, state: 'running', counts: none };
        assert.deepEqual(await list(), [{ ...running, endedAt: null, error: null, digest: null }]);
        await on.store.imports.end(number, { counts: COUNTS, endedAt: at(1), error: null, digest: DIGEST });
        const [ended] = await list();
        const { digest, ...rest } = ended!;
        assert.deepEqual([...digest!], [...DIGEST]);
        assert.deepEqual(rest, { ...running, state: 'completed', counts: COUNTS, endedAt: at(1), error: null });
        await imported('b', {}, 'invalid_record');
        const two = (await list()).map(({ file, state, error, digest }) => [file, state, error, digest === null]);
        assert.deepEqual(two, [
          ['b.csv', 'failed', 'invalid_record', true],
          ['a.csv', 'completed', null, false],
        ]);
        assert.equal((await on.store.imports.list('permits', { limit: 1 })).length, 1);
      });

      it('gives all imports one key', async () => {
        const first = await begin('a.csv');
        const second = await on.store.imports.begin('permits', begun('b.csv'), { key: new Uint8Array(32).fill(2) });
        assert.deepEqual([...first.key], [...KEY]);
        assert.deepEqual([...second.key], [...KEY]);
        assert.ok(second.number > first.number);
      });

      it('takes an import without an end for interrupted when the next begins', async () => {
        await begin('a.csv');
        await begin('b.csv');
        assert.deepEqual(
          (await list()).map(({ state }) => state),
          ['running', 'interrupted'],
        );
      });

      it('knows only registers that exist', async () => {
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await rejects(list('others'), refused);
        await rejects(on.store.imports.begin('others', begun('a.csv'), { key: KEY }), refused);
        await on.store.imports.end(99, { counts: COUNTS, endedAt: at(1), error: null, digest: null });
        await begin('a.csv');
        await on.store.removeRegister('permits');
        await on.store.createRegister(permits());
        assert.deepEqual(await list(), []);
      });

      each(it, 'refuses the limit %j', [0, 1001, 1.5], async (limit) => {
        await rejects(on.store.imports.list('permits', { limit }), { code: 'invalid_parameter' });
      });
    });

    group(it, 'and keeps for imports', (it) => {
      it('a secret of each register, which is another one where a register is made again', async () => {
        await on.store.createRegister({ ...permits(), id: 'others', uuid: null });
        const { secret } = await on.store.imports.basis('permits');
        assert.equal(secret.length, 32);
        assert.deepEqual((await on.store.imports.basis('permits')).secret, secret);
        assert.notDeepEqual((await on.store.imports.basis('others')).secret, secret);
        await on.store.removeRegister('permits');
        await on.store.createRegister(permits());
        assert.notDeepEqual((await on.store.imports.basis('permits')).secret, secret);
      });

      it('the names of columns that are not taken in, of any characters', async () => {
        assert.deepEqual((await on.store.imports.basis('permits')).ignored, []);
        for (const ignored of [['Stand "neu"', 'ü,\0\ud800'], []]) {
          const { number } = await begin('a.csv');
          await on.store.imports.proposals.set('permits', number, { ignored }, { recordedAt: at(1) });
          assert.deepEqual((await on.store.imports.basis('permits')).ignored, ignored);
        }
      });

      it('what is done with findings', async () => {
        assert.deepEqual((await on.store.imports.basis('permits')).findings, {});
        for (const findings of [{ factor: 'warn', absences: 'ignore' }, {}]) {
          await on.store.imports.setFindings('permits', findings);
          assert.deepEqual((await on.store.imports.basis('permits')).findings, findings);
        }
      });

      it('nothing of a register that is unknown', async () => {
        for (const feedId of ['others', 'a\0b']) {
          await rejects(on.store.imports.basis(feedId), { code: 'unknown_feed' });
          await rejects(on.store.imports.setFindings(feedId, {}), { code: 'unknown_feed' });
        }
      });
    });

    group(it, 'and erases with a record the digest of every file that may have contained it', (it) => {
      it('but of no file that was whole and earlier', async () => {
        await imported('before');
        await imported('refused', { refused: 1 });
        await imported('failed', {}, 'aborted');
        await imported('a');
        await imported('after');
        await on.redact(2, 'a');
        const kept = { before: true, refused: false, failed: false, a: false, after: false };
        assert.deepEqual(
          await digests(),
          Object.fromEntries(Object.entries(kept).map(([name, is]) => [`${name}.csv`, is])),
        );
      });

      it('and keeps none of a later file that contains it, or may', async () => {
        await imported('a');
        await on.redact(2, 'a');
        await imported('with', { redacted: 1 });
        await imported('with-refused', { refused: 1 });
        await imported('without');
        matches(await digests(), { 'with.csv': false, 'with-refused.csv': false, 'without.csv': true });
      });
    });
  });
}

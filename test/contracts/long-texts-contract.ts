// A text takes work in the measure of its length, however often something in it is written otherwise: in every format, from
// a store's bytes and from its records.
import { workOf } from '../counted-work.ts';
import { expect, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { at, type OpenStore, permits, say } from './store-register.ts';

/** Sixteen bytes, of which CSV, JSON, XML and HTML write some otherwise. */
const PIECE = '1234567 9"1&34\n6';

/** Lengths of the texts: on SQLite, the shorter ones are written from bytes, on PostgreSQL all. */
const LENGTHS = [2 ** 10, 2 ** 12, 2 ** 16, 2 ** 20];

/** How much more each character of a longer text may take: buffers grow by doubling. */
const MORE = 1.5;

export function longTextsContract(open: OpenStore): void {
  it.each(Object.values(FORMATS).map((format) => [format.name, format] as const))(
    'takes no more work for each character of a longer text: %s',
    async (_, format) => {
      const workFor = async (text: string): Promise<number> => {
        const { store, dispose } = await open();
        await store.createRegister(permits());
        const said = [
          say('own', { data: { applicant: text } }),
          say('text', { content: text }),
          say('html', { content: text, content_type: 'html' }),
        ];
        // What comes behind the first page is read as bytes.
        const behind = Array.from({ length: 100 }, (_, n) => say(`k${n}`));
        await store.apply('permits', [...said, ...behind], { recordedAt: at(1) });
        const source = await store.source('permits');
        const write = (): Promise<unknown> => Array.fromAsync(exportRegister(source, format));
        // What is made once is not counted.
        await write();
        const work = await workOf(write);
        await dispose();
        return work;
      };
      const none = await workFor('');
      const each: number[] = [];
      for (const length of LENGTHS) {
        each.push(((await workFor(PIECE.repeat(length / PIECE.length - 1))) - none) / length);
        expect(each.at(-1)).toBeLessThan(MORE * Math.max(...each.slice(0, -1), each[0]!));
      }
    },
  );
}

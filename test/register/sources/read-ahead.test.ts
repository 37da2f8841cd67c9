import { describe, expect, it } from 'vitest';
import type { Page, PageQuery } from '../../../src/register/page.ts';
import { readAhead } from '../../../src/register/sources/read-ahead.ts';

const page = (nextOffset: number | null): Page => ({ records: [], nextOffset, asOf: 9 });

describe('readAhead()', () => {
  it('reads the next pages while it hands on the present ones, in the view of the first', async () => {
    const queries: PageQuery[] = [];
    const groups = readAhead(
      async (query) => {
        queries.push(query);
        return [page(query.offset + 1), page(query.offset < 4 ? query.offset + 2 : null)];
      },
      { offset: 0, limit: 5 },
    );
    expect((await groups.next()).value).toEqual([page(1), page(2)]);
    expect(queries).toEqual([
      { offset: 0, limit: 5 },
      { offset: 2, limit: 5, asOf: 9 },
    ]);
    expect((await groups.next()).value).toEqual([page(3), page(4)]);
    expect((await groups.next()).value).toEqual([page(5), page(null)]);
    expect((await groups.next()).done).toBe(true);
    expect(queries.map(({ offset }) => offset)).toEqual([0, 2, 4]);
  });

  it('passes on a failure only to whoever asks for those pages', async () => {
    const read = async ({ offset }: PageQuery): Promise<readonly Page[]> => {
      if (offset > 0) throw new Error('the database is gone');
      return [page(10)];
    };
    const stopped = readAhead(read, { offset: 0, limit: 5 });
    await stopped.next();
    await stopped.return();
    const groups = readAhead(read, { offset: 0, limit: 5 });
    await groups.next();
    await expect(groups.next()).rejects.toThrow('the database is gone');
  });
});

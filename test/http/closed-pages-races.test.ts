// Closed pages while their register changes: the change is made at each question to the store that an answer takes.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { world, keyAt, SECRET, statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';

/** Changes before it answers its nth question. */
class ChangingStore extends DelegatingStore {
  left = Infinity;
  /** How many pages were read. */
  pages = 0;
  change = (): Promise<unknown> => Promise.resolve();

  async #ask(): Promise<void> {
    if (--this.left === 0) await this.change();
  }

  override async source(...given: Parameters<DelegatingStore['source']>): Promise<RegisterSource> {
    const source = await super.source(...given);
    const page: RegisterSource['page'] = async (query) => {
      this.pages++;
      await this.#ask();
      return source.page(query);
    };
    const revision = async (): Promise<string> => {
      await this.#ask();
      return source.revision!();
    };
    return Object.create(source, { page: { value: page }, revision: { value: revision } }) as RegisterSource;
  }
}

const CHANGES: Readonly<Record<string, (store: ChangingStore) => Promise<unknown>>> = {
  closed: (store) => store.updateRegister(permits(), { recordedAt: at(9) }),
  corrected: (store) => store.apply('permits', [{ ...statementAt(7, 0), title: 'Corrected' }], { recordedAt: at(9) }),
  extended: async (store) => {
    const inspected = { name: 'inspected', label: 'Inspected', type: 'date' } as const;
    const { fields } = permits();
    await store.updateRegister({ ...permits(), access: 'open', fields: [...fields, inspected] }, { recordedAt: at(9) });
    return CHANGES.corrected!(store);
  },
  withdrawn: (store) => store.withdraw('permits', [`permits:${keyAt(8)}`], { recordedAt: at(9) }),
};

it.each(Object.entries(CHANGES))(
  'are whole and have their own tag when the register is %s meanwhile',
  async (what, change) => {
    let made = 0;
    for (let question = 1; question <= 10; question++) {
      const store = new ChangingStore();
      const service = await world({ store, records: 120 });
      await store.updateRegister({ ...permits(), access: 'open' }, { recordedAt: at(1) });
      store.change = () => change(store);
      store.left = question;
      const response = await service.get('/feeds/permits/pages/000001.csv');
      const body = await response.text();
      if (response.status === 200) {
        expect([question, response.headers.get('etag')]).toEqual([
          question,
          `"${createHash('sha256').update(body).digest('hex')}"`,
        ]);
        expect(body).toContain(SECRET);
        // Never new records under an old definition.
        if (what === 'extended')
          expect([question, body.includes('inspected')]).toEqual([question, body.includes('Corrected')]);
      } else {
        expect([question, response.status]).toEqual([question, 401]);
      }
      if (store.left <= 0) made++;
      await service.close();
      await store.close();
    }
    expect(made).toBeGreaterThan(2);
  },
);

it('are read once for all who ask at the same time, and not again while nothing changes', async () => {
  const store = new ChangingStore();
  const service = await world({ store, records: 120 });
  const ask = (query = ''): Promise<Response> => service.pro(`/feeds/permits/pages/000001.csv${query}`);
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
  const digits = answers[0]!.headers.get('etag')!.slice(1, 17);
  expect((await ask(`?etag=${digits}`)).status).toBe(200);
  expect((await ask('?etag=0123456789abcdef')).status).toBe(308);
  expect(store.pages).toBe(1);
  await service.close();
  await store.close();
});

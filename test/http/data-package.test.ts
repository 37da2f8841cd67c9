// The description of a register's CSV for programs: who may have it, and what it says.
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import type { CsvOptions } from '../../src/formats/csv-dialect.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { at } from '../contracts/store-register.ts';
import { world } from '../world.ts';

const PATH = '/feeds/permits/datapackage.json';

interface Package {
  readonly resources: readonly [
    {
      readonly path: string;
      readonly description?: string;
      readonly dialect: object;
      readonly schema: { readonly fields: readonly { readonly name: string; readonly type: string }[] };
    },
  ];
}

describe('the data package of a register', () => {
  it('is for those who may have its CSV', async () => {
    const service = await world({ samples: 2 });
    expect((await service.get(PATH)).status).toBe(401);
    expect((await service.pro(PATH)).status).toBe(200);
    await service.store.updateRegister({ ...SAMPLE_DEFINITION, access: 'open' }, { recordedAt: at(0) });
    const answer = await service.get(PATH);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    const etag = answer.headers.get('etag')!;
    expect((await service.get(PATH, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await service.pro('/feeds/nothing/datapackage.json')).status).toBe(404);
  });

  it('has every column of the CSV in its order, with its type, and the licence of the service', async () => {
    const { pro } = await world({ samples: 2, licenceUrl: 'https://licence.example/by' });
    const described = (await (await pro(PATH)).json()) as Package;
    const [{ path, description, schema, dialect }] = described.resources;
    const text = await (await pro(`/feeds/permits/${path}`)).text();
    expect(schema.fields.map(({ name }) => name).join(',')).toBe(text.slice(0, text.indexOf('\r\n')));
    expect(described).toMatchObject({ name: 'permits', licenses: [{ path: 'https://licence.example/by' }] });
    expect(description).toContain('Remove that one to have the text.');
    expect(dialect).toMatchObject({ delimiter: ',', lineTerminator: '\r\n' });
  });

  it('follows the options of the CSV, and is not there where another format has its name', async () => {
    const options: CsvOptions = { delimiter: ';', formulas: 'raw', record_delimiter: '\n' };
    const formatOptions = { csv: options };
    const [resource] = ((await (await (await world({ samples: 1, formatOptions })).pro(PATH)).json()) as Package)
      .resources;
    expect(resource.dialect).toMatchObject({ delimiter: ';', lineTerminator: '\n' });
    expect(resource.description).toBeUndefined();
    const other = await world({ samples: 1, formats: [{ ...csv }] });
    expect((await other.pro(PATH)).status).toBe(404);
  });
});

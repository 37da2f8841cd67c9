// How long a body may be, and how long it may take to come.
import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/web/request-body.ts';

const headers = new Headers();

describe('a body', () => {
  it('is refused that does not come in time, however often a little more of it comes', async () => {
    const drops = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        yield new Uint8Array(1);
      }
    };
    await expect(readBody({ headers, body: drops() }, 1e9, 20)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

// The parts of pages that are quick because they take short cuts: each writes what the general way writes.
import fc from 'fast-check';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { markup } from '../../src/templates/markup.ts';
import { shortened, sizeOf } from '../../src/templates/parts/excerpt.ts';
import { siteNameOf } from '../../src/templates/parts/values.ts';
import { wordingIn } from '../../src/templates/wording.ts';
import { utf8 } from '../../src/web/utf8.ts';
import { character } from '../properties/arbitraries.ts';

/** Texts with all that is escaped, forbidden, or only half of a character. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('&', '<', '>', '"', "'", '\0', '\u001f', '\u0085', '\uffff', 'é', '№', '😀'),
      },
      { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 4 }) },
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      fc.constant('plain words '),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const FORBIDDEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

describe('markup', () => {
  it('escapes any text as hono/html does, with U+FFFD for what HTML cannot have', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer(), async (one, number) => {
        const shown = one.toWellFormed().replaceAll(FORBIDDEN, '\ufffd');
        const ours = markup`<p title="${one}">${[one, number, null, markup`<b>${one}</b>`]}</p>`.toString();
        const theirs = await html`<p title="${shown}">${[shown, number, null, html`<b>${shown}</b>`]}</p>`;
        expect(ours).toBe(theirs.toString());
      }),
    );
  });

  it('measures a text as it is written', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 60 }), (one, bytes) => {
        const size = Buffer.byteLength(markup`${one}`.toString());
        expect(sizeOf(one)).toBe(size);
        expect(shortened(one, bytes) === one).toBe(size <= bytes);
      }),
    );
  });
});

describe('short cuts', () => {
  it('names the site of an address as URL does', () => {
    // What fc.webAuthority() makes, which takes a second to prepare.
    const ipV6 = fc.ipV6().map((address) => `[${address}]`);
    const port = fc.option(fc.nat(65_535), { nil: '' }).map((number) => (number === '' ? '' : `:${number}`));
    const host = fc.oneof(
      fc.domain(),
      fc
        .tuple(fc.constantFrom('', 'u@', 'u:p%40@'), fc.oneof(fc.domain(), fc.ipV4Extended(), ipV6), port)
        .map((parts) => parts.join('')),
      fc.constantFrom('a.xn--bcher-kva.example', 'a_b.org', 'EXAMPLE.org', '1.2.3.4', '0x7f.1', 'a.1'),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(
        host,
        fc.constantFrom('http', 'https', 'ftp'),
        fc.constantFrom('', '/', '/a?b#c', '?a.b', '#', ':80/', ':8080'),
        (name, scheme, rest) => {
          const url = `${scheme}://${name}${rest}`;
          expect(siteNameOf(url)).toBe(URL.parse(url)?.host ?? url);
        },
      ),
    );
  });

  it('writes dates as Intl does, at any time and again', () => {
    const wording = wordingIn('de');
    const [day, clock] = [{ dateStyle: 'long' }, { timeStyle: 'short' }] as const;
    const format = (ms: number, style: Intl.DateTimeFormatOptions): string =>
      new Intl.DateTimeFormat('de', { ...style, timeZone: 'UTC' }).format(ms);
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') }),
        (date) => {
          const ms = date.getTime();
          const [time, shown] = [
            date.toISOString(),
            `${format(ms, day)}, ${format(ms, clock)}\u{a0}${wording.texts.utc}`,
          ];
          expect([wording.date(time), wording.date(time)]).toEqual([shown, shown]);
          expect(wording.date(time.slice(0, 10))).toBe(format(ms, day));
        },
      ),
    );
  });

  it('encodes any text as TextEncoder does', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(utf8(one)).toEqual(new TextEncoder().encode(one));
      }),
    );
  });
});

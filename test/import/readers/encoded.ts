// Texts in encodings that Node only decodes: a table of each is made by decoding all of its characters.

/** The encodings in which a character may have two bytes. */
const OF_TWO_BYTES = new Set(['shift_jis', 'euc-jp', 'euc-kr', 'big5', 'gb18030']);

/** The bytes 80 to 9F of Windows-1252, which some versions of Node decode as controls. */
const C1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** A text in an encoding. @throws for a character that it does not have */
export function encoded(encoding: string, text: string): Buffer {
  const table = tables.get(encoding) ?? tableOf(encoding);
  tables.set(encoding, table);
  return Buffer.from(
    Array.from(text).flatMap((letter) => {
      const bytes = table.get(letter);
      if (bytes === undefined) throw new Error(`${encoding} has no ${letter}`);
      return bytes;
    }),
  );
}

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  const add = (...bytes: number[]): void => {
    const letter = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(letter).length === 1 && letter !== '\ufffd' && !table.has(letter)) table.set(letter, bytes);
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  if (encoding === 'windows-1252') Array.from(C1).forEach((letter, index) => table.set(letter, [0x80 + index]));
  if (!OF_TWO_BYTES.has(encoding)) return table;
  for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) add(first, second);
  return table;
}

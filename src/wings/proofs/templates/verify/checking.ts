// The half of the script of verify.html that checks, with what browsers have for hashes and signatures (WebCrypto): the key, the
// checkpoint (C2SP signed-note), the tree (RFC 6962, C2SP tlog-tiles), and that a record's line is what its entry commits to.

/** Part of a script: `texts`, `root` and `Fault` stand before it. */
export const CHECKING = `
  const { subtle } = crypto;
  const encode = (text) => new TextEncoder().encode(text);
  const decode = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const isSame = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);
  const hash = async (...parts) =>
    new Uint8Array(await subtle.digest('SHA-256', Uint8Array.from(parts.flatMap((part) => [...part]))));
  const leafHash = (entry) => hash([0], entry);
  const nodeHash = (left, right) => hash([1], left, right);
  const hmac = async (salt, text) => {
    const bytes = fromBase64(salt);
    if (bytes.length !== 32) throw null;
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return toBase64(new Uint8Array(await subtle.sign('HMAC', key, encode(text))));
  };
  // RFC 8785.
  const canonical = (value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw null;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    if (Array.isArray(value)) return '[' + value.map(canonical).join() + ']';
    const members = Object.keys(value).sort().map((name) => JSON.stringify(name) + ':' + canonical(value[name]));
    return '{' + members.join() + '}';
  };

  let chosen = null;
  const read = async (path) => {
    const file = chosen === null ? await fetch(root + path, { cache: 'no-cache' }).catch(() => null) : chosen.get(path);
    if (file == null || file.ok === false) throw new Fault('lacking', { file: path });
    return new Uint8Array(await file.arrayBuffer());
  };
  const parsed = async (path, parse) => {
    const bytes = await read(path);
    try {
      return parse(bytes);
    } catch {
      throw new Fault('otherFile', { file: path });
    }
  };
  const readJson = (path) => parsed(path, (bytes) => JSON.parse(decode(bytes)));

  const KEY = /^(\\S+\\/([^\\/.\\s]+)\\/log\\/([0-9a-f-]{36}))\\+([0-9a-f]{8})\\+([^+\\s]\\S*)$/;
  const readKey = async (text) => {
    try {
      const [, name, feed, uuid, idText, base64] = KEY.exec(text);
      const bytes = fromBase64(base64);
      const id = (await hash(encode(name + '\\n'), bytes)).slice(0, 4);
      const own = Array.from(id, (byte) => byte.toString(16).padStart(2, '0')).join('');
      if (own !== idText || bytes.length !== 33 || bytes[0] !== 1) throw null;
      return { name, feed, id, bytes: bytes.slice(1), place: feed + '/log/' + uuid + '/' };
    } catch {
      throw new Fault('badKey');
    }
  };
  const readHead = async ({ name, id, bytes, place }) => {
    const key = await subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']).catch(() => {
      throw new Fault('noEd25519');
    });
    const path = place + 'checkpoint';
    const note = await parsed(path, decode);
    const end = note.lastIndexOf('\\n\\n') + 1;
    const text = note.slice(0, end);
    const [origin, size, signed] = text.split('\\n');
    try {
      for (const line of note.slice(end + 1).split('\\n')) {
        const [dash, signer, base64] = line.split(' ');
        if (dash !== '\\u2014' || signer !== name || origin !== name || !/^[1-9]\\d{0,14}$/.test(size)) continue;
        const signature = fromBase64(base64);
        if (!isSame(signature.slice(0, 4), id)) continue;
        if (await subtle.verify('Ed25519', key, signature.slice(4), encode(text)))
          return { origin, size: Number(size), signed: fromBase64(signed), note };
      }
    } catch {}
    throw new Fault('notSigned', { file: path });
  };

  const widthOf = (size, level, index) => Math.min(256, Math.floor(size / 256 ** level) - index * 256);
  const pathOf = (level, index, width) => {
    const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0');
    return 'tile/' + level + '/' + digits.replace(/...(?=.)/g, 'x$&/') + (width < 256 ? '.p/' + width : '');
  };
  const half = (count) => 2 ** Math.ceil(Math.log2(count) - 1);
  const fold = async (hashes, from, to) => {
    if (to - from === 1) return hashes[from];
    const middle = from + half(to - from);
    return nodeHash(...(await Promise.all([fold(hashes, from, middle), fold(hashes, middle, to)])));
  };
  // The hashes from a leaf to the root, and the root that they make.
  const proofOf = async ({ place }, { size }, index, leaf) => {
    const rootOf = async (from, to) => {
      const height = Math.log2(to - from);
      if (!Number.isInteger(height)) {
        const middle = from + half(to - from);
        return nodeHash(await rootOf(from, middle), await rootOf(middle, to));
      }
      const level = Math.floor(height / 8);
      const first = from / 256 ** level;
      const tile = Math.floor(first / 256);
      const bytes = await read(place + pathOf(level, tile, widthOf(size, level, tile)));
      const hashes = Array.from({ length: 2 ** (height % 8) }, (_, at) => bytes.slice((first % 256 + at) * 32).slice(0, 32));
      return fold(hashes, 0, hashes.length);
    };
    const walk = async (from, to) => {
      if (to - from === 1) return { hashes: [], made: leaf };
      const middle = from + half(to - from);
      const isLeft = index < middle;
      const { hashes, made } = isLeft ? await walk(from, middle) : await walk(middle, to);
      const sibling = isLeft ? await rootOf(middle, to) : await rootOf(from, middle);
      return { hashes: [...hashes, sibling], made: await (isLeft ? nodeHash(made, sibling) : nodeHash(sibling, made)) };
    };
    return walk(0, size);
  };
  // Every entry of the log, and what each record is after the last one.
  const readLog = async ({ place }, { size, signed }) => {
    const leaves = [];
    const records = new Map();
    for (let index = 0; index * 256 < size; index++) {
      const entries = await parsed(place + pathOf('entries', index, widthOf(size, 0, index)), (bytes) => {
        const found = [];
        for (let at = 0; at < bytes.length; at += 2 + found.at(-1).length)
          found.push(bytes.slice(at + 2, at + 2 + bytes[at] * 256 + bytes[at + 1]));
        return found;
      });
      leaves.push(...(await Promise.all(entries.map(leafHash))));
      for (const entry of entries) {
        const { change, position, cause, recorded_at: at } = JSON.parse(decode(entry));
        const isErased = cause === 'redacted';
        const first = isErased ? null : (records.get(position)?.first ?? at);
        records.set(position, { change, first, isLive: cause !== 'withdrawn' && !isErased });
      }
    }
    if (leaves.length !== size || !isSame(await fold(leaves, 0, size), signed)) throw new Fault('otherLog');
    return { leaves, records };
  };

  const linesOf = (feed, page) =>
    parsed(feed + '/' + page + '.proof.ndjson', (bytes) =>
      decode(bytes).split('\\n').filter(Boolean).map((line) => JSON.parse(line)),
    ).catch((error) => {
      if (error.code !== 'lacking') throw error;
      return [];
    });
  // The hash of a record's entry, which commits to what the line says; null: it is of something else.
  const leafOf = async ({ record_id: id, statement, proof, ...said }) => {
    try {
      const { change, position, version, cause, recorded_at } = said;
      const committed = canonical({ v: 1, log: proof.log, id, version, statement });
      const [record, commitment] = await Promise.all([hmac(proof.record_salt, id), hmac(proof.salt, committed)]);
      const made = canonical({ v: 1, change, position, version, cause, recorded_at, record, commitment });
      return made === proof.entry ? await leafHash(encode(made)) : null;
    } catch {
      return null;
    }
  };

  // Whether a page's JSON shows what a record's line states: the type of a field may write it otherwise, and leave it out.
  const isShown = (shown, stated) => {
    if (shown === null || canonical(shown) === canonical(stated)) return true;
    if (stated === null || typeof shown === 'object' || typeof stated === 'object') return false;
    if (typeof shown === 'boolean') return String(shown) === String(stated).toLowerCase();
    if (typeof shown === 'number') return /\\d/.test(stated) && Number(stated) === shown;
    const digits = (text) => String(text).replace(/^(-?\\d+)(?:\\.0+|(\\.\\d*[1-9])0+)$/, '$1$2');
    return digits(shown) === digits(stated);
  };
  const keyOf = (id) => {
    const text = id.replace(/^[^:]*:/, '');
    try {
      return decodeURIComponent(text.replace(/~~\\d+$/, '').replaceAll('~', '%'));
    } catch {
      return text;
    }
  };
  const isAsSigned = ({ data = {}, ...core }, { record_id: id, recorded_at, version, position, statement }, fields, observed_at) => {
    const { data: stated = {}, ...said } = statement;
    const own = { observed_at, ...said, key: said.key ?? keyOf(id), id, feed_id: id.split(':')[0], updated_at: recorded_at, version, position };
    return (
      Object.keys(core).every((name) => canonical(core[name]) === canonical(own[name] ?? null)) &&
      Object.keys(data).every((name) => {
        const { source_names: names = [] } = fields.find((field) => field.name === name) ?? {};
        const found = [name, ...names].find((other) => (stated[other] ?? null) !== null);
        return isShown(data[name], stated[found] ?? null);
      })
    );
  };
`;

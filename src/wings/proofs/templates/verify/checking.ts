// The half of the script of verify.html that checks, with what browsers have for hashes and signatures (WebCrypto): the key, the
// checkpoint (C2SP signed-note), the tree (RFC 6962, C2SP tlog-tiles), and that a record's line is what its entry commits to.

/** Part of a script: `texts`, `root`, `Fault` and `hidden` (what previews leave out) stand before it. */
export const CHECKING = `
  const { subtle } = crypto;
  const encode = (text) => new TextEncoder().encode(text);
  const decode = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt());
  const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const isSame = (one, other) => String(one) === String(other);
  const hash = async (...parts) =>
    new Uint8Array(await subtle.digest('SHA-256', Uint8Array.from(parts.flatMap((part) => [...part]))));
  const leafHash = (entry) => hash([0], entry);
  const hmac = async (salt, text) => {
    const bytes = fromBase64(salt);
    if (bytes.length !== 32) throw null;
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return toBase64(new Uint8Array(await subtle.sign('HMAC', key, encode(text))));
  };
  // RFC 8785.
  const canonical = (value) => {
    if (value === Infinity || value === -Infinity) throw null;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    if (Array.isArray(value)) return '[' + value.map(canonical).join() + ']';
    const members = Object.keys(value).sort().map((name) => JSON.stringify(name) + ':' + canonical(value[name]));
    return '{' + members.join() + '}';
  };

  let chosen = null;
  const read = async (path) => {
    const file = chosen ? chosen.get(path) : await fetch(root + path, { cache: 'no-cache' }).catch(() => null);
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

  const KEY = /^(\\S+\\/(([^\\/.\\s]+)\\/log\\/[0-9a-f-]{36}))\\+[0-9a-f]{8}\\+([^+\\s]\\S*)$/;
  const readKey = (text) => {
    try {
      const [, name, place, feed, base64] = KEY.exec(text);
      const bytes = fromBase64(base64);
      if (bytes.length !== 33 || bytes[0] !== 1) throw null;
      return { name, place, feed, bytes: bytes.slice(1) };
    } catch {
      throw new Fault('badKey');
    }
  };
  const readHead = async ({ name, place, bytes }) => {
    const key = await subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']).catch(() => {
      throw new Fault('noEd25519');
    });
    const path = place + '/checkpoint';
    const note = await parsed(path, decode);
    const end = note.lastIndexOf('\\n\\n') + 1;
    const text = note.slice(0, end);
    const [origin, size, root] = text.split('\\n');
    try {
      for (const line of note.slice(end + 1).split('\\n')) {
        const [, signer, base64] = line.split(' ');
        // Four bytes, which name the key, stand before the signature.
        if (signer === name && origin === name && (await subtle.verify('Ed25519', key, fromBase64(base64).slice(4), encode(text))))
          return { origin, size: +size, signed: fromBase64(root), note };
      }
    } catch {}
    throw new Fault('notSigned', { file: path });
  };

  const pathOf = (index, width) => {
    const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, 0);
    return '/tile/entries/' + digits.replace(/...(?=.)/g, 'x$&/') + (width < 256 ? '.p/' + width : '');
  };
  const half = (count) => 2 ** Math.ceil(Math.log2(count) - 1);
  const fold = async (hashes, from, to) => {
    if (to - from === 1) return hashes[from];
    const middle = from + half(to - from);
    return hash([1], await fold(hashes, from, middle), await fold(hashes, middle, to));
  };
  // The hashes from a leaf to the root.
  const proofOf = async (leaves, index, from = 0, to = leaves.length) => {
    if (to - from === 1) return [];
    const middle = from + half(to - from);
    const halves = [[from, middle], [middle, to]];
    const [near, far] = index < middle ? halves : halves.reverse();
    return [...(await proofOf(leaves, index, ...near)), await fold(leaves, ...far)];
  };
  // Every entry of the log, and what each record is after the last one.
  const readLog = async ({ place }, { size, signed }) => {
    const leaves = [];
    const records = new Map();
    for (let index = 0; index * 256 < size; index++) {
      const entries = await parsed(place + pathOf(index, Math.min(256, size - index * 256)), (bytes) => {
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
        records.set(position, { change, cause, at, first, isLive: cause !== 'withdrawn' && !isErased });
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
  // Whether the log has the entry of a record's line, and it commits to what the line says.
  const isSigned = async ({ record_id: id, statement, proof, ...said }, leaves) => {
    try {
      const { change, position, version, cause, recorded_at } = said;
      const committed = canonical({ v: 1, log: proof.log, id, version, statement });
      const [record, commitment] = await Promise.all([hmac(proof.record_salt, id), hmac(proof.salt, committed)]);
      const made = canonical({ v: 1, change, position, version, cause, recorded_at, record, commitment });
      return made === proof.entry && isSame(await leafHash(encode(made)), leaves[change - 1]);
    } catch {
      return false;
    }
  };

  // What a field of a type shows of what is stated: null where it does not fit.
  const NUMBER = /^(-?)(0|[1-9]\\d*)(?:\\.(\\d+))?(?:[eE]([+-]?\\d+))?$/;
  const TIME = /^(?!0000)(\\d{4}-\\d\\d-\\d\\d)(T([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d{1,9})?(Z|[+-](0\\d|1[0-3]):[0-5]\\d|[+-]14:00))?$/;
  const asDecimal = (sign, digits, fraction, exponent) => {
    const places = Math.max(fraction.length - exponent, 0);
    const all = digits.padStart(digits.length + Math.max(-exponent, 0), 0) + fraction.padEnd(exponent, 0);
    const text = sign + all.replace(RegExp('(?=.{' + places + '}$)'), '.').replace(/^0+(?=\\d)|\\.$/g, '');
    return text.length > 1000 ? null : text;
  };
  const shownAs = (type, stated) => {
    if (stated === null || type === 'json') return stated;
    if (typeof stated === 'object') return null;
    const text = String(stated);
    if (type === 'text') return text;
    if (type === 'boolean') return /^(true|TRUE)$/.test(text) || (/^(false|FALSE)$/.test(text) ? false : null);
    const [number, sign, whole, fraction = '', exponent = 0] = NUMBER.exec(text) ?? [];
    const isText = typeof stated === 'string';
    if (type === 'number') return number && isFinite(text) ? +text : null;
    if (type === 'decimal') return number && Math.abs(exponent) <= 1000 ? asDecimal(sign, whole, fraction, +exponent) : null;
    if (type === 'integer') return number !== sign + whole ? null : Number.isSafeInteger(+text) ? +text : isText ? text : null;
    if (!isText) return null;
    if (type === 'url') return /^https?:\\/\\/\\S[^\\n\\r]*$/i.test(text) ? text : null;
    const [, day = '', time] = TIME.exec(text) ?? [];
    return new Date(day).toJSON()?.slice(0, 10) === day && (type !== 'date' || time === undefined) ? text : null;
  };
  const keyOf = (id) => decodeURIComponent(id.replace(/^[^:]*:|~~\\d+$/g, '').replaceAll('~', '%'));
  // Whether a page's JSON shows all of what a line states; a preview, all of what previews show.
  const isAsSigned = (record, { record_id: id, recorded_at, version, position, statement }, fields, first) => {
    const { data: stated = {}, ...said } = statement;
    const own = { ...said, key: said.key ?? keyOf(id), observed_at: said.observed_at ?? first, id, feed_id: id.split(':')[0] };
    if (record.preview) {
      own.summary &&= own.summary.slice(0, record.summary?.length);
      for (const name of hidden) delete own[name];
      Object.assign(own, { preview: true, note: record.note });
    } else {
      const valueOf = (name) => Object.hasOwn(stated, name) ? stated[name] : null;
      const shown = ({ name, type, source_names: names = [] }) =>
        [name, shownAs(type, valueOf([name, ...names].find((other) => valueOf(other) !== null)))];
      Object.assign(own, { updated_at: recorded_at, version, position, data: Object.fromEntries(fields.map(shown)) });
    }
    return Object.keys({ ...own, ...record }).every((name) => canonical(record[name] ?? null) === canonical(own[name] ?? null));
  };
`;

// The half of the script of verify.html that shows what was proved: of a register, or of one record, which can be saved as a file that
// proves the same later.

/** Part of a script, after the half that checks. */
export const SHOWING = `
  const form = box.querySelector('form');
  const section = box.querySelector('section');
  const { vkey, folder } = form.elements;
  const { lang } = document.documentElement;
  const asked = new URLSearchParams(location.search);
  const make = (name, content = [], attributes = {}) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...[content].flat());
    return element;
  };
  const own = (text) => make('bdi', text);
  const count = (number) => number.toLocaleString(lang);
  const headOf = (text) => make('h2', text, { id: 'result' });
  const alertOf = (text) => make('p', make('strong', text), { role: 'alert' });
  const titleOf = ({ statement, record_id: id }) => (statement.title ?? '').trim() || id;
  const fieldsOf = ({ record_id: id, statement: { data = {}, ...said } }) => {
    const rows = Object.entries({ id, ...said }).map(([name, value]) => [core[name] ?? name, value]);
    return [...rows, ...Object.entries(data)]
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  };
  const listOf = (line) => {
    const rows = fieldsOf(line).map(([name, value]) => make('div', [make('dt', own(name)), make('dd', own(value))]));
    return make('dl', rows, { className: 'fields' });
  };
  const signedAs = ({ version, cause, change, recorded_at: at }, { size, origin }) =>
    fill(texts.signedAs, { version, cause: causes[cause], at, change: count(change), size: count(size), log: origin });

  const checkPages = async ({ feed }, { size }, { leaves, records }, { files, definition }) => {
    // What the manifest names, and whatever it names, what has the records of the log.
    const names = Object.keys(files).flatMap((name) => /^(index|pages\\/\\d+)\\.json$/.exec(name)?.[1] ?? []);
    const pages = new Set([...names, 'index']);
    for (const position of records.keys())
      if (position % 100 === 0) pages.add('pages/' + String(position / 100).padStart(6, 0));
    const found = new Map();
    const signed = new Map();
    const later = [];
    // In the order of how much they say: the last one that a page gives cause for is that of the record.
    const kinds = { proved: 1, unproved: 2, newer: 3, other: 4 };
    const note = ({ id, position }, kind) => {
      if (!(kinds[found.get(id)?.kind] >= kinds[kind])) found.set(id, { kind, position });
    };
    const compare = (record, line) =>
      isAsSigned(record, line, definition?.fields ?? [], records.get(line.position).first) ? 'proved' : 'other';
    for (const page of pages) {
      const { records: shown } = await readJson(feed + '/' + page + '.json');
      const lines = new Map();
      for (const line of await linesOf(feed, page)) {
        const { record_id: id, position, change } = line;
        const last = records.get(position);
        lines.set(id, line);
        if (last?.change === change && last.isLive && (await isSigned(line, leaves))) signed.set(id, Object.assign(line, { page }));
      }
      const seen = new Set();
      for (const record of shown) {
        // A preview does not say its position.
        const { id, position = id, preview } = record;
        const isHere = page === 'index' || position === id || Math.ceil(position / 100) === +page.slice(-6);
        const line = lines.get(id);
        if (!isHere || seen.has(id) || seen.has(position)) note(record, 'other');
        else if (!line) later.push(record);
        else if (line.change > size) note(record, 'newer');
        else note(record, signed.get(id) === line && !preview ? compare(record, line) : 'other');
        seen.add(id).add(position);
      }
    }
    // Another page may prove them, and shows them whole.
    for (const record of later) {
      const line = signed.get(record.id);
      const isProvable = line && (!record.preview || found.has(record.id));
      note(record, isProvable ? compare(record, line) : 'unproved');
    }
    return Array.from(found, ([id, { kind, position }]) => {
      const line = signed.get(id);
      return { kind, line, position: line?.position ?? position };
    });
  };
  const showAll = ({ size, origin }, { records }, found, { tier, definition, read_to, change }) => {
    const of = (kind) => found.filter((one) => one.kind === kind);
    const [proved, other] = [of('proved'), of('other')];
    const isLive = (position) => records.get(position)?.isLive;
    // Only where some records are shown as previews, one may be that of any record.
    const isPublic = tier === 'public' && definition?.access !== 'open';
    const there = found.filter(({ position }) => position ? isLive(position) : isPublic);
    const notes = Object.entries({
      other: other.length,
      unproved: of('unproved').length,
      missing: [...records.keys()].filter(isLive).length - there.length,
      ahead: Math.max(of('newer').length, (read_to ?? change) - size),
    }).filter(([, number]) => number > 0);
    const headline = notes.length > 0 ? texts.some : proved.length === 1 ? texts.one : texts.all;
    const title = headOf(fill(headline, { n: count(proved.length), all: count(found.length) }));
    const link = ({ line }) => {
      const href = '?' + new URLSearchParams({ page: line.page, record: line.record_id }) + location.hash;
      return make('li', [make('a', own(titleOf(line)), { href }), ' ', make('time', line.recorded_at)]);
    };
    const list = make('ol', [], { className: 'records' });
    const more = make('button', texts.more, { type: 'button' });
    const show = () => {
      list.append(...proved.splice(0, 200).map(link));
      more.hidden = proved.length === 0;
    };
    more.onclick = show;
    show();
    return [
      title,
      make('p', fill(texts.upTo, { n: count(size), log: origin })),
      ...notes.map(([name, number]) => alertOf(fill(texts[name], { n: count(number) }))),
      ...other.flatMap(({ position: n, line }) => [n ? make('h3', fill(texts.position, { n })) : '', line ? listOf(line) : '']),
      ...(list.children.length === 0 ? [] : [make('h3', texts.proved), list, more]),
    ];
  };

  const html = (text) => text.replace(/[&<]/g, (letter) => '&#' + letter.charCodeAt() + ';');
  const evidenceOf = (line, hashes, head) => {
    const { record_id, statement, proof } = line;
    const extra = toBase64(encode(JSON.stringify({ ...proof, record_id, statement })));
    const lines = ['c2sp.org/tlog-proof@v1', 'extra ' + extra, 'index ' + (line.change - 1), ...hashes.map(toBase64)];
    const rows = fieldsOf(line).map(([name, value]) => '<dt>' + html(name) + '<dd>' + html(value));
    return [
      '<!DOCTYPE html><html lang="' + lang + '"><meta charset="utf-8">',
      '<title>' + html(titleOf(line)) + '</title><main><h1>' + html(titleOf(line)) + '</h1>',
      '<p>' + html(signedAs(line, head)) + '<dl>',
      ...rows,
      '</dl><p>' + html(texts.evidence) + '<pre data-proof tabindex="0">' + html(lines.join('\\n') + '\\n\\n' + head.note) + '</pre></main>',
    ].join('\\n');
  };
  const findLine = async (feed) => {
    const pages = [asked.get('page') ?? 'index'];
    for (const page of pages) {
      const line = (await linesOf(feed, page)).find(({ record_id: id }) => id === asked.get('record'));
      if (line) return line;
      if (pages.length === 1) pages.push(...(await readJson(feed + '/manifest.json')).walk);
    }
    throw new Fault('noLine');
  };
  const showOne = async ({ feed }, head, { leaves, records }) => {
    const line = await findLine(feed);
    if (line.change > head.size) throw new Fault('notYet');
    if (!(await isSigned(line, leaves))) throw new Fault('otherLine');
    const { change, cause, at } = records.get(line.position);
    const save = make('a', texts.save, { download: line.record_id.replace(/[^\\w.-]/g, '_') + '.html' });
    save.href = URL.createObjectURL(new Blob([evidenceOf(line, await proofOf(leaves, line.change - 1), head)], { type: 'text/html' }));
    return [
      headOf(own(titleOf(line))),
      make('p', make('strong', signedAs(line, head))),
      change === line.change ? '' : alertOf(fill(texts.older, { n: count(change), cause: causes[cause], at })),
      listOf(line),
      make('p', save),
      make('p', texts.saveHint),
    ];
  };

  let turn = 0;
  const check = async () => {
    const mine = ++turn;
    const show = (...content) => mine === turn && section.replaceChildren(...content);
    section.hidden = false;
    show(make('p', texts.checking));
    try {
      if (!subtle) throw new Fault('noEd25519');
      if (location.protocol === 'file:' && !chosen) throw new Fault('choose');
      const key = readKey(vkey.value.trim());
      const head = await readHead(key);
      const log = await readLog(key, head);
      if (asked.has('record')) return show(...(await showOne(key, head, log)));
      const manifest = await readJson(key.feed + '/manifest.json');
      show(...showAll(head, log, await checkPages(key, head, log, manifest), manifest));
    } catch (error) {
      show(headOf(texts.notProved), alertOf(error instanceof Fault ? error.message : texts.broken));
    }
  };
  const begin = () => {
    vkey.value = unescape(location.hash.slice(1));
    if (vkey.value) void check();
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    history.replaceState(null, '', location.search + '#' + vkey.value.trim());
    void check();
  };
  folder.onchange = () => {
    chosen = new Map([...folder.files].map((file) => [file.webkitRelativePath.replace(/^[^\\/]*\\//, ''), file]));
    if (vkey.value) void check();
  };
  folder.parentElement.hidden = location.protocol !== 'file:';
  form.hidden = false;
  addEventListener('hashchange', begin);
  begin();
`;

// The half of the script of verify.html that shows what was proved: of a register, or of one record, which can be saved as a file that
// proves the same later.

/** Part of a script, after the half that checks. */
export const SHOWING = `
  const form = box.querySelector('form');
  const section = box.querySelector('section');
  const { vkey, folder } = form.elements;
  const { core, causes } = data;
  const { lang } = document.documentElement;
  const asked = new URLSearchParams(location.search);
  const make = (name, content = [], attributes = {}) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...[content].flat());
    return element;
  };
  const own = (text) => make('bdi', text);
  const count = (number) => number.toLocaleString(lang);
  const alertOf = (text) => make('p', make('strong', text), { role: 'alert' });
  const titleOf = ({ statement, record_id: id }) => (statement.title ?? '').trim() || id;
  const fieldsOf = ({ record_id: id, statement: { data = {}, ...said } }) => {
    const rows = Object.entries({ id, ...said }).map(([name, value]) => [core[name] ?? name, value]);
    return [...rows, ...Object.entries(data)]
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  };
  const listOf = (line) => {
    const rows = fieldsOf(line).map(([name, value]) => make('div', [make('dt', own(name)), make('dd', own(value))]));
    return make('dl', rows, { className: 'fields' });
  };
  const signedAs = ({ version, cause, change, recorded_at: at }, { size, origin }) =>
    fill(texts.signedAs, { version, cause: causes[cause], at, change: count(change), size: count(size), log: origin });

  const checkPages = async ({ feed }, { size }, { leaves, records }, manifest) => {
    const fields = manifest.definition?.fields ?? [];
    const pages = Object.keys(manifest.files).flatMap((name) => /^(index|pages\\/\\d+)(?=\\.json$)/.exec(name)?.[0] ?? []);
    const found = new Map();
    for (const page of pages) {
      const { records: shown } = await readJson(feed + '/' + page + '.json');
      const lines = new Map((await linesOf(feed, page)).map((line) => [line.record_id, line]));
      const seen = new Set();
      for (const record of shown) {
        // A preview does not say its position.
        const { id, position } = record;
        const line = lines.get(id);
        const isHere = page === 'index' || position === undefined || Math.ceil(position / 100) === Number(page.slice(-6));
        const isOnce = isHere && !seen.has(position ?? id);
        seen.add(position ?? id);
        let kind = 'other';
        let isSigned = false;
        if (line === undefined) kind = isOnce ? 'unproved' : 'other';
        else if (line.change > size) kind = 'newer';
        else {
          const leaf = await leafOf(line);
          isSigned = leaf !== null && isSame(leaf, leaves[line.change - 1]) && records.get(line.position).change === line.change;
          if (isSigned && isOnce && isAsSigned(record, line, fields, records.get(position).first)) kind = 'proved';
        }
        // In the order of how much they say; nothing stands before the first.
        const rank = (one) => 'unproved proved newer other'.indexOf(one);
        if (rank(kind) > rank(found.get(id)?.kind)) found.set(id, { kind, position, page, line: isSigned ? line : null });
      }
    }
    return found;
  };
  const showAll = ({ size, origin }, { records }, found, manifest) => {
    const of = (kind) => [...found.values()].filter((one) => one.kind === kind);
    const [proved, other] = [of('proved'), of('other')];
    const live = [...records.values()].filter(({ isLive }) => isLive).length;
    const isThere = ({ position }) => position === undefined || records.get(position)?.isLive;
    const numbers = {
      other: other.length,
      unproved: of('unproved').length,
      missing: live - [...found.values()].filter(isThere).length,
      ahead: Math.max(of('newer').length, (manifest.read_to ?? manifest.change) - size),
    };
    const notes = Object.keys(numbers).filter((name) => numbers[name] > 0);
    const values = { n: count(proved.length), all: count(found.size) };
    const link = ({ line, page }) => {
      const search = '?' + new URLSearchParams({ page, record: line.record_id });
      return make('li', [make('a', own(titleOf(line)), { href: search + location.hash }), ' ', make('time', line.recorded_at)]);
    };
    const list = make('ol', [], { className: 'records' });
    const more = make('button', texts.more, { type: 'button' });
    const show = () => {
      list.append(...proved.splice(0, 200).map(link));
      more.hidden = proved.length === 0;
    };
    more.addEventListener('click', show);
    show();
    return [
      make('h2', fill(notes.length === 0 ? texts.all : texts.some, values), { id: 'result' }),
      make('p', fill(texts.upTo, { n: count(size), log: origin })),
      ...notes.map((name) => alertOf(fill(texts[name], { n: count(numbers[name]) }))),
      ...other.flatMap(({ position, line }) => [make('h3', fill(texts.position, { n: position })), ...(line === null ? [] : [listOf(line)])]),
      ...(list.children.length === 0 ? [] : [make('h3', texts.proved), list, more]),
    ];
  };

  const html = (text) => text.replace(/[&<>"]/g, (character) => '&#' + character.charCodeAt() + ';');
  const evidenceOf = (line, hashes, head) => {
    const { record_id, statement, proof } = line;
    const extra = toBase64(encode(JSON.stringify({ ...proof, record_id, statement })));
    const lines = ['c2sp.org/tlog-proof@v1', 'extra ' + extra, 'index ' + (line.change - 1), ...hashes.map(toBase64)];
    const rows = fieldsOf(line).map(([name, value]) => '<dt>' + html(name) + '<dd>' + html(value));
    return [
      '<!DOCTYPE html>',
      '<html lang="' + lang + '"><meta charset="utf-8">',
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
      if (line !== undefined) return line;
      if (pages.length === 1) pages.push(...(await readJson(feed + '/manifest.json')).walk);
    }
    throw new Fault('noLine');
  };
  const showOne = async (key, head) => {
    const line = await findLine(key.feed);
    if (line.change > head.size) throw new Fault('notYet');
    const leaf = await leafOf(line);
    const { hashes, made } = leaf === null ? {} : await proofOf(key, head, line.change - 1, leaf);
    if (leaf === null || !isSame(made, head.signed)) throw new Fault('otherLine');
    const save = make('a', texts.save, { download: line.record_id.replace(/[^\\w.-]/g, '_') + '.html' });
    save.href = URL.createObjectURL(new Blob([evidenceOf(line, hashes, head)], { type: 'text/html' }));
    return [
      make('h2', own(titleOf(line)), { id: 'result' }),
      make('p', make('strong', signedAs(line, head))),
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
      if (subtle === undefined) throw new Fault('noEd25519');
      if (location.protocol === 'file:' && chosen === null) throw new Fault('choose');
      const key = await readKey(vkey.value.trim());
      const head = await readHead(key);
      if (asked.has('record')) return show(...(await showOne(key, head)));
      const [log, manifest] = [await readLog(key, head), await readJson(key.feed + '/manifest.json')];
      show(...showAll(head, log, await checkPages(key, head, log, manifest), manifest));
    } catch (error) {
      show(make('h2', texts.notProved, { id: 'result' }), alertOf(error instanceof Fault ? error.message : texts.broken));
    }
  };
  const begin = () => {
    vkey.value = decodeURIComponent(location.hash.slice(1));
    if (vkey.value !== '') void check();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    history.replaceState(null, '', location.search + '#' + vkey.value.trim());
    void check();
  });
  folder.addEventListener('change', () => {
    chosen = new Map([...folder.files].map((file) => [file.webkitRelativePath.replace(/^[^\\/]*\\//, ''), file]));
    if (vkey.value !== '') void check();
  });
  folder.parentElement.hidden = location.protocol !== 'file:';
  form.hidden = false;
  addEventListener('hashchange', begin);
  begin();
`;

// The script of pages with a search of a folder. It asks Pagefind, whose files lie in the folder, and writes what that finds as
// text. What is asked for is in the address, so that it can be linked and one can go back. From a disk a browser loads no module.

/** The script, for every browser that runs WebAssembly. */
export const FOLDER_SEARCH_SCRIPT = `'use strict';
(() => {
  const box = document.querySelector('[data-find]');
  if (box === null || location.protocol === 'file:') return;
  const root = new URL('.', document.currentScript.src).href;
  const { indexes, names, texts } = JSON.parse(box.dataset.find);
  const [note, form, section] = box.children;
  const { lang } = document.documentElement;
  const ON_PAGE = 20;
  const make = (name, text, attributes = {}) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(text);
    return element;
  };

  // An engine knows the forms of words of one language. Each result says by a filter in which index it is.
  const merged = (path) => ({ mergeFilter: { index: path } });
  let opened = null;
  const open = () => (opened ??= Promise.all(indexes.map(async ([first, ...others]) => {
    const { createInstance } = await import(root + first + '/pagefind.js');
    // A worker of its own would be as much again to load. Options are taken once the index is there, or refused.
    const engine = createInstance({ noWorker: true });
    await engine.options(merged(first));
    await Promise.all(others.map((path) => engine.mergeIndex(root + path + '/', merged(path))));
    return engine;
  })));
  // The indexes that have every word. Of a word that an index lacks Pagefind takes the longest beginning that is there, or passes
  // over it. Numbers and keys are looked for in what was found, because nobody who asks for 4711 wants 471.
  const lettersOf = (text) => text.toLowerCase().replace(/[^\\p{L}\\p{N}]/gu, '');
  const isIn = async (engine, path, part) => {
    const { results } = await engine.search(part, { filters: { index: path } });
    if (results.length === 0 || !/\\p{N}/u.test(part)) return results.length > 0;
    const { content } = await results[0].data();
    return lettersOf(content).includes(lettersOf(part));
  };
  const having = async (engine, words) => {
    const parts = (words ?? '').match(/[^\\s"]*[\\p{L}\\p{N}][^\\s"]*/gu) ?? [];
    const paths = indexes.flat();
    const known = await Promise.all(
      paths.map(async (path) => (await Promise.all(parts.map((part) => isIn(engine, path, part)))).every((is) => is)),
    );
    return paths.filter((_, at) => known[at]);
  };
  const search = async (engine, words, filters, among, options) => {
    if (among.length === 0) return { results: [], filters: {} };
    return engine.search(words, { filters: { ...filters, index: { any: among } }, ...options });
  };
  const byMatch = async (words, filters, from, to) => {
    const answers = await Promise.all(
      (await open()).map(async (engine) => search(engine, words, filters, await having(engine, words))),
    );
    const found = answers.flatMap(({ results }) => results).sort((a, b) => b.score - a.score);
    return { count: found.length, shown: found.slice(from, to) };
  };
  // Pagefind orders one index: the years follow each other.
  const byDate = async (words, filters, from, to) => {
    const [engine] = await open();
    const among = await having(engine, words);
    const { results, filters: counts } = await search(engine, words, filters, among);
    const shown = [];
    let at = 0;
    for (const path of among) {
      const count = counts.index?.[path] ?? 0;
      if (at < to && at + count > from) {
        const answer = await search(engine, words, filters, [path], { sort: { date: 'desc' } });
        shown.push(...answer.results.slice(Math.max(0, from - at), to - at));
      }
      at += count;
    }
    return { count: results.length, shown };
  };

  const offer = (select, value) => {
    if ([...select.options].every((option) => option.value !== value)) select.append(make('option', value, { value }));
  };
  let filled = null;
  const fill = () => (filled ??= open().then(async ([engine]) => {
    const selects = form.querySelectorAll('[data-filter]');
    const found = selects.length === 0 ? {} : await engine.filters();
    for (const select of selects) {
      const values = Object.entries(found[select.name] ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 100);
      for (const [value] of values) offer(select, value);
      select.parentElement.hidden = select.options.length < 2;
    }
  }));

  const day = (time) =>
    new Date(time).toLocaleDateString(lang, { dateStyle: 'medium', timeZone: 'UTC' });
  // What Pagefind marks in an excerpt, in which it writes < and > as references.
  const excerpt = (text) => text.split(/<\\/?mark>/).map((part, at) => {
    const plain = part.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    return at % 2 === 0 ? plain : make('mark', plain);
  });
  const item = ({ raw_url: url, meta, excerpt: text }) => {
    const [place, hash] = url.split('#');
    // A text directive leads to the record in its page.
    const words = meta.title.length > 60 ? meta.title.slice(0, 60).replace(/\\s\\S*$/, '') : meta.title;
    const directive = '#:~:text=' + encodeURIComponent(words).replaceAll('-', '%2D');
    const heading = make('h3', make('a', meta.title, { href: root + place + directive }));
    const summary = make('p', '', { className: 'quiet' });
    summary.append(...excerpt(text));
    const facts = make('p', '', { className: 'facts' });
    const register = names[place.split('/')[0]];
    if (register !== undefined) facts.append(register);
    for (const [name, value] of new URLSearchParams(hash)) {
      const label = texts.core[name];
      if (label === undefined) continue;
      if (facts.textContent !== '') facts.append(' · ');
      if (!value.includes('://')) facts.append(label + ' ', make('time', day(value), { dateTime: value }));
      else facts.append(make('a', label + ': ' + new URL(value).host, { href: value, rel: 'noopener' }));
    }
    const entry = make('li', heading);
    entry.append(summary, facts);
    return entry;
  };
  const pager = (asked, page, count) => {
    const list = make('ul', '');
    const link = (to, rel, text) => {
      const there = new URLSearchParams(asked);
      there.set('page', to);
      list.append(make('li', make('a', text, { rel, href: '?' + there })));
    };
    if (page > 1) link(page - 1, 'prev', texts.previous);
    if (page * ON_PAGE < count) link(page + 1, 'next', texts.next);
    const navigation = make('nav', list, { className: 'pages', ariaLabel: texts.heading });
    return list.children.length === 0 ? [] : [navigation];
  };

  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    const asked = new URLSearchParams(location.search);
    const words = (asked.get('q') ?? '').trim();
    const filters = {};
    for (const select of form.querySelectorAll('select')) {
      const value = asked.get(select.name) ?? '';
      if (select.dataset.filter !== undefined && value !== '') {
        filters[select.name] = [value];
        offer(select, value);
      }
      select.value = value;
    }
    form.elements.q.value = words;
    if (words === '' && Object.keys(filters).length === 0 && !asked.get('order')) {
      section.hidden = true;
      return;
    }
    try {
      const isByDate = words === '' || asked.get('order') === 'date';
      const page = Math.max(1, Number.parseInt(asked.get('page')) || 1);
      const find = isByDate ? byDate : byMatch;
      const found = await find(words === '' ? null : words, filters, (page - 1) * ON_PAGE, page * ON_PAGE);
      const shown = await Promise.all(found.shown.map((one) => one.data()));
      if (mine !== turn) return;
      const number = found.count.toLocaleString(lang);
      const text = found.count === 0 ? texts.none : found.count === 1 ? texts.one : texts.many.replace('{n}', number);
      const list = make('ol', '', { className: 'records' });
      list.append(...shown.map(item));
      const status = make('p', text, { className: 'matched', role: 'status' });
      section.replaceChildren(make('h2', texts.heading, { id: 'results' }), status, list, ...pager(asked, page, found.count));
    } catch (error) {
      if (mine !== turn) return;
      console.error(error);
      section.replaceChildren(make('h2', texts.heading, { id: 'results' }), make('p', texts.failed, { role: 'alert' }));
    }
    section.hidden = false;
    void fill();
  };
  const go = (search) => {
    history.pushState(null, '', location.pathname + search);
    void show();
  };
  form.addEventListener('focusin', () => void fill(), { once: true });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const asked = [...new FormData(form)].filter(([, value]) => value !== '');
    go('?' + new URLSearchParams(asked));
  });
  section.addEventListener('click', (event) => {
    const link = event.target.closest('.pages a');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.search);
    section.scrollIntoView();
  });
  addEventListener('popstate', () => void show());
  note.hidden = true;
  form.hidden = false;
  void show();
})();
`;

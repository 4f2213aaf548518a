/* global document, window */
// Runs in the report. Data reaches the page only through textContent and checked attributes, never as markup.
(() => {
  const PAGE = 100;
  const index = JSON.parse(document.getElementById('index').textContent);
  const list = document.getElementById('questions');
  const more = document.getElementById('more');
  const counter = document.getElementById('shown');
  const search = document.getElementById('search');
  const status = document.getElementById('status');
  const order = document.getElementById('order');

  const el = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null && child !== ''));
    return node;
  };
  const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(3));
  const seconds = (ms) => (ms < 120000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60000).toFixed(1)} min`);
  const folded = (title, ...children) => el('details', {}, el('summary', {}, title), ...children);

  const grid = (columns, rows) =>
    el(
      'div',
      { class: 'scroll' },
      el(
        'table',
        {},
        el('thead', {}, el('tr', {}, ...columns.map((column) => el('th', {}, column)))),
        el('tbody', {}, ...rows.map((cells) => el('tr', {}, ...cells))),
      ),
    );
  const plain = (table) =>
    grid(
      table.columns,
      table.rows.map((row) => row.map((cell) => el('td', {}, cell))),
    );

  const verdict = (cell) => {
    if (!cell) return el('td', {}, '–');
    const right = cell.score === 1;
    return el(
      'td',
      { class: right ? 'good' : 'bad', title: cell.reason },
      cell.response ?? '(missing)',
      right ? '' : el('span', { class: 'gold' }, `gold: ${cell.target ?? '(missing)'}`),
      right ? '' : el('span', { class: 'why' }, cell.reason),
    );
  };
  const verdicts = (cells) => {
    const columns = [...new Set(cells.map((cell) => cell.column))];
    const rows = new Map();
    for (const cell of cells) {
      const id = JSON.stringify(cell.key);
      if (!rows.has(id)) rows.set(id, { key: cell.key, byColumn: new Map() });
      rows.get(id).byColumn.set(cell.column, cell);
    }
    return grid(
      ['row', ...columns],
      [...rows.values()].map(({ key, byColumn }) => [
        el('td', {}, key.join(' · ')),
        ...columns.map((column) => verdict(byColumn.get(column))),
      ]),
    );
  };

  const link = ({ url, title }) => {
    const safe = /^https?:\/\//i.test(url);
    const text = title || url;
    return safe ? el('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, text) : text;
  };
  const agentLine = (agent) => {
    const name = agent.place ? `turn ${agent.place.turn}, subagent ${agent.place.n}` : 'lead';
    const facts = [agent.state, agent.wallMs === null ? '' : seconds(agent.wallMs)]
      .filter(Boolean)
      .join(', ');
    const item = el(
      'li',
      {},
      el('b', {}, name),
      facts ? ` (${facts})` : '',
      agent.task ? `: ${agent.task}` : '',
    );
    if (agent.pages.length > 0) {
      item.append(el('ul', { class: 'tree' }, ...agent.pages.map((page) => el('li', {}, link(page)))));
    }
    return item;
  };
  const tree = (agents) => {
    const [lead, ...others] = agents;
    const item = agentLine(lead);
    if (others.length > 0) item.append(el('ul', { class: 'tree' }, ...others.map(agentLine)));
    return el('ul', { class: 'tree' }, item);
  };
  const rowList = (title, keys) =>
    keys.length === 0
      ? ''
      : folded(`${title}: ${keys.length}`, el('ul', {}, ...keys.map((key) => el('li', {}, key.join(' · ')))));

  const sampleView = (sample) => {
    const scores = Object.entries(sample.scores ?? {});
    return el(
      'div',
      { class: 'sample' },
      el(
        'div',
        { class: 'tools' },
        el('b', {}, `Sample ${sample.n + 1}`),
        el('span', { class: sample.scores ? 'chip' : 'chip bad' }, sample.status),
        ...scores.map(([name, value]) => el('span', { class: 'chip' }, `${name} ${number(value)}`)),
        el(
          'span',
          { class: 'quiet' },
          `${sample.stop ?? 'no result'} · ${sample.turns} turns · ${seconds(sample.wallMs)} · ${sample.workflow}`,
        ),
      ),
      sample.reason ? el('p', {}, sample.reason) : '',
      sample.answer === null ? '' : el('pre', {}, sample.answer || '(no answer)'),
      sample.cells && sample.cells.length > 0 ? verdicts(sample.cells) : '',
      rowList('Rows of gold that the answer lacks', sample.missing),
      rowList('Rows that gold lacks', sample.surplus),
      sample.table ? folded(`Table as answered: ${sample.table.rows.length} rows`, plain(sample.table)) : '',
      sample.notes.length > 0
        ? folded('Notes', el('ul', {}, ...sample.notes.map((note) => el('li', {}, note))))
        : '',
      sample.agents.length > 0 ? folded(`Agents: ${sample.agents.length}`, tree(sample.agents)) : '',
      sample.cut ? el('p', { class: 'quiet' }, sample.cut) : '',
    );
  };
  const questionBody = (position) => {
    const block = document.getElementById(`q${position}`);
    if (!block) {
      return el('div', { class: 'body quiet' }, 'Left out to keep this page small; see allresult.json.');
    }
    const data = JSON.parse(block.textContent);
    return el(
      'div',
      { class: 'body' },
      el('p', {}, data.question),
      data.answers.length > 0 ? el('p', {}, el('b', {}, 'Gold: '), data.answers.join(' | ')) : '',
      data.gold ? folded(`Gold table: ${data.gold.rows.length} rows`, plain(data.gold)) : '',
      ...data.samples.map(sampleView),
    );
  };

  const line = (entry, position) => {
    const details = el(
      'details',
      { class: 'question' },
      el(
        'summary',
        {},
        el('span', { class: 'id' }, entry.id),
        el('span', {}, entry.text),
        el(
          'span',
          { class: 'marks' },
          ...entry.marks.slice(0, 8).map(({ text, look }) => el('span', { class: `chip ${look}` }, text)),
          entry.marks.length > 8 ? `+${entry.marks.length - 8}` : '',
        ),
      ),
    );
    details.addEventListener('toggle', () => {
      if (details.open && !details.querySelector('.body')) details.append(questionBody(position));
    });
    return details;
  };

  let found = [];
  let shown = 0;
  const showMore = () => {
    const next = found.slice(shown, shown + PAGE);
    list.append(...next.map((position) => line(index[position], position)));
    shown += next.length;
    more.hidden = shown >= found.length;
    counter.textContent = `${shown} of ${found.length} shown, ${index.length} questions`;
  };
  const byMean = (sign) => (a, b) => sign * ((index[a].mean ?? -1) - (index[b].mean ?? -1)) || a - b;
  const filter = () => {
    const words = search.value.toLowerCase();
    found = index
      .map((_, position) => position)
      .filter((position) => {
        const entry = index[position];
        const fits = `${entry.id} ${entry.text}`.toLowerCase().includes(words);
        return fits && (status.value === '' || entry.statuses.includes(status.value));
      });
    if (order.value !== 'file') found.sort(byMean(order.value === 'worst' ? 1 : -1));
    list.replaceChildren();
    shown = 0;
    showMore();
  };
  search.addEventListener('input', filter);
  status.addEventListener('change', filter);
  order.addEventListener('change', filter);
  more.addEventListener('click', showMore);
  filter();
  const wanted = Number(/^#q(\d+)$/.exec(window.location.hash)?.[1] ?? NaN);
  if (index[wanted]) {
    const entry = wanted < shown ? list.children[wanted] : line(index[wanted], wanted);
    if (wanted >= shown) list.prepend(entry);
    entry.open = true;
    entry.scrollIntoView();
  }
})();

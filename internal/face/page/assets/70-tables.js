// Tables: every file of the series, filtered, sorted, and downloaded as it is shown.
const pageRows = 50;
const tables = {
  id: 'tables', label: 'Tables', sortBy: '', up: false, page: 0,
  make(panel) {
    this.choice = el('select', { id: 'table-name', onchange: e => { this.page = 0; this.sortBy = ''; set({ table: e.target.value }); } }, about.tables.map(t => el('option', { value: t }, t)));
    this.filter = el('input', { id: 'table-filter', type: 'search', placeholder: 'text, or bytes > 4096', oninput: () => { this.page = 0; this.show(); } });
    this.body = el('div');
    panel.append(el('div', { class: 'controls' }, control('file', this.choice), control('filter', this.filter),
      el('button', { type: 'button', onclick: () => this.download() }, 'Download CSV')),
      el('p', { class: 'note' }, 'A filter is a text in any column, or a column with =, <, > or != and a value; several are joined by a comma.'), this.body);
  },
  async draw(s) {
    const name = about.tables.includes(state.table) ? state.table : 'flows.parquet';
    this.choice.value = name;
    const keyed = ['nodes.parquet', 'links.parquet'].includes(name) ? '?fabric=' + encodeURIComponent(s.fabric) : name === 'simulations.parquet' ? '' : '?simulation=' + s.simulation;
    this.data = await data(`data/${s.run}/${name}${keyed}`);
    this.name = name;
    this.show();
  },
  // chosen are the numbers of the rows that the filter passes, sorted.
  chosen() {
    const t = this.data, rows = [...Array(t.rows).keys()], tests = this.filter.value.split(',').map(f => f.trim()).filter(Boolean).map(f => condition(t, f));
    const out = rows.filter(i => tests.every(test => test(i)));
    const by = t[this.sortBy];
    if (this.sortBy && by) out.sort((a, b) => (by[a] < by[b] ? -1 : by[a] > by[b] ? 1 : a - b) * (this.up ? 1 : -1));
    return out;
  },
  show() {
    const t = this.data;
    if (!t) return;
    const rows = this.chosen(), pages = Math.max(1, Math.ceil(rows.length / pageRows));
    this.page = Math.min(this.page, pages - 1);
    const part = rows.slice(this.page * pageRows, (this.page + 1) * pageRows);
    const heads = t.names.map((name, c) => el('th', { scope: 'col', class: typeof t.values[c][0] === 'string' ? 'w' : 'n', 'aria-sort': name === this.sortBy ? (this.up ? 'ascending' : 'descending') : false },
      el('button', { type: 'button', class: 'plain', onclick: () => { this.up = this.sortBy === name && !this.up; this.sortBy = name; this.show(); } }, name + (name === this.sortBy ? (this.up ? ' ↑' : ' ↓') : ''))));
    const step = (text, by) => el('button', { type: 'button', disabled: this.page + by < 0 || this.page + by >= pages, onclick: () => { this.page += by; this.show(); } }, text);
    this.body.replaceChildren(
      el('p', { class: 'note', role: 'status' }, `${rows.length} of ${t.matched} rows`, t.rows < t.matched ? `; the page holds the first ${t.rows}` : '', `, page ${this.page + 1} of ${pages} `, step('previous', -1), step('next', 1)),
      el('div', { class: 'card scroll', tabindex: 0, role: 'region', 'aria-label': this.name }, el('table', { class: 'data' }, el('caption', { class: 'unseen' }, this.name), el('thead', {}, el('tr', {}, heads)),
        el('tbody', {}, part.map(i => el('tr', {}, t.names.map((name, c) => el('td', { class: typeof t.values[c][0] === 'string' ? 'w' : 'n' }, shown(t.values[c][i])))))))));
  },
  download() {
    const t = this.data;
    const quoted = v => /[",\n]/.test(v) ? '"' + String(v).replaceAll('"', '""') + '"' : String(v);
    const lines = [t.names.join(','), ...this.chosen().map(i => t.values.map(c => quoted(c[i])).join(','))];
    const link = el('a', { href: URL.createObjectURL(new Blob([lines.join('\n') + '\n'], { type: 'text/csv' })), download: this.name.replace('.parquet', '.csv') });
    link.click();
    URL.revokeObjectURL(link.href);
  },
};
const shown = v => typeof v === 'number' && !Number.isInteger(v) ? digits(v, 5) : String(v);

// condition is a filter as a test of a row.
function condition(t, text) {
  const m = text.match(/^(\w+)\s*(!=|=|<|>)\s*(.*)$/);
  if (m && t[m[1]]) {
    const col = t[m[1]], number = Number(m[3]), numeric = m[3] !== '' && !Number.isNaN(number);
    const tests = { '=': v => String(v) === m[3] || numeric && v === number, '!=': v => String(v) !== m[3] && !(numeric && v === number), '<': v => Number(v) < number, '>': v => Number(v) > number };
    return i => tests[m[2]](col[i]);
  }
  const wanted = text.toLowerCase();
  return i => t.values.some(c => String(c[i]).toLowerCase().includes(wanted));
}

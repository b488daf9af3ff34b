// Tables: every file of the series, filtered, sorted, and downloaded as it is shown: with names for numbers of links
// and nodes.
const pageRows = 50;
const linkColumns = ['link', 'back', 'cause_link', 'after_link'], nodeColumns = ['node', 'src_node', 'dst_node', 'from_node', 'to_node'];
const tables = {
  id: 'tables', label: 'Tables', sortBy: '', up: false, page: 0,
  make(panel) {
    this.choice = el('select', { id: 'table-name', onchange: e => { this.page = 0; this.sortBy = ''; set({ table: e.target.value }); } }, about.tables.map(t => el('option', { value: t }, t)));
    this.filter = el('input', { id: 'table-filter', type: 'search', placeholder: 'text, or bytes > 4096', oninput: () => { this.page = 0; this.show(); } });
    this.numbers = el('input', { id: 'table-numbers', type: 'checkbox', onchange: () => this.show() });
    this.body = el('div');
    panel.append(el('div', { class: 'controls' }, control('file', this.choice), control('filter', this.filter), control('numbers for names', this.numbers),
      el('button', { type: 'button', onclick: () => save(this.csv(), this.name.replace('.parquet', '.csv'), 'text/csv') }, 'Download CSV')),
      el('p', { class: 'note' }, 'A filter is a text in any column, or a column with =, <, > or != and a value; several are joined by a comma. A link or a node is named, or has its number.'), this.body);
  },
  async draw(s) {
    const name = about.tables.includes(state.table) ? state.table : 'flows.parquet';
    this.choice.value = name;
    const keyed = ['nodes.parquet', 'links.parquet'].includes(name) ? '?fabric=' + encodeURIComponent(s.fabric) : name === 'simulations.parquet' ? '' : '?simulation=' + s.simulation;
    this.data = await data(`data/${s.run}/${name}${keyed}`);
    this.name = name;
    this.names = this.namesOf(s, name);
    this.show();
  },
  // namesOf are the names of numbers, by column. A number that is the key of its own table stays.
  namesOf(s, name) {
    const links = new Map(s.links.link.map((l, k) => [l, s.links.name[k]])), nodes = new Map(s.nodes.node.map((n, k) => [n, s.nodes.name[k]]));
    const own = { 'links.parquet': 'link', 'nodes.parquet': 'node' }[name], out = {};
    for (const c of linkColumns) if (c !== own) out[c] = links;
    for (const c of nodeColumns) if (c !== own) out[c] = nodes;
    if (name !== 'simulations.parquet') out.simulation = new Map([[s.simulation, [s.fabric, s.size_bytes > 0 ? bytesText(s.size_bytes) : '', s.phase].filter(Boolean).join(' · ')]]);
    return out;
  },
  // cell is a value as it is shown.
  cell(column, v) { return this.numbers.checked ? v : this.named(column, v); },
  named(column, v) {
    const names = this.names[column];
    return !names ? v : names.get(v) ?? (v < 0 ? 'none' : v);
  },
  // chosen are the numbers of the rows that the filter passes, sorted.
  chosen() {
    const t = this.data, rows = [...Array(t.rows).keys()], tests = this.filter.value.split(',').map(f => f.trim()).filter(Boolean).map(f => this.condition(t, f));
    const out = rows.filter(i => tests.every(test => test(i)));
    const by = t[this.sortBy]?.map(v => this.cell(this.sortBy, v));
    if (this.sortBy && by) out.sort((a, b) => (by[a] < by[b] ? -1 : by[a] > by[b] ? 1 : a - b) * (this.up ? 1 : -1));
    return out;
  },
  // condition is a filter as a test of a row.
  condition(t, text) {
    const m = text.match(/^(\w+)\s*(!=|=|<|>)\s*(.*)$/);
    if (m && t[m[1]]) {
      const col = t[m[1]], number = Number(m[3]), numeric = m[3] !== '' && !Number.isNaN(number), same = v => String(v) === m[3] || numeric && v === number || String(this.named(m[1], v)) === m[3];
      const tests = { '=': same, '!=': v => !same(v), '<': v => Number(v) < number, '>': v => Number(v) > number };
      return i => tests[m[2]](col[i]);
    }
    const wanted = text.toLowerCase();
    return i => t.values.some((c, k) => String(this.named(t.names[k], c[i])).toLowerCase().includes(wanted));
  },
  show() {
    const t = this.data;
    if (!t) return;
    const rows = this.chosen(), pages = Math.max(1, Math.ceil(rows.length / pageRows)), word = c => typeof this.cell(t.names[c], t.values[c][0]) === 'string';
    this.page = Math.min(this.page, pages - 1);
    const part = rows.slice(this.page * pageRows, (this.page + 1) * pageRows);
    const heads = t.names.map((name, c) => el('th', { scope: 'col', class: word(c) ? 'w' : 'n', 'aria-sort': name === this.sortBy ? (this.up ? 'ascending' : 'descending') : false },
      el('button', { type: 'button', class: 'plain', onclick: () => { this.up = this.sortBy === name && !this.up; this.sortBy = name; this.show(); } }, name + (name === this.sortBy ? (this.up ? ' ↑' : ' ↓') : ''))));
    const step = (text, by) => el('button', { type: 'button', disabled: this.page + by < 0 || this.page + by >= pages, onclick: () => { this.page += by; this.show(); } }, text);
    this.body.replaceChildren(
      el('p', { class: 'note', role: 'status' }, `${rows.length} of ${t.matched} rows`, t.rows < t.matched ? `; the page holds the first ${t.rows}` : '', `, page ${this.page + 1} of ${pages} `, step('previous', -1), step('next', 1)),
      el('div', { class: 'card scroll', tabindex: 0, role: 'region', 'aria-label': this.name }, el('table', { class: 'data' }, el('caption', { class: 'unseen' }, this.name), el('thead', {}, el('tr', {}, heads)),
        el('tbody', {}, part.map(i => el('tr', {}, t.names.map((name, c) => el('td', { class: word(c) ? 'w' : 'n' }, shown(this.cell(name, t.values[c][i]))))))))));
  },
  csv() { return csvText([this.data.names, ...this.chosen().map(i => this.data.names.map((n, c) => this.cell(n, this.data.values[c][i])))]); },
};
const shown = v => typeof v === 'number' && !Number.isInteger(v) ? digits(v, 5) : String(v);

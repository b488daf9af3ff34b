// Heat map: links over time. A drag over rows chooses their links in all views.
const orders = {
  most: ['largest value', (m, l) => row(m, l).reduce((a, b) => Math.max(a, b), 0)],
  mean: ['mean', (m, l) => row(m, l).reduce((a, b) => a + b, 0)],
  first: ['earliest', (m, l) => { const i = row(m, l).findIndex(v => v > 0); return i < 0 ? -1e9 : -i; }],
  now: ['value at the chosen time', (m, l, i) => m.at(l, i)],
  number: ['number', (m, l) => -l],
};
const row = (m, link) => link < m.links ? m.cells.subarray(link * m.intervals, (link + 1) * m.intervals) : new Float32Array(m.intervals);

// ranked are the links of a simulation that are not always 0, in an order, largest first, of a tier or of all.
function ranked(s, order, tier) {
  const at = chosenColumn(s), m = s.matrix;
  return [...s.links.link.keys()].filter(i => (!tier || s.links.tier[i] === tier) && row(m, s.links.link[i]).some(v => v > 0))
    .map(i => ({ i, link: s.links.link[i], key: orders[order][1](m, s.links.link[i], at) }))
    .sort((a, b) => b.key - a.key || a.link - b.link);
}

const heat = {
  id: 'heat', label: 'Heat map', links: true, order: 'most', tier: '',
  make(panel) {
    this.sort = el('select', { id: 'heat-order', onchange: e => { this.order = e.target.value; refresh(); } }, Object.entries(orders).map(([k, o]) => el('option', { value: k }, o[0])));
    this.tiers = el('select', { id: 'heat-tier', onchange: e => { this.tier = e.target.value; refresh(); } });
    this.canvas = el('canvas', { class: 'heat', role: 'img', onpointerdown: e => this.brush(e), onpointermove: e => this.hover(e), onpointerup: e => this.release(e) });
    this.tip = el('p', { class: 'note', 'aria-live': 'off' }, 'Drag over rows to choose links in all views; a click chooses the time too.');
    this.legend = el('div');
    this.list = el('div');
    panel.append(el('div', { class: 'controls' }, control('order by', this.sort), control('links', this.tiers)),
      this.legend, el('div', { class: 'card pad' }, this.canvas), this.tip, this.list);
  },
  draw(s) {
    const tiers = [...new Set(s.links.tier)];
    if (!tiers.includes(this.tier)) this.tier = '';
    this.tiers.replaceChildren(el('option', { value: '' }, 'all'), ...tiers.map(t => el('option', { value: t, selected: t === this.tier }, t)));
    this.scene = s;
    this.rows = ranked(s, this.order, this.tier);
    const least = 2, tallest = 640;
    const height = Math.max(24, Math.min(tallest, this.rows.length * 12));
    const { g, width } = prepare(this.canvas, height);
    const lines = Math.min(this.rows.length, Math.floor(height / least)); // a line of the picture is a link, or the largest of several
    this.perLine = this.rows.length / Math.max(1, lines);
    const most = scaleMost(s), n = s.matrix.intervals, chosen = new Set(chosenLinks());
    const w = width / n, h = height / Math.max(1, lines);
    for (let y = 0; y < lines; y++) {
      const some = this.rows.slice(Math.floor(y * this.perLine), Math.max(Math.floor(y * this.perLine) + 1, Math.floor((y + 1) * this.perLine)));
      for (let t = 0; t < n; t++) {
        let v = 0;
        for (const r of some) v = Math.max(v, s.matrix.at(r.link, t));
        g.fillStyle = css(colourOf(v, most));
        g.fillRect(t * w, y * h, Math.ceil(w), Math.ceil(h));
      }
      if (some.some(r => chosen.has(r.link))) { g.fillStyle = token('--c1'); g.fillRect(0, y * h, 5, Math.ceil(h)); }
    }
    const at = chosenColumn(s);
    g.strokeStyle = token('--ink');
    g.strokeRect(at * w, 0, Math.max(2, w), height);
    this.tell(s, at);
  },
  tell(s, at) {
    const top = this.rows[0];
    this.canvas.setAttribute('aria-label', `${s.quantity.label} of ${this.rows.length} links over ${timeText(s.duration_ps)}, ordered by ${orders[this.order][0]}; the table below has the first of them`);
    if (top) probe(this.canvas, s, top.link, at);
    const rest = this.tier ? '' : `${s.links.rows - this.rows.length} of ${s.links.rows} links are always 0 and left out.`;
    this.legend.replaceChildren(legend(s), el('p', { class: 'note' }, rest));
    this.list.replaceChildren(linkTable(s, this.rows.slice(0, 12)));
  },
  at(e) {
    const box = this.canvas.getBoundingClientRect();
    const x = (e.clientX - box.left) / box.width, y = (e.clientY - box.top) / box.height;
    return { line: Math.max(0, Math.min(this.rows.length - 1, Math.floor(y * this.rows.length))), time: Math.max(0, Math.min(0.9999, x)) * this.scene.matrix.intervals };
  },
  brush(e) { if (this.scene) { this.from = this.at(e); this.canvas.setPointerCapture(e.pointerId); } },
  hover(e) {
    if (!this.scene || !this.rows.length) return;
    const p = this.at(e), s = this.scene, r = this.rows[p.line], t = Math.floor(p.time);
    this.tip.textContent = `${s.links.name[r.i]}, ${timeText(t * s.interval_ps)}: ${valueText(s.matrix.at(r.link, t), s.quantity.unit)}`;
  },
  release(e) {
    if (!this.from || !this.rows.length) return;
    const to = this.at(e), a = Math.min(this.from.line, to.line), b = Math.max(this.from.line, to.line);
    this.from = null;
    set({ links: this.rows.slice(a, Math.min(b + 1, a + 64)).map(r => r.link).join(','), time: Math.floor(to.time) * this.scene.interval_ps });
  },
};

// probe is what a picture shows of a link, for tests and other readers of the page: the value and its colour.
function probe(canvas, s, link, at) {
  const v = s.matrix.at(link, at);
  Object.assign(canvas.dataset, { link, interval: at, value: v, colour: css(colourOf(v, scaleMost(s))), quantity: s.quantity.id });
}

// linkTable is links as text, each with a button that chooses it.
function linkTable(s, rows) {
  const at = chosenColumn(s), chosen = new Set(chosenLinks());
  return dataTable('links', ['link', 'tier', { text: 'at ' + timeText(at * s.interval_ps), numeric: true }, { text: 'largest', numeric: true }, { text: 'mean', numeric: true }], rows.map(r => {
    const values = row(s.matrix, r.link), unit = s.quantity.unit;
    return {
      chosen: chosen.has(r.link), call: () => toggle(r.link),
      cells: [s.links.name[r.i], s.links.tier[r.i], valueText(s.matrix.at(r.link, at), unit), valueText(values.reduce((a, b) => Math.max(a, b), 0), unit), valueText(values.reduce((a, b) => a + b, 0) / s.matrix.intervals, unit)],
    };
  }));
}
const toggle = link => {
  const now = new Set(chosenLinks());
  if (!now.delete(link)) now.add(link);
  set({ links: [...now].join(',') });
};

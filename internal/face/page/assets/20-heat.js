// Heat map: links over time. A drag down rows chooses their links in all views, a drag along the time zooms.
const orders = {
  most: ['largest value', (m, l, i, w) => row(m, l).subarray(w.a, w.b).reduce((a, b) => Math.max(a, b), 0)],
  mean: ['mean', (m, l, i, w) => row(m, l).subarray(w.a, w.b).reduce((a, b) => a + b, 0)],
  first: ['earliest', (m, l, i, w) => { const k = row(m, l).subarray(w.a, w.b).findIndex(v => v > 0); return k < 0 ? -1e9 : -k; }],
  now: ['value at the chosen time', (m, l, i) => m.at(l, i)],
  number: ['number', (m, l) => -l],
};
const row = (m, link) => link < m.links ? m.cells.subarray(link * m.intervals, (link + 1) * m.intervals) : new Float32Array(m.intervals);

// ranked are the links of a simulation that are not always 0 in the window, in an order, largest first, of a tier or of all.
function ranked(s, order, tier) {
  const at = chosenColumn(s), m = s.matrix, w = windowOf(s);
  return [...s.links.link.keys()].filter(i => (!tier || s.links.tier[i] === tier) && row(m, s.links.link[i]).subarray(w.a, w.b).some(v => v > 0))
    .map(i => ({ i, link: s.links.link[i], key: orders[order][1](m, s.links.link[i], at, w) }))
    .sort((a, b) => b.key - a.key || a.link - b.link);
}

const heat = {
  id: 'heat', label: 'Heat map', links: true, short: true, order: 'most', tier: '',
  make(panel) {
    this.sort = el('select', { id: 'heat-order', onchange: e => { this.order = e.target.value; refresh(); } }, Object.entries(orders).map(([k, o]) => el('option', { value: k }, o[0])));
    this.tiers = el('select', { id: 'heat-tier', onchange: e => { this.tier = e.target.value; refresh(); } });
    this.canvas = el('canvas', { class: 'heat', role: 'img', onpointermove: e => this.hover(e) });
    this.tip = el('p', { class: 'note', 'aria-live': 'off' }, 'Drag down rows to choose links in all views; drag along the time to zoom; a click chooses a link and a time.');
    this.legend = el('div');
    this.list = el('div');
    panel.append(el('div', { class: 'controls' }, control('order by', this.sort), control('links', this.tiers)),
      this.legend, zoomable(this.canvas, 'links over time', e => this.at(e).time, (a, b) => this.choose(a, b)), this.tip, this.list);
  },
  draw(s) {
    const tiers = [...new Set(s.links.tier)];
    if (!tiers.includes(this.tier)) this.tier = '';
    this.tiers.replaceChildren(el('option', { value: '' }, 'all'), ...tiers.map(t => el('option', { value: t, selected: t === this.tier }, t)));
    this.scene = s;
    this.rows = ranked(s, this.order, this.tier);
    const least = 2, tallest = 640, axis = 22;
    const tall = Math.max(24, Math.min(tallest, this.rows.length * 14));
    const { g, width } = prepare(this.canvas, tall + axis);
    const lines = Math.min(this.rows.length, Math.floor(tall / least)); // a line of the picture is a link, or the largest of several
    this.perLine = this.rows.length / Math.max(1, lines);
    const most = scaleMost(s), chosen = new Set(chosenLinks()), win = windowOf(s), h = tall / Math.max(1, lines);
    this.tall = tall;
    this.names(g, s, lines, h, width);
    const x = timeAxis(g, this.left, width, tall, win.from, win.to);
    const every = perPixel(win, width - this.left); // a column of the picture is an interval, or the largest of several
    g.save();
    g.beginPath();
    g.rect(this.left, 0, width - this.left, tall);
    g.clip();
    for (let y = 0; y < lines; y++) {
      const some = this.rows.slice(Math.floor(y * this.perLine), Math.max(Math.floor(y * this.perLine) + 1, Math.floor((y + 1) * this.perLine)));
      for (let t = win.a; t < win.b; t += every) {
        let v = 0;
        for (const r of some) for (let k = t; k < Math.min(win.b, t + every); k++) v = Math.max(v, s.matrix.at(r.link, k));
        g.fillStyle = css(colourOf(v, most));
        fillColumn(g, x(timeOf(s, t)), x(timeOf(s, t + every)), y * h, Math.ceil(h));
      }
      if (some.some(r => chosen.has(r.link))) { g.fillStyle = token('--c1'); g.fillRect(this.left, y * h, 5, Math.ceil(h)); }
    }
    g.fillStyle = token('--c1'); // where short intervals are kept
    for (const [a, b] of s.matrix.spans ?? []) g.fillRect(x(timeOf(s, a)), tall - 3, x(timeOf(s, b)) - x(timeOf(s, a)), 3);
    drawMoments(g, s, x, win, 0, tall);
    const at = chosenColumn(s);
    g.strokeStyle = token('--ink');
    g.strokeRect(x(timeOf(s, at)), 0, Math.max(2, x(s.interval_ps) - x(0)), tall);
    g.restore();
    this.tell(s, at);
  },
  // names writes the links beside their rows, as many as have room.
  names(g, s, lines, h, width) {
    g.font = '11px system-ui';
    const every = Math.ceil(13 / h), texts = [];
    for (let y = 0; y < lines; y += every) {
      const r = this.rows[Math.floor(y * this.perLine)];
      texts.push([y, s.links.name[r.i] + (this.perLine * every > 1 ? ' …' : '')]);
    }
    this.left = Math.min(width * 0.4, 10 + texts.reduce((w, [, t]) => Math.max(w, g.measureText(t).width), 0));
    g.fillStyle = token('--soft');
    for (const [y, text] of texts) g.fillText(fitted(g, text, this.left - 8), 0, y * h + 10.5);
    this.canvas.dataset.names = texts.map(t => t[1]).join('; ');
  },
  tell(s, at) {
    const top = this.rows[0], win = windowOf(s);
    Object.assign(this.canvas.dataset, { from: win.from, to: win.to, width: s.interval_ps, known: s.long ? s.matrix.known.reduce((a, b) => a + b, 0) : 0 });
    this.canvas.setAttribute('aria-label', `${s.quantity.label} of ${this.rows.length} links from ${timeText(win.from)} to ${timeText(win.to)}, ordered by ${orders[this.order][0]}; the table below has the first of them`);
    if (top) probe(this.canvas, s, top.link, at);
    const rest = this.tier ? '' : `${s.links.rows - this.rows.length} of ${s.links.rows} links are always 0 ${win.whole ? '' : 'in this time '}and left out.`;
    this.legend.replaceChildren(legend(s), el('p', { class: 'note' }, rest + (s.long ? ` A line below the rows shows where intervals of ${timeText(s.interval_ps)} are kept of some links; elsewhere a value is that of a longer interval.` : '')));
    this.list.replaceChildren(linkTable(s, this.rows.slice(0, 12)));
  },
  at(e) {
    const box = this.canvas.getBoundingClientRect(), win = windowOf(this.scene);
    const x = Math.max(0, Math.min(0.9999, (e.clientX - box.left - this.left) / (box.width - this.left))), y = (e.clientY - box.top) / this.tall;
    return { line: Math.max(0, Math.min(this.rows.length - 1, Math.floor(y * this.rows.length))), time: win.from + x * (win.to - win.from) };
  },
  hover(e) {
    if (!this.scene || !this.rows.length) return;
    const p = this.at(e), s = this.scene, r = this.rows[p.line], t = intervalOf(s, p.time);
    this.tip.textContent = `${s.links.name[r.i]}, ${timeText(timeOf(s, t))}: ${valueText(s.matrix.at(r.link, t), s.quantity.unit)}${intervalText(s, r.link, t)}`;
  },
  // csv is the values of all links that are shown, in each interval of the window.
  csv() {
    const s = this.scene, w = windowOf(s), times = Array.from({ length: w.b - w.a }, (_, i) => timeOf(s, w.a + i));
    return csvText([['link', 'tier', ...times.map(t => t + ' ps')], ...this.rows.map(r => [s.links.name[r.i], s.links.tier[r.i], ...row(s.matrix, r.link).subarray(w.a, w.b)])]);
  },
  choose(from, e) {
    if (!this.rows.length) return;
    const begun = this.at(from), to = this.at(e), a = Math.min(begun.line, to.line), b = Math.max(begun.line, to.line);
    set({ links: this.rows.slice(a, Math.min(b + 1, a + 64)).map(r => r.link).join(','), time: timeOf(this.scene, intervalOf(this.scene, to.time)) });
  },
};

// probe is what a picture shows of a link, for tests and other readers of the page: the value and its colour.
function probe(canvas, s, link, at) {
  const v = s.matrix.at(link, at);
  Object.assign(canvas.dataset, { link, interval: timeOf(s, at) / s.interval_ps, value: v, colour: css(colourOf(v, scaleMost(s))), quantity: s.quantity.id });
}

// linkTable is links as text, each with a button that chooses it. The largest value and the mean are of the window.
function linkTable(s, rows) {
  const at = chosenColumn(s), chosen = new Set(chosenLinks()), w = windowOf(s);
  return dataTable('links', ['link', 'tier', { text: 'at ' + timeText(timeOf(s, at)), numeric: true }, { text: 'largest', numeric: true }, { text: 'mean', numeric: true }], rows.map(r => {
    const values = row(s.matrix, r.link).subarray(w.a, w.b), unit = s.quantity.unit;
    return {
      chosen: chosen.has(r.link), call: () => toggle(r.link),
      cells: [s.links.name[r.i], s.links.tier[r.i], valueText(s.matrix.at(r.link, at), unit), valueText(values.reduce((a, b) => Math.max(a, b), 0), unit), valueText(values.reduce((a, b) => a + b, 0) / values.length, unit)],
    };
  }));
}
const toggle = link => {
  const now = new Set(chosenLinks());
  if (!now.delete(link)) now.add(link);
  set({ links: [...now].join(',') });
};

// Compare: two simulations on one time axis. Links of one name are compared one by one; if the fabrics have other
// links, their tiers are.
const columns = 120; // of the common time axis

// onAxis is the largest value of a row in each part of a time axis that ends at a time.
function onAxis(s, values, end) {
  const out = new Float32Array(columns);
  for (let i = 0; i < s.matrix.intervals; i++) {
    const from = Math.floor(i * s.interval_ps / end * columns), to = Math.min(columns - 1, Math.ceil((i + 1) * s.interval_ps / end * columns) - 1);
    for (let c = from; c <= to; c++) out[c] = Math.max(out[c], values[i]);
  }
  return out;
}

// byTier is the mean over the links of each tier, over time.
function byTier(s) {
  const sums = new Map();
  s.links.link.forEach((l, k) => {
    const tier = s.links.tier[k];
    if (!sums.has(tier)) sums.set(tier, { n: 0, values: new Float32Array(s.matrix.intervals) });
    const sum = sums.get(tier), values = row(s.matrix, l);
    sum.n++;
    for (let i = 0; i < values.length; i++) sum.values[i] += values[i];
  });
  return new Map([...sums].map(([tier, x]) => [tier, x.values.map(v => v / x.n)]));
}

const compare = {
  id: 'compare', label: 'Compare', links: true,
  make(panel) {
    this.other = el('select', { id: 'compare-other', onchange: e => set({ other: e.target.value }) });
    this.text = el('p');
    this.scale = el('p', { class: 'note legend-line' });
    this.canvas = el('canvas', { class: 'compare', role: 'img', onpointermove: e => this.hover(e), onclick: e => this.click(e) });
    this.tip = el('p', { class: 'note' });
    this.list = el('div');
    this.lines = el('div', { class: 'card pad' });
    panel.append(el('div', { class: 'controls' }, control('with', this.other)), this.text, el('h3', {}, 'Mean over the links of each tier'), this.lines, this.scale, el('div', { class: 'card pad' }, this.canvas), this.tip, this.list);
  },
  async draw(a) {
    const all = simulations().filter(x => x.interval_ps);
    const fallback = all.find(x => x.key !== a.key && x.size_bytes === a.size_bytes && x.phase === a.phase) ?? all.find(x => x.key !== a.key) ?? a;
    const b = await scene(all.some(x => x.key === state.other) ? state.other : fallback.key, state.quantity);
    this.other.replaceChildren(...all.map(s => el('option', { value: s.key, selected: s.key === b.key }, simulationText(s))));
    const end = Math.max(a.duration_ps, b.duration_ps, 1), unit = a.quantity.unit;
    this.end = end;
    const ratio = b.duration_ps / Math.max(1, a.duration_ps);
    this.text.textContent = `${simulationText(a)} took ${timeText(a.duration_ps)}; ${simulationText(b)} took ${timeText(b.duration_ps)}, ${digits(ratio)} times as long.`;
    const tiersA = byTier(a), tiersB = byTier(b);
    chart(this.lines, {
      x: [...Array(columns).keys()].map(c => c * end / columns), xLabel: 'time', xText: timeText, yLabel: a.quantity.label, yText: v => valueText(v, unit), range: unit === 'share' ? [0, 1.02] : undefined, text: this.text.textContent,
      lines: [...[...tiersA].map(([t, v]) => ({ label: `${a.fabric}: ${t}`, y: Array.from(onAxis(a, v, end)) })), ...[...tiersB].map(([t, v]) => ({ label: `${b.fabric}${b.fabric === a.fabric ? ' (with)' : ''}: ${t}`, y: Array.from(onAxis(b, v, end)) }))].filter(l => l.y.some(v => v > 0)).slice(0, 12),
    });
    const inB = new Map(b.links.name.map((n, k) => [n, b.links.link[k]]));
    const common = a.links.name.map((n, k) => ({ name: n, link: a.links.link[k], other: inB.get(n) })).filter(x => x.other !== undefined);
    this.perLink = common.length > a.links.rows / 2;
    const rows = this.perLink ? common.map(x => ({ ...x, d: minus(onAxis(b, row(b.matrix, x.other), end), onAxis(a, row(a.matrix, x.link), end)) }))
      : [...tiersA.keys()].filter(t => tiersB.has(t)).map(t => ({ name: t, link: -1, d: minus(onAxis(b, tiersB.get(t), end), onAxis(a, tiersA.get(t), end)) }));
    for (const r of rows) r.key = r.d.reduce((x, y) => Math.max(x, Math.abs(y)), 0);
    this.rows = rows.filter(r => r.key > 0).sort((x, y) => y.key - x.key).slice(0, 300);
    this.paint(a, unit);
  },
  paint(a, unit) {
    const most = this.rows.length ? this.rows[0].key : 0, h = Math.max(2, Math.min(14, 480 / Math.max(1, this.rows.length)));
    const { g, width } = prepare(this.canvas, Math.max(14, h * this.rows.length));
    this.rows.forEach((r, y) => { for (let c = 0; c < columns; c++) { g.fillStyle = css(differenceColour(r.d[c], most)); g.fillRect(c * width / columns, y * h, Math.ceil(width / columns), Math.ceil(h)); } });
    const bar = el('span', { class: 'ramp', 'aria-hidden': 'true' });
    bar.style.background = `linear-gradient(90deg,${differences[dark() ? 'dark' : 'light'].join(',')})`;
    this.scale.replaceChildren('difference of ', a.quantity.label, ': less by ', valueText(most, unit), bar, 'more by ', valueText(most, unit), ' in the second');
    this.canvas.setAttribute('aria-label', `differences of ${a.quantity.label} of ${this.rows.length} ${this.perLink ? 'links' : 'tiers'} over time; the table below has the largest`);
    this.canvas.dataset.rows = this.rows.length;
    this.list.replaceChildren(dataTable('largest differences', [this.perLink ? 'link' : 'tier', { text: 'largest difference', numeric: true }, { text: 'at', numeric: true }], this.rows.slice(0, 12).map(r => {
      const c = r.d.findIndex(v => Math.abs(v) === r.key);
      return { call: r.link >= 0 ? () => set({ links: r.link, time: Math.round(c * this.end / columns) }) : null, chosen: chosenLinks().includes(r.link), cells: [r.name, (r.d[c] > 0 ? 'more by ' : 'less by ') + valueText(r.key, unit), timeText(c * this.end / columns)] };
    })));
    this.unit = unit;
  },
  at(e) {
    const box = this.canvas.getBoundingClientRect();
    return { r: this.rows[Math.floor((e.clientY - box.top) / box.height * this.rows.length)], c: Math.max(0, Math.min(columns - 1, Math.floor((e.clientX - box.left) / box.width * columns))) };
  },
  hover(e) { const { r, c } = this.at(e); if (r) this.tip.textContent = `${r.name}, ${timeText(c * this.end / columns)}: ${r.d[c] < 0 ? 'less by ' : 'more by '}${valueText(Math.abs(r.d[c]), this.unit)}`; },
  click(e) { const { r, c } = this.at(e); if (r && r.link >= 0) set({ links: r.link, time: Math.round(c * this.end / columns) }); },
};
const minus = (a, b) => a.map((v, i) => v - b[i]);

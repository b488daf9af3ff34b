// Compare: several simulations on one time axis. A simulation has one colour, a tier one dash. Differences are between
// the chosen simulation and one other: of links with the same name, or of tiers if the fabrics have other links.
const columns = 120; // of the common time axis
const mostCompared = 6; // colours that can be told apart

// onAxis is the largest value of a row in each part of a time axis.
function onAxis(s, values, from, to) {
  const out = new Float32Array(columns), place = t => (t - from) / (to - from) * columns;
  for (let i = 0; i < s.matrix.intervals; i++) {
    const a = Math.max(0, Math.floor(place(timeOf(s, i)))), b = Math.min(columns - 1, Math.ceil(place(timeOf(s, i + 1))) - 1);
    for (let c = a; c <= b; c++) out[c] = Math.max(out[c], values[i]);
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
  id: 'compare', label: 'Compare', links: true, short: true,
  make(panel) {
    this.with = el('fieldset', { class: 'with' });
    this.other = el('select', { id: 'compare-other', onchange: e => { this.second = e.target.value; refresh(); } });
    this.text = el('div');
    this.scale = el('p', { class: 'note legend-line' });
    this.canvas = el('canvas', { class: 'compare', role: 'img', onpointermove: e => this.hover(e) });
    this.tip = el('p', { class: 'note' });
    this.list = el('div');
    this.lines = el('div', { class: 'card pad' });
    this.difference = el('div', {}, el('h3', {}, 'Differences'), el('div', { class: 'controls' }, control('of the chosen simulation and', this.other)), this.scale, zoomable(this.canvas, 'differences over time', e => this.timeAt(e), (a, b) => this.click(b)), this.tip, this.list);
    panel.append(this.with, this.text, el('h3', {}, 'Mean over the links of each tier'), this.lines, this.difference);
  },
  // chosen are the simulations beside the first: those of the address, or the one that is most like it.
  chosen(a, all) {
    const given = state.other.split(',').filter(k => k !== a.key && all.some(x => x.key === k)).slice(0, mostCompared - 1);
    if (given.length || state.other === 'none') return given;
    const like = all.filter(x => x.key !== a.key), best = like.find(x => x.size_bytes === a.size_bytes && x.phase === a.phase) ?? like[0];
    return best ? [best.key] : [];
  },
  boxes(a, all, keys) {
    const box = s => el('input', { type: 'checkbox', value: s.key, checked: keys.includes(s.key), disabled: !keys.includes(s.key) && keys.length >= mostCompared - 1, onchange: () => {
      const now = [...this.with.querySelectorAll('input:checked')].map(i => i.value);
      set({ other: now.join(',') || 'none' });
    } });
    this.with.replaceChildren(el('legend', {}, `beside ${simulationText(a)} (as many as ${mostCompared - 1})`), ...all.filter(s => s.key !== a.key).slice(0, 60).map(s => el('label', {}, box(s), ' ', simulationText(s))));
  },
  async draw(a) {
    const all = simulations().filter(x => x.interval_ps), keys = this.chosen(a, all);
    const others = await Promise.all(keys.map(k => scene(k, state.quantity).then(detailed))), scenes = [a, ...others], unit = a.quantity.unit;
    const focused = document.activeElement?.value; // the boxes are made again
    this.boxes(a, all, keys);
    if (focused) [...this.with.querySelectorAll('input')].find(i => i.value === focused)?.focus();
    const end = Math.max(...scenes.map(endTime)), w = windowOf(a);
    [this.from, this.to] = w.whole ? [0, end] : [w.from, w.to];
    this.scene = a;
    const named = scenes.map((s, k) => scenes.some((t, j) => j !== k && simulationText(t) === simulationText(s)) ? `${simulationText(s)} (${k + 1})` : simulationText(s));
    this.text.replaceChildren(dataTable('simulations that are compared', ['simulation', { text: 'took', numeric: true }, { text: 'of the first', numeric: true }, { text: `largest ${a.quantity.label}`, numeric: true }],
      scenes.map((s, k) => ({ cells: [el('span', { class: 'run' }, sample({ colour: k, dash: 0 }), named[k]), timeText(s.duration_ps), k ? digits(s.duration_ps / Math.max(1, a.duration_ps)) + ' times' : '', valueText((s.long ?? s).matrix.cells.reduce((x, y) => Math.max(x, y), 0), unit)] }))));
    const tiers = [...new Set(scenes.flatMap(s => s.links.tier))], sums = scenes.map(byTier), step = (this.to - this.from) / columns;
    const lines = scenes.flatMap((s, k) => [...sums[k]].map(([t, v]) => ({ colour: k, dash: tiers.indexOf(t) % dashes.length, label: `${named[k]}: ${t}`, y: Array.from(onAxis(s, v, this.from, this.to)) }))).filter(l => l.y.some(v => v > 0));
    this.lines.dataset.looks = lines.map(l => l.colour + ' ' + l.dash).join(', ');
    chart(this.lines, { x: Array.from({ length: columns }, (_, c) => this.from + c * step), xLabel: 'time', binary: unit === 'bytes', yLabel: a.quantity.label, yText: v => valueText(v, unit), range: unit === 'share' ? [0, 1.02] : undefined, text: `${a.quantity.label} of ${scenes.length} simulations by tier`, lines });
    this.difference.hidden = !others.length;
    if (!others.length) return;
    const b = others.find(s => s.key === this.second) ?? others[0];
    this.other.replaceChildren(...others.map((s, k) => el('option', { value: s.key, selected: s === b }, named[k + 1])));
    this.differences(a, b, unit);
  },
  differences(a, b, unit) {
    const inB = new Map(b.links.name.map((n, k) => [n, b.links.link[k]])), tiersA = byTier(a), tiersB = byTier(b), axis = (s, v) => onAxis(s, v, this.from, this.to);
    const common = a.links.name.map((n, k) => ({ name: n, link: a.links.link[k], other: inB.get(n) })).filter(x => x.other !== undefined);
    this.perLink = common.length > a.links.rows / 2;
    const rows = this.perLink ? common.map(x => ({ ...x, d: minus(axis(b, row(b.matrix, x.other)), axis(a, row(a.matrix, x.link))) }))
      : [...tiersA.keys()].filter(t => tiersB.has(t)).map(t => ({ name: t, link: -1, d: minus(axis(b, tiersB.get(t)), axis(a, tiersA.get(t))) }));
    for (const r of rows) r.key = r.d.reduce((x, y) => Math.max(x, Math.abs(y)), 0);
    this.rows = rows.filter(r => r.key > 0).sort((x, y) => y.key - x.key).slice(0, 300);
    this.paint(a, unit);
  },
  time(c) { return this.from + c * (this.to - this.from) / columns; },
  paint(a, unit) {
    const most = this.rows.length ? this.rows[0].key : 0, h = Math.max(2, Math.min(14, 480 / Math.max(1, this.rows.length))), tall = Math.max(14, h * this.rows.length);
    const { g, width } = prepare(this.canvas, tall + 22);
    g.font = '11px system-ui';
    const every = Math.ceil(13 / h), named = this.rows.filter((_, y) => y % every === 0);
    this.tall = tall;
    this.left = Math.min(width * 0.4, 10 + named.reduce((m, r) => Math.max(m, g.measureText(r.name).width), 0));
    const w = (width - this.left) / columns;
    timeAxis(g, this.left, width, tall, this.from, this.to);
    g.fillStyle = token('--soft');
    named.forEach((r, k) => g.fillText(fitted(g, r.name, this.left - 8), 0, k * every * h + 10.5));
    this.rows.forEach((r, y) => { for (let c = 0; c < columns; c++) { g.fillStyle = css(differenceColour(r.d[c], most)); fillColumn(g, this.left + c * w, this.left + (c + 1) * w, y * h, Math.ceil(h)); } });
    const bar = el('span', { class: 'ramp', 'aria-hidden': 'true' });
    bar.style.background = `linear-gradient(90deg,${differences[dark() ? 'dark' : 'light'].join(',')})`;
    this.scale.replaceChildren('difference of ', a.quantity.label, ': less by ', valueText(most, unit), bar, 'more by ', valueText(most, unit), ' in the second');
    this.canvas.setAttribute('aria-label', `differences of ${a.quantity.label} of ${this.rows.length} ${this.perLink ? 'links' : 'tiers'} over time; the table below has the largest`);
    this.canvas.dataset.rows = this.rows.length;
    this.list.replaceChildren(dataTable('largest differences', [this.perLink ? 'link' : 'tier', { text: 'largest difference', numeric: true }, { text: 'at', numeric: true }], this.rows.slice(0, 12).map(r => {
      const c = r.d.findIndex(v => Math.abs(v) === r.key);
      return { call: r.link >= 0 ? () => set({ links: r.link, time: Math.round(this.time(c)) }) : null, chosen: chosenLinks().includes(r.link), cells: [r.name, (r.d[c] > 0 ? 'more by ' : 'less by ') + valueText(r.key, unit), timeText(this.time(c))] };
    })));
    this.unit = unit;
  },
  at(e) {
    const box = this.canvas.getBoundingClientRect(), x = (e.clientX - box.left - this.left) / (box.width - this.left);
    return { r: this.rows[Math.floor((e.clientY - box.top) / this.tall * this.rows.length)], c: Math.max(0, Math.min(columns - 1, Math.floor(x * columns))) };
  },
  timeAt(e) { return this.time(this.at(e).c); },
  hover(e) { const { r, c } = this.at(e); if (r) this.tip.textContent = `${r.name}, ${timeText(this.time(c))}: ${r.d[c] < 0 ? 'less by ' : 'more by '}${valueText(Math.abs(r.d[c]), this.unit)}`; },
  click(e) { const { r, c } = this.at(e); if (r && r.link >= 0) set({ links: r.link, time: Math.round(this.time(c)) }); },
};
const minus = (a, b) => a.map((v, i) => v - b[i]);

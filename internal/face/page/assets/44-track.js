// Rank: the steps of one rank, and beside them what its NICs did: messages, pauses, waits, marks, drops.

// ranksOf is the ranks of a simulation with their NICs. A rank is a GPU if the series has GPUs, otherwise a NIC; the
// rank of a training step is a stage, which has no NIC of its own.
async function ranksOf(s) {
  const T = await rowsOf('steps', s), N = s.nodes, of = kind => [...N.node.keys()].filter(i => N.kind[i] === kind);
  const gpus = of('gpu'), nics = of('nic'), all = gpus.length ? gpus : nics;
  const stepped = [...new Set(T.rank)].sort((a, b) => a - b), ranks = stepped.length ? stepped : nics.map((_, k) => k);
  const byHost = list => { const m = new Map(); for (const i of list) m.set(N.host[i], [...(m.get(N.host[i]) ?? []), i]); return m; };
  const hostNICs = byHost(nics), hostGPUs = byHost(gpus);
  return ranks.map(rank => {
    const own = all[rank], near = own === undefined ? [] : gpus.length ? hostNICs.get(N.host[own]) ?? [] : [own], peers = gpus.length && own !== undefined ? hostGPUs.get(N.host[own]) : [];
    const mine = gpus.length && near.length === peers.length ? [near[peers.indexOf(own)]] : near;
    return { rank, nics: mine.map(i => N.node[i]), text: `rank ${rank}${mine.length ? ': ' + mine.map(i => N.name[i]).slice(0, 2).join(', ') + (mine.length > 2 ? ', …' : '') : ''}` };
  });
}

const track = {
  id: 'track', label: 'Ranks', links: true, short: true,
  make(panel) {
    this.choice = el('select', { id: 'track-rank', onchange: e => set({ rank: e.target.value }, true) });
    this.text = el('p', { class: 'note' });
    this.canvas = el('canvas', { class: 'ranks', role: 'img', onpointermove: e => this.hover(e) });
    this.tip = el('p', { class: 'note' }, 'A click chooses the time and, on a line of a link, the link.');
    this.list = el('div');
    panel.append(el('div', { class: 'controls' }, control('rank', this.choice)), this.text, zoomable(this.canvas, 'one rank over time', e => this.timeAt(e), (a, b) => this.click(b)), this.tip, el('h3', {}, 'What happened at its links'), this.list);
  },
  async draw(s) {
    const [ranks, T, F, ...matrices] = await Promise.all([ranksOf(s), rowsOf('steps', s), rowsOf('flows', s), ...['utilisation', 'stopped', 'queue', 'marks', 'drops'].map(q => matrixOf(s, about.quantities.find(x => x.id === q)))]);
    const chosen = ranks.find(r => String(r.rank) === state.rank) ?? ranks[0];
    this.choice.replaceChildren(...ranks.slice(0, 4096).map(r => el('option', { value: r.rank, selected: r === chosen }, r.text)));
    this.scene = s;
    this.rows = chosen ? this.lines(s, chosen, T, F, Object.fromEntries(['utilisation', 'stopped', 'queue', 'marks', 'drops'].map((q, i) => [q, matrices[i]]))) : [];
    this.text.textContent = !chosen ? 'The simulation has no ranks.' : chosen.nics.length ? `Its NICs: ${chosen.nics.map(n => nodeName(s, n)).join(', ')}.` : 'No NIC belongs to this rank alone.';
    this.paint(s);
    this.events(s);
  },
  // lines are the rows of the picture: bars from one time to another, or a value for each interval of a link.
  lines(s, r, T, F, M) {
    const rows = [], nics = new Set(r.nics);
    for (const lane of [...new Set([...Array(T.rows).keys()].filter(i => T.rank[i] === r.rank).map(i => T.lane[i]))].sort((a, b) => a - b).slice(0, 8))
      rows.push({ name: lane < 0 ? 'steps' : 'steps, lane ' + lane, bars: [...Array(T.rows).keys()].filter(i => T.rank[i] === r.rank && T.lane[i] === lane).map(i => ({ from: T.start_ps[i], to: T.end_ps[i], colour: T.step[i], text: `${T.name[i]}, step ${T.step[i]}${T.bytes[i] ? ', ' + bytesText(T.bytes[i]) : ''}` })) });
    const messages = (name, own, other, word) => {
      const all = [...Array(F.rows).keys()].filter(i => nics.has(F[own][i])).sort((a, b) => F.start_ps[a] - F.start_ps[b]), free = [];
      for (const i of all) { // a message takes the first line that is free
        let k = free.findIndex(line => line.end <= F.start_ps[i]);
        if (k < 0 && free.length < 6) k = free.push({ end: 0, bars: [] }) - 1;
        if (k < 0) k = free.length - 1;
        free[k].bars.push({ from: F.start_ps[i], to: F.end_ps[i], colour: other === 'dst_node' ? 0 : 3, text: `${bytesText(F.bytes[i])} ${word} ${nodeName(s, F[other][i])}, took ${timeText(F.end_ps[i] - F.start_ps[i])}` });
        free[k].end = F.end_ps[i];
      }
      free.forEach((line, k) => rows.push({ name: k ? '' : name, bars: line.bars }));
    };
    messages('messages sent', 'src_node', 'dst_node', 'to');
    messages('messages received', 'dst_node', 'src_node', 'from');
    const both = { utilisation: ['sent', 'share', 1], stopped: ['was stopped', 'share', 1], queue: ['queue', 'bytes', 0], marks: ['marks', 'packets', 0], drops: ['drops', 'packets', 0] };
    s.links.link.forEach((link, k) => {
      const out = nics.has(s.links.from_node[k]);
      if (!out && !nics.has(s.links.to_node[k]) || s.links.tier[k] === 'scale-up') return;
      for (const [q, [word, unit, top]] of Object.entries(both)) {
        const values = row(M[q], link), most = top || values.reduce((a, b) => Math.max(a, b), 0);
        if (values.some(v => v > 0)) rows.push({ name: `${s.links.name[k]}: ${word}`, link, q, values, unit, most });
      }
    });
    return rows.slice(0, 60);
  },
  paint(s) {
    const w = windowOf(s), h = 18, { g, width } = prepare(this.canvas, Math.max(30, this.rows.length * h + 22)), palette = colours(), tall = this.rows.length * h;
    g.font = '11px system-ui';
    const left = this.left = Math.min(width * 0.4, 10 + this.rows.reduce((m, r) => Math.max(m, g.measureText(r.name).width), 0)), x = timeAxis(g, left, width, tall, w.from, w.to);
    this.rows.forEach((r, y) => { g.fillStyle = token('--soft'); g.fillText(fitted(g, r.name, left - 8), 0, y * h + 13); });
    const every = perPixel(w, width - left);
    g.save();
    g.beginPath();
    g.rect(left, 0, width - left, tall);
    g.clip();
    this.rows.forEach((r, y) => {
      for (const b of r.bars ?? []) {
        if (b.to < w.from || b.from > w.to) continue;
        g.fillStyle = palette[b.colour % 6];
        g.fillRect(x(b.from), y * h + 2, Math.max(1, x(b.to) - x(b.from) - 0.5), h - 4);
      }
      if (r.values) for (let t = w.a; t < w.b; t += every) {
        const v = r.values.subarray(t, Math.min(w.b, t + every)).reduce((a, b) => Math.max(a, b), 0);
        if (!(v > 0)) continue;
        g.fillStyle = css(colourOf(v, r.most));
        fillColumn(g, x(timeOf(s, t)), x(timeOf(s, t + every)), y * h + 2, h - 4);
      }
    });
    drawMoments(g, s, x, w, 0, tall);
    g.fillStyle = token('--ink');
    g.fillRect(x(chosenTime(s)), 0, 1, tall);
    g.restore();
    Object.assign(this.canvas.dataset, { rows: this.rows.map(r => r.name).join('; '), from: w.from, to: w.to });
    this.canvas.setAttribute('aria-label', `${this.choice.selectedOptions[0]?.textContent ?? ''} from ${timeText(w.from)} to ${timeText(w.to)}: ${this.rows.length} lines; the table below has the events of its links`);
  },
  // events are the times in which its links were stopped, marked or dropped packets, the first of the window.
  events(s) {
    const w = windowOf(s), list = [];
    for (const r of this.rows) if (['stopped', 'marks', 'drops'].includes(r.q)) for (let t = w.a; t < w.b; t++) if (r.values[t] > 0 && !(t > w.a && r.values[t - 1] > 0)) list.push({ t, r, until: endOf(r.values, t, w.b) });
    list.sort((a, b) => a.t - b.t);
    this.list.replaceChildren(list.length ? dataTable('events of the rank', ['link', { text: 'from', numeric: true }, { text: 'to', numeric: true }, { text: 'largest value', numeric: true }], list.slice(0, 20).map(({ t, r, until }) => ({
      call: () => set({ time: timeOf(s, t), links: r.link }), chosen: chosenColumn(s) === t && chosenLinks().includes(r.link), cells: [r.name, timeText(timeOf(s, t)), timeText(timeOf(s, until)), valueText(r.values.subarray(t, until).reduce((a, b) => Math.max(a, b), 0), r.unit)] })))
      : el('p', { class: 'note' }, 'In this time no link of the rank was stopped, marked or dropped a packet.'));
  },
  timeAt(e) {
    const box = this.canvas.getBoundingClientRect(), w = windowOf(this.scene);
    return w.from + Math.max(0, Math.min(0.9999, (e.clientX - box.left - this.left) / (box.width - this.left))) * (w.to - w.from);
  },
  rowAt(e) { return this.rows[Math.floor((e.clientY - this.canvas.getBoundingClientRect().top) / 18)]; },
  hover(e) {
    const r = this.scene && this.rowAt(e);
    if (!r) return;
    const t = this.timeAt(e), bar = r.bars?.find(b => b.from <= t && t < b.to);
    if (bar) this.tip.textContent = `${bar.text}: ${timeText(bar.from)} to ${timeText(bar.to)}`;
    if (r.values) this.tip.textContent = `${r.name}, ${timeText(t)}: ${valueText(r.values[intervalOf(this.scene, t)] ?? 0, r.unit)}`;
  },
  click(e) {
    const r = this.rowAt(e);
    set({ time: Math.round(this.timeAt(e)), ...(r?.link >= 0 ? { links: r.link } : {}) });
  },
};

// endOf is the number of the interval after those above 0 from a number on.
function endOf(values, t, end) {
  while (t < end && values[t] > 0) t++;
  return t;
}

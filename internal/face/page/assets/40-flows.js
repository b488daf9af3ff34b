// Flows: messages by their time. The distribution with its tail, the slowest with path and cost of each hop, and
// the steps of a collective by rank.
const flowKey = (F, i) => [F.src_node[i], F.connection[i], F.start_ps[i]].join('_');
const nodeName = (s, n) => s.nodes.name[s.nodes.node.indexOf(n)] ?? 'node ' + n;

// slowest are the numbers of the flows in order, the slowest first.
const slowest = F => [...Array(F.rows).keys()].sort((a, b) => (F.end_ps[b] - F.start_ps[b]) - (F.end_ps[a] - F.start_ps[a]) || a - b);

// hopsOf is the path of a flow, with the cost of each hop; empty if it was not recorded.
async function hopsOf(s, key) {
  const H = await rowsOf('flow_hops', s);
  return [...Array(H.rows).keys()].filter(i => flowKey(H, i) === key).sort((a, b) => H.hop[a] - H.hop[b])
    .map(i => ({ link: H.link[i], wait: H.queue_wait_ps[i], stopped: H.stopped_ps[i], name: s.links.name[s.links.link.indexOf(H.link[i])] ?? 'link ' + H.link[i] }));
}

// chooseFlow chooses a flow, and with it the links of its path and the time of its beginning.
async function chooseFlow(s, key, start) {
  const hops = await hopsOf(s, key);
  set({ flow: key, time: start, ...(hops.length ? { links: hops.map(h => h.link).join(',') } : {}) }, true);
}

const flows = {
  id: 'flows', label: 'Flows',
  make(panel) {
    this.summary = el('p');
    this.cdf = el('div', { class: 'card pad' });
    this.list = el('div');
    this.path = el('div');
    this.gantt = gantt('steps of the ranks', true);
    panel.append(this.summary, el('h3', {}, 'Distribution of the times of messages'), this.cdf, el('h3', {}, 'The slowest messages'), this.list, this.path, this.gantt.place);
  },
  async draw(s) {
    const [F, steps] = await Promise.all([rowsOf('flows', s), rowsOf('steps', s)]);
    const order = slowest(F), n = order.length;
    this.summary.textContent = n ? `${s.flows} messages between NICs${s.flows > n ? `, of which the ${n} slowest are here` : ''}. ` : 'No message between NICs was recorded.';
    const times = order.map(i => F.end_ps[i] - F.start_ps[i]).reverse();
    const missing = s.flows - n; // faster than all that were kept
    if (n) {
      const quantile = q => { const k = Math.ceil(q * s.flows) - 1 - missing; return k >= 0 ? timeText(times[Math.min(n - 1, k)]) : 'faster than kept'; };
      this.summary.append(`Half took at most ${quantile(0.5)}, 99 % ${quantile(0.99)}, 99.9 % ${quantile(0.999)}, the slowest ${timeText(times[n - 1])}.`);
      const points = times.map((t, k) => [t, (missing + k + 1) / s.flows]).filter((p, k) => k === n - 1 || times[k + 1] !== p[0]);
      chart(this.cdf, { x: points.map(p => p[0]), lines: [{ label: 'messages that took at most this', y: points.map(p => p[1]) }], xLabel: 'time of a message', xText: timeText, yLabel: 'share', yText: v => digits(100 * v) + ' %', range: [0, 1.02], steps: true, logX: times[0] > 0 && times[n - 1] > 4 * times[0], height: 240, text: this.summary.textContent });
    } else this.cdf.replaceChildren();
    this.list.replaceChildren(dataTable('slowest messages', ['message', { text: 'bytes', numeric: true }, { text: 'began', numeric: true }, { text: 'took', numeric: true }, { text: 'Gbit/s', numeric: true }, { text: 'sent again', numeric: true }],
      order.slice(0, 12).map(i => ({ chosen: state.flow === flowKey(F, i), call: () => chooseFlow(s, flowKey(F, i), F.start_ps[i]),
        cells: [`${nodeName(s, F.src_node[i])} to ${nodeName(s, F.dst_node[i])}`, bytesText(F.bytes[i]), timeText(F.start_ps[i]), timeText(F.end_ps[i] - F.start_ps[i]), digits(F.rate_gbps[i]), F.retransmissions[i]] }))));
    await this.hops(s);
    this.gantt.draw({ ...s, ownTime: true }, steps, () => '', 'rank');
  },
  async hops(s) {
    this.path.replaceChildren();
    if (!state.flow) return;
    const hops = await hopsOf(s, state.flow);
    this.path.append(el('h3', {}, 'Path of the chosen message'), hops.length ? hopTable(hops)
      : el('p', { class: 'note' }, 'Its path was not recorded: it is not among the slowest 256, it is a READ, or its switches choose the path of each packet.'));
    if (hops.length) this.path.append(el('button', { type: 'button', onclick: () => set({ view: 'why' }, true) }, 'Why was it slow?'));
  },
};

const hopTable = hops => dataTable('path and cost of each hop', ['hop', { text: 'mean wait of a packet in the queue', numeric: true }, { text: 'lane was stopped for', numeric: true }],
  hops.map(h => ({ cells: [h.name, timeText(h.wait), timeText(h.stopped)], chosen: chosenLinks().includes(h.link), call: () => set({ links: h.link }) })));

// gantt is a picture of steps: a row for each rank, or for each rank and stream. One in the time of the links zooms.
function gantt(label, zooms) {
  const canvas = el('canvas', { class: 'gantt', role: 'img' }), tip = el('p', { class: 'note' }), title = el('h3', {}, label[0].toUpperCase() + label.slice(1));
  const g = { canvas, click: () => {}, timeAt: () => 0 };
  const frame = zooms ? zoomable(canvas, label, e => g.timeAt(e), (a, b) => g.click(b)) : el('div', { class: 'card pad' }, canvas);
  if (!zooms) canvas.onclick = e => g.click(e);
  g.place = el('div', {}, title, frame, tip);
  g.draw = (s, T, lineOf, who, look, call) => {
    g.place.hidden = !T.rows;
    if (!T.rows) return;
    const key = i => T.rank[i] + ' ' + lineOf(i), keys = new Map();
    for (let i = 0; i < T.rows; i++) if (!keys.has(key(i))) keys.set(key(i), { rank: T.rank[i], line: lineOf(i) });
    const rows = [...keys.entries()].sort((a, b) => a[1].rank - b[1].rank || (a[1].line < b[1].line ? -1 : 1));
    const at = new Map(rows.map(([k], y) => [k, y]));
    const h = Math.max(3, Math.min(20, 520 / rows.length));
    const { g: c, width, height } = prepare(canvas, Math.ceil(h * rows.length) + 22);
    c.font = '11px system-ui';
    const names = rows.map(([, r]) => `${who} ${r.rank}${r.line ? ' ' + r.line : ''}`);
    const left = Math.min(width / 2, 10 + names.reduce((w, n) => Math.max(w, c.measureText(n).width), 0));
    const end = T.end_ps.reduce((a, b) => Math.max(a, b), 1), w = s.ownTime ? windowOf(s) : { from: 0, to: end }, right = width - 4;
    const x = timeAxis(c, left, right, Math.ceil(h * rows.length) + 2, w.from, w.to);
    c.save();
    c.beginPath();
    c.rect(left, 0, right - left, h * rows.length);
    c.clip();
    const palette = [0, 1, 2, 3, 4, 5].map(i => token('--c' + i));
    for (let i = 0; i < T.rows; i++) {
      if (T.end_ps[i] < w.from || T.start_ps[i] > w.to) continue;
      const y = at.get(key(i)) * h;
      c.fillStyle = look ? look(i, palette) : palette[T.step[i] % 6];
      c.fillRect(x(T.start_ps[i]), y + (h > 6 ? 1 : 0), Math.max(1, x(T.end_ps[i]) - x(T.start_ps[i]) - 0.5), h - (h > 6 ? 2 : 0.5));
    }
    const now = s.ownTime ? x(chosenTime(s)) : Infinity;
    if (now <= width) { c.fillStyle = token('--ink'); c.fillRect(now, 0, 1, height); }
    c.restore();
    c.fillStyle = token('--soft');
    c.font = '11px system-ui';
    rows.forEach((_, y) => { if (h >= 12 || y % Math.ceil(14 / h) === 0) c.fillText(names[y], 2, y * h + Math.max(9, Math.min(h, 14) - 3), left - 6); });
    canvas.setAttribute('aria-label', `${label}: ${T.rows} steps of ${new Set(T.rank).size} ${who}s, until ${timeText(end)}; the table steps.parquet has them`);
    canvas.dataset.rows = T.rows;
    const find = e => {
      const box = canvas.getBoundingClientRect(), t = w.from + (e.clientX - box.left - left) / (right - left) * (w.to - w.from), row = rows[Math.floor((e.clientY - box.top) / h)];
      if (!row) return -1;
      for (let i = 0; i < T.rows; i++) if (key(i) === row[0] && T.start_ps[i] <= t && t < T.end_ps[i]) return i;
      return -1;
    };
    const text = i => `${who} ${T.rank[i]}, ${T.name[i]}${T.stream[i] ? ', ' + T.stream[i] : ', step ' + T.step[i]}: ${timeText(T.start_ps[i])} to ${timeText(T.end_ps[i])}${T.bytes[i] ? ', ' + bytesText(T.bytes[i]) : ''}`;
    canvas.onpointermove = e => { const i = find(e); if (i >= 0) tip.textContent = text(i); };
    g.click = e => { const i = find(e); if (i >= 0) call ? call(i) : set({ time: T.start_ps[i] }); };
    g.timeAt = e => w.from + Math.max(0, Math.min(1, (e.clientX - canvas.getBoundingClientRect().left - left) / (right - left))) * (w.to - w.from);
  };
  return g;
}

// Switches: what one switch did over time: its PFC, its ECN or FECN marks, its waits for credits, its queues and drops.
const switches = {
  id: 'switches', label: 'Switches', links: true, short: true,
  make(panel) {
    this.choice = el('select', { id: 'switch', onchange: e => set({ switch: e.target.value }, true) });
    this.text = el('p', { class: 'note' });
    this.charts = el('div');
    this.list = el('div');
    panel.append(el('div', { class: 'controls' }, control('switch', this.choice)), this.text, this.charts, el('h3', {}, 'All switches in the time that is shown'), this.list);
  },
  // quantities are what is shown, each from a matrix, over the links from the switch or to it.
  quantities(s) {
    const credits = s.protocol === 'infiniband';
    return [
      { id: 'stopped', to: false, mean: true, text: credits ? 'its ports wait for credits' : 'its ports are paused by PFC', unit: 'share' },
      { id: 'stopped', to: true, mean: true, text: credits ? 'ports that send to it wait for credits' : 'PFC of the switch pauses those who send to it', unit: 'share' },
      { id: 'marks', text: credits ? 'packets that it marks with FECN' : 'packets that it marks with ECN', unit: 'packets' },
      { id: 'queue', most: true, text: 'its longest queue', unit: 'bytes' },
      { id: 'drops', text: 'drops at its ports', unit: 'packets' },
    ];
  },
  async draw(s) {
    const all = this.quantities(s), ids = [...new Set(all.map(q => q.id))];
    const M = Object.fromEntries(await Promise.all(ids.map(async q => [q, await matrixOf(s, about.quantities.find(x => x.id === q))])));
    const nodes = [...s.nodes.node.keys()].filter(i => s.nodes.kind[i] === 'switch'), n = s.matrix.intervals;
    const links = new Map(nodes.map(i => [s.nodes.node[i], { from: [], to: [] }]));
    s.links.link.forEach((l, k) => { links.get(s.links.from_node[k])?.from.push(l); links.get(s.links.to_node[k])?.to.push(l); });
    // of adds the values of a switch's links, or takes their mean or the largest.
    const of = (node, q) => {
      const own = links.get(node)[q.to ? 'to' : 'from'], out = new Float64Array(n);
      for (const l of own) { const v = row(M[q.id], l); for (let t = 0; t < Math.min(n, v.length); t++) out[t] = q.most ? Math.max(out[t], v[t]) : out[t] + v[t]; }
      return q.mean && own.length ? out.map(v => v / own.length) : out;
    };
    const w = windowOf(s), total = (values, q) => { let v = 0; for (let t = w.a; t < w.b; t++) v = q.most ? Math.max(v, values[t]) : v + values[t]; return q.mean ? v / (w.b - w.a) : v; };
    const rows = nodes.slice(0, 2000).map(i => ({ node: s.nodes.node[i], name: s.nodes.name[i], values: all.map(q => total(of(s.nodes.node[i], q), q)) }));
    const order = [...rows].sort((a, b) => b.values[1] - a.values[1] || b.values[0] - a.values[0] || b.values[2] - a.values[2] || b.values[3] - a.values[3] || a.node - b.node);
    const chosen = rows.find(r => String(r.node) === state.switch) ?? order[0];
    this.choice.replaceChildren(...rows.map(r => el('option', { value: r.node, selected: r === chosen }, r.name)));
    if (!chosen) { this.text.textContent = 'The fabric has no switch.'; this.charts.replaceChildren(); this.list.replaceChildren(); return; }
    const shown = all.map(q => ({ q, values: of(chosen.node, q) })), seen = shown.filter(x => x.values.some(v => v > 0)), idle = shown.filter(x => !seen.includes(x));
    this.text.textContent = idle.length ? `Never at ${chosen.name}: ${idle.map(x => x.q.text).join('; ')}.` : '';
    this.charts.replaceChildren(...seen.map(x => x.place = el('div', { class: 'card pad', 'data-what': x.q.text })));
    for (const { q, values, place } of seen) chart(place, { x: Array.from({ length: n }, (_, i) => timeOf(s, i)), scene: s, mark: chosenTime(s), height: 170, xLabel: 'time', yLabel: q.unit, binary: q.unit === 'bytes', yText: v => valueText(v, q.unit), text: `${chosen.name}: ${q.text}, over time`, lines: [{ label: `${chosen.name}: ${q.text}${q.mean ? ', mean of its ports' : q.most ? '' : ', in an interval'}`, y: Array.from(values) }] });
    this.list.replaceChildren(dataTable('switches', ['switch', ...all.map(q => ({ text: q.text, numeric: true }))], order.slice(0, 40).map(r => ({
      chosen: r === chosen, call: () => set({ switch: r.node }, true), cells: [r.name, ...r.values.map((v, i) => valueText(v, all[i].unit))] }))));
  },
};

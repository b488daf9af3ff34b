// Map: the topology in layers. A place is a node, or all nodes of a layer that belong together; a line is the links
// between two places in both directions, in the colour of the largest value. The focus opens a pod or a node.
const manyNodes = 2600; // more are shown as groups
const layerNames = { 3: 'cores', 2: 'spines', 1: 'leaves', 0: 'NICs', '-1': 'GPUs', '-2': 'scale-up switches' };

const map = {
  id: 'map', label: 'Map', links: true, short: true,
  make(panel) {
    this.path = el('nav', { class: 'controls', 'aria-label': 'part of the network' });
    this.legend = el('div');
    this.canvas = el('canvas', { class: 'map', role: 'img', onclick: e => this.click(e), onpointermove: e => this.hover(e), onwheel: e => this.zoom(e) });
    this.tip = el('p', { class: 'note' });
    this.list = el('div');
    panel.append(this.path, this.legend, el('div', { class: 'card pad' }, this.canvas), this.tip, this.list);
  },
  draw(s) {
    const wanted = s.key.split('.')[0] + s.fabric + state.focus;
    if (!this.plan || this.planned !== wanted) {
      this.plan = planOf(s, state.focus);
      this.planned = wanted;
    }
    this.scene = s;
    this.crumbs();
    this.paint();
    this.legend.replaceChildren(legend(s));
    const at = chosenColumn(s);
    const shown = new Set(this.plan.lines.flatMap(l => l.links));
    const rows = ranked(s, 'now', '').filter(r => shown.has(r.link)).slice(0, 12);
    this.list.replaceChildren(linkTable(s, rows));
    if (rows.length) probe(this.canvas, s, rows[0].link, at);
    this.canvas.setAttribute('aria-label', `${s.fabric}: ${this.plan.places.length} places in ${this.plan.layers.length} layers, links coloured by ${s.quantity.label} at ${timeText(timeOf(s, at))}; the table below has the links with the largest values`);
    this.tip.textContent = 'A click on a place opens it, a click on a line chooses its links.';
  },
  // crumbs lead from the whole network to the focus, and are the places for the keyboard.
  crumbs() {
    const groups = this.plan.groups.map(g => el('option', { value: 'group:' + g, selected: state.focus === 'group:' + g }, (this.plan.pods ? 'pod ' : 'group ') + g));
    const switches = this.plan.switches.map(n => el('option', { value: 'node:' + n.node, selected: state.focus === 'node:' + n.node }, n.name));
    this.path.replaceChildren(control('part', el('select', { id: 'map-focus', onchange: e => set({ focus: e.target.value }, true) },
      el('option', { value: '' }, 'whole network'), groups.length > 1 ? el('optgroup', { label: 'pods' }, groups) : null, el('optgroup', { label: 'ports of a switch' }, switches))));
  },
  paint() {
    const s = this.scene, p = this.plan, gap = 110;
    const { g, width, height } = prepare(this.canvas, 50 + (p.layers.length - 1) * gap + 30);
    const at = chosenColumn(s), most = scaleMost(s), chosen = new Set(chosenLinks()), edge = 30;
    p.layers.forEach((layer, y) => layer.places.forEach((q, i) => { q.x = edge + (width - 2 * edge) * (i + 0.5) / layer.places.length; q.y = 34 + y * gap; }));
    const values = p.lines.map(l => l.links.reduce((v, link) => Math.max(v, s.matrix.at(link, at)), 0));
    const order = [...p.lines.keys()].sort((a, b) => values[a] - values[b]); // the largest on top
    for (const i of order) {
      const l = p.lines[i], picked = l.links.some(x => chosen.has(x));
      if (picked) line(g, l, 7, token('--c1'));
      line(g, l, values[i] > 0 ? 2.2 : 1, css(colourOf(values[i], most)));
    }
    const counted = p.lines.filter(l => cablesOf(s, l.links) > 1);
    this.canvas.dataset.cables = counted.map(l => `${l.from.label} ${l.to.label} ${cablesOf(s, l.links)}`).join('; ');
    if (counted.length <= 60) for (const l of counted) countText(g, l, cablesOf(s, l.links));
    g.textAlign = 'center';
    p.layers.forEach((layer, y) => {
      const room = (width - 2 * edge) / layer.places.length, r = Math.max(1.5, Math.min(7, room / 2.6));
      for (const q of layer.places) {
        g.fillStyle = token('--ink');
        g.beginPath();
        g.arc(q.x, q.y, q.nodes.length > 1 ? Math.max(r, 4) : r, 0, 7);
        g.fill();
        if (q.nodes.length > 1) { g.strokeStyle = token('--soft'); g.lineWidth = 1; g.beginPath(); g.arc(q.x, q.y, Math.max(r, 4) + 3, 0, 7); g.stroke(); }
      }
      g.fillStyle = token('--soft');
      g.font = '12px system-ui';
      const widest = layer.places.reduce((w, q) => Math.max(w, g.measureText(q.label).width), 0);
      const below = y === p.layers.length - 1;
      if (widest + 8 < room) for (const q of layer.places) textOver(g, q.label, within(q.x, g.measureText(q.label).width / 2 + 2, width), q.y + (below ? 22 : -14));
      else { g.textAlign = 'left'; g.fillText(layer.label, 4, 34 + y * gap + (below ? 24 : -14)); g.textAlign = 'center'; }
    });
    this.values = values;
  },
  // under is the place or line at a point of the canvas.
  under(e) {
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    let best = null, least = 12;
    for (const q of this.plan.places) { const d = Math.hypot(q.x - x, q.y - y); if (d < least) { least = d; best = { place: q }; } }
    if (best) return best;
    least = 6;
    this.plan.lines.forEach((l, i) => { const d = distance(l, x, y); if (d < least) { least = d; best = { line: l, value: this.values[i] }; } });
    return best;
  },
  hover(e) {
    const u = this.scene && this.under(e);
    if (!u) return;
    const unit = this.scene.quantity.unit;
    this.tip.textContent = u.place ? `${u.place.label}${u.place.nodes.length > 1 ? ', ' + u.place.nodes.length + ' nodes' : ''}`
      : `${u.line.from.label} – ${u.line.to.label}, ${counted(cablesOf(this.scene, u.line.links), 'cable')}: at most ${valueText(u.value, unit)}`;
  },
  click(e) {
    const u = this.under(e);
    if (!u) return;
    if (u.line) set({ links: u.line.links.slice(0, 64).join(',') });
    else set({ focus: u.place.focus }, true);
  },
  // zoom opens the place under the pointer, or closes the focus.
  zoom(e) {
    if (!e.ctrlKey || !this.scene) return; // the wheel alone scrolls the page
    e.preventDefault();
    const u = this.under(e);
    if (e.deltaY > 0) set({ focus: '' }, true);
    else if (u?.place) set({ focus: u.place.focus }, true);
  },
};

// cablesOf is the number of cables of links, which have a link in each direction.
const cablesOf = (s, links) => {
  s.links.number ??= new Map(s.links.link.map((l, k) => [l, k]));
  return new Set(links.map(l => { const back = s.links.back[s.links.number.get(l)]; return back < 0 ? l : Math.min(l, back); })).size;
};

// within moves the middle of a text so far that the text is not cut off.
const within = (x, half, width) => Math.max(half, Math.min(width - half, x));

// countText writes the number of parallel cables beside the middle of their line.
function countText(g, l, n) {
  const x = l.from.x + (l.to.x - l.from.x) * 0.36, y = l.from.y === l.to.y ? l.from.y - 22 : l.from.y + (l.to.y - l.from.y) * 0.36, text = counted(n, 'cable');
  g.font = '11px system-ui';
  g.textAlign = 'center';
  textOver(g, text, x, y + 4, '--ink');
}

// textOver writes a text, centred, that hides the lines behind it.
function textOver(g, text, x, y, colour = '--soft') {
  const w = g.measureText(text).width + 8;
  g.fillStyle = token('--card');
  g.fillRect(x - w / 2, y - 12, w, 16);
  g.fillStyle = token(colour);
  g.fillText(text, x, y);
}

function line(g, l, width, colour) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  g.moveTo(l.from.x, l.from.y);
  if (l.from.y === l.to.y) g.quadraticCurveTo((l.from.x + l.to.x) / 2, l.from.y - 40, l.to.x, l.to.y);
  else g.lineTo(l.to.x, l.to.y);
  g.stroke();
}

function distance(l, x, y) {
  const dx = l.to.x - l.from.x, dy = l.to.y - l.from.y, n = dx * dx + dy * dy;
  const t = n ? Math.max(0, Math.min(1, ((x - l.from.x) * dx + (y - l.from.y) * dy) / n)) : 0;
  return Math.hypot(l.from.x + t * dx - x, l.from.y + t * dy - y);
}

// planOf is the places and lines of a part of the network: '' for all, group:N, or node:N with its ports.
function planOf(s, focus) {
  const N = s.nodes, L = s.links, [kind, text] = focus.split(':'), target = Number(text);
  const index = new Map(N.node.map((n, i) => [n, i]));
  const scaleUp = i => N.layer[i] < 0;
  const far = new Set();
  if (kind === 'node') L.link.forEach((_, k) => { if (L.from_node[k] === target) far.add(L.to_node[k]); });
  const leafOf = new Map(); // a NIC's switch
  L.link.forEach((_, k) => { const a = index.get(L.from_node[k]), b = index.get(L.to_node[k]); if (N.layer[a] === 0 && N.layer[b] > 0) leafOf.set(N.node[a], N.node[b]); });
  const network = N.node.filter((_, i) => !scaleUp(i)).length;
  const podOf = i => N.group[i] >= 0 ? N.group[i] : N.layer[i] === 0 && leafOf.has(N.node[i]) ? N.group[index.get(leafOf.get(N.node[i]))] : -1;
  const groups = [...new Set(N.node.map((_, i) => podOf(i)).filter(g => g >= 0))].sort((a, b) => a - b);
  // key is the place of a node; '' leaves it out.
  const key = i => {
    const own = 'n' + N.node[i], pod = podOf(i);
    if (kind === 'node') return N.node[i] === target || far.has(N.node[i]) ? own : '';
    if (scaleUp(i)) return '';
    if (kind === 'group') return pod === target ? own : `l${N.layer[i]}g${pod}`;
    if (network <= manyNodes) return own;
    if (groups.length > 1) return `l${N.layer[i]}g${pod}`;
    return N.layer[i] === 0 ? 'h' + leafOf.get(N.node[i]) : own;
  };
  const places = new Map();
  N.node.forEach((n, i) => {
    const k = key(i);
    if (!k) return;
    if (!places.has(k)) places.set(k, { key: k, layer: N.layer[i], nodes: [], at: N.position[i] });
    places.get(k).nodes.push(i);
  });
  for (const p of places.values()) {
    const i = p.nodes[0], pod = podOf(i);
    p.label = p.nodes.length === 1 ? N.name[i] : p.key[0] === 'h' ? `NICs of ${N.name[index.get(leafOf.get(N.node[i]))]}` : pod >= 0 ? `pod ${pod}: ${p.nodes.length} ${layerNames[p.layer]}` : `${p.nodes.length} ${layerNames[p.layer]}`;
    p.focus = p.nodes.length === 1 ? 'node:' + N.node[i] : pod >= 0 && groups.length > 1 ? 'group:' + pod : p.key[0] === 'h' ? 'node:' + leafOf.get(N.node[i]) : '';
  }
  const lines = new Map();
  L.link.forEach((link, k) => {
    const i = index.get(L.from_node[k]), j = index.get(L.to_node[k]);
    if (i === undefined || j === undefined) return;
    const a = places.get(key(i)), b = places.get(key(j));
    if (!a || !b || a === b || kind === 'node' && L.from_node[k] !== target && L.to_node[k] !== target) return;
    const name = a.key < b.key ? a.key + ' ' + b.key : b.key + ' ' + a.key;
    if (!lines.has(name)) lines.set(name, { from: a, to: b, links: [] });
    lines.get(name).links.push(link);
  });
  const layers = [...new Set([...places.values()].map(p => p.layer))].sort((a, b) => b - a).map(layer => {
    const own = [...places.values()].filter(p => p.layer === layer).sort((a, b) => a.at - b.at);
    return { label: `${own.reduce((n, p) => n + p.nodes.length, 0)} ${layerNames[layer] ?? 'nodes'}`, places: own };
  });
  const switches = N.node.map((n, i) => ({ node: n, name: N.name[i], layer: N.layer[i], pod: podOf(i) })).filter(n => n.layer > 0 && (kind !== 'group' || n.pod === target)).slice(0, 1000);
  return { places: [...places.values()], lines: [...lines.values()], layers, groups: groups.slice(0, 1000), pods: groups.length > 1, switches };
}

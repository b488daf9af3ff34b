// Training: the operations of a step, stage by stage. Communication is open while no computation of its stage covers it.
// That is more than the exposed communication of the report, which counts from the moment in which data moves.
const training = {
  id: 'training', label: 'Training',
  make(panel) {
    this.text = el('p');
    this.timeline = gantt('operations of the stages');
    this.list = el('div');
    this.step = el('div', {}, el('p', { class: 'note legend-line' }, el('span', { class: 'key compute' }), 'computation ', el('span', { class: 'key hidden-comm' }), 'communication behind computation ', el('span', { class: 'key exposed' }), 'open: nothing is computed for a part of it, or of the wait for it'), this.timeline.place, el('h3', {}, 'Communication by phase'), el('p', { class: 'note' }, 'Operations of a stage overlap, and a receive lasts from the wait on: the open times of the phases together are more than the time above.'), this.list);
    panel.append(this.text, this.step);
  },
  // of is the simulation with the operations of the step on the fabric.
  of: s => simulations().find(x => x.run === s.run && x.fabric === s.fabric && x.phase === 'operations of the step'),
  async draw(s) {
    const step = this.of(s);
    this.step.hidden = !step;
    if (!step) { this.text.textContent = 'The run is no training step: weft train makes one.'; return; }
    const T = await rowsOf('steps', step), shares = openTimes(T);
    const ranks = new Set(T.rank).size;
    this.text.textContent = `The step takes ${timeText(step.duration_ps)} on ${step.fabric}. A stage communicates, or waits for data of another, and computes nothing for ${timeText(idle(T) / ranks)}, the mean of ${ranks} stages. The report divides this time: the exposed communication there is the part in which data moves.`;
    const colours = { compute: token('--w-compute'), covered: token('--w-covered'), open: token('--c1') };
    this.timeline.draw(step, T, i => T.stream[i], 'stage', i => !T.phase[i] ? colours.compute : shares[i] > 0 ? colours.open : colours.covered, i => this.open(s, T, i));
    const byPhase = new Map();
    for (let i = 0; i < T.rows; i++) if (T.phase[i]) {
      const p = byPhase.get(T.phase[i]) ?? { n: 0, time: 0, open: 0, bytes: T.bytes[i], i };
      p.n++; p.time += T.end_ps[i] - T.start_ps[i]; p.open += shares[i];
      byPhase.set(T.phase[i], p);
    }
    this.list.replaceChildren(dataTable('communication by phase', ['phase', { text: 'operations', numeric: true }, { text: 'time of a stage', numeric: true }, { text: 'open', numeric: true }], [...byPhase].sort((a, b) => b[1].open - a[1].open)
      .map(([phase, p]) => ({ call: () => this.open(s, T, p.i), chosen: s.phase === phase, cells: [phase, p.n, timeText(p.time / ranks), timeText(p.open / ranks)] }))));
  },
  // open shows the links of an operation's collective: the simulation of its phase.
  open(s, T, i) {
    const of = simulations().filter(x => x.run === s.run && x.fabric === s.fabric && x.phase && x.phase === T.phase[i]);
    const same = of.find(x => x.size_bytes === T.bytes[i]) ?? of[0];
    if (same) set({ simulation: same.key, view: 'map', time: '', from: '', to: '', links: '', focus: '', flow: '', rank: '', switch: '' }, true);
  },
};

// openTimes is of each communication the time that no computation of its rank covers.
function openTimes(T) {
  const computing = new Map();
  for (let i = 0; i < T.rows; i++) if (!T.phase[i]) {
    if (!computing.has(T.rank[i])) computing.set(T.rank[i], []);
    computing.get(T.rank[i]).push([T.start_ps[i], T.end_ps[i]]);
  }
  for (const [rank, list] of computing) computing.set(rank, union(list));
  return Array.from({ length: T.rows }, (_, i) => {
    if (!T.phase[i]) return 0;
    let open = T.end_ps[i] - T.start_ps[i];
    for (const [a, b] of computing.get(T.rank[i]) ?? []) open -= Math.max(0, Math.min(b, T.end_ps[i]) - Math.max(a, T.start_ps[i]));
    return open;
  });
}

// idle is the time in which stages communicate and compute nothing, over all stages.
function idle(T) {
  let sum = 0;
  for (const rank of new Set(T.rank)) {
    const of = phase => union([...Array(T.rows).keys()].filter(i => T.rank[i] === rank && (phase || !T.phase[i])).map(i => [T.start_ps[i], T.end_ps[i]]));
    sum += length(of(true)) - length(of(false));
  }
  return sum;
}
const length = list => list.reduce((n, [a, b]) => n + b - a, 0);

// union is intervals without overlap, in order.
function union(list) {
  const out = [];
  for (const [a, b] of list.sort((x, y) => x[0] - y[0])) {
    const last = out[out.length - 1];
    if (last && a <= last[1]) last[1] = Math.max(last[1], b);
    else out.push([a, b]);
  }
  return out;
}

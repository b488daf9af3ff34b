// Overview: all of the time in one strip, with the window and what happened when. A drag zooms to a part of it.
const momentNames = { pause: 'pause', watchdog: 'watchdog', drop: 'drops', mark: 'ECN marks', fault: 'fault', repair: 'repair', receiver: 'slow receiver', step: 'step' };
const momentColour = kind => token({ pause: '--c1', watchdog: '--c0', fault: '--ink', repair: '--c3', drop: '--c5', receiver: '--c4', mark: '--c2', step: '--soft' }[kind] ?? '--soft');

// momentKey is the colour of a kind of moment, beside its name.
function momentKey(kind) {
  const key = el('span', { class: 'key', 'aria-hidden': 'true' });
  key.style.background = momentColour(kind);
  return key;
}

// momentsOf is what happened when in a simulation, by time.
async function momentsOf(s) {
  return (await data(`moments/${s.run}/${s.simulation}`)).moments;
}

// drawMoments draws a line for each moment within a picture; of steps only short ones.
function drawMoments(g, s, x, w, top, bottom) {
  for (const m of s.moments ?? []) {
    if (m.time_ps < w.from || m.time_ps > w.to) continue;
    g.fillStyle = momentColour(m.kind);
    const h = m.kind === 'step' ? 5 : bottom - top;
    g.fillRect(Math.round(x(m.time_ps)), bottom - h, 1, h);
    if (m.kind === 'step') continue;
    g.beginPath();
    g.moveTo(x(m.time_ps) - 4, top);
    g.lineTo(x(m.time_ps) + 5, top);
    g.lineTo(x(m.time_ps) + 0.5, top + 6);
    g.fill();
  }
}

const overview = {
  make() {
    this.canvas = el('canvas', { class: 'overview', role: 'img', onpointermove: e => this.hover(e) });
    this.tip = el('p', { class: 'note' });
    this.list = el('details', { class: 'moments' });
    const button = (text, call) => el('button', { type: 'button', onclick: () => ui.scene && call(ui.scene) }, text);
    this.buttons = [button('Zoom in', s => zoomBy(s, 0.5)), button('Zoom out', s => zoomBy(s, 2)), button('Whole time', s => zoomTo(s, 0, Infinity))];
    this.shown = el('output', {});
    return this.place = el('div', { class: 'whole' }, zoomable(this.canvas, 'whole time', e => this.at(e), (a, b) => set({ time: Math.round(this.at(b)) }), false), el('div', { class: 'controls' }, this.buttons, this.shown), this.tip, this.list);
  },
  at(e) {
    const box = this.canvas.getBoundingClientRect(), end = ui.scene.matrix.intervals * ui.scene.interval_ps;
    return Math.max(0, Math.min(end - 1, (e.clientX - box.left) / box.width * end));
  },
  // draw takes a scene in long intervals, and what the page says if the window is shown in others.
  draw(s, says) {
    const w = windowOf(s), { g, width, height } = prepare(this.canvas, 62), top = 8, bottom = height - 20, n = s.matrix.intervals;
    if (!s.matrix.over) {
      s.matrix.over = new Float64Array(n); // the largest of all links
      s.matrix.cells.forEach((v, i) => { if (v > s.matrix.over[i % n]) s.matrix.over[i % n] = v; });
    }
    const most = scaleMost(s);
    const every = perPixel({ a: 0, b: n }, width);
    for (let i = 0; i < n; i += every) {
      const v = s.matrix.over.subarray(i, i + every).reduce((a, b) => Math.max(a, b), 0), h = most > 0 ? v / most * (bottom - top) : 0;
      g.fillStyle = css(colourOf(v, most));
      fillColumn(g, i * width / n, (i + every) * width / n, bottom - h, h);
    }
    const x = timeAxis(g, 0, width, bottom, 0, w.end);
    drawMoments(g, s, x, { from: 0, to: w.end }, top - 6, bottom);
    if (!w.whole) {
      g.fillStyle = token('--veil');
      g.fillRect(0, 0, x(w.from), bottom);
      g.fillRect(x(w.to), 0, width - x(w.to), bottom);
    }
    g.fillStyle = token('--ink');
    g.fillRect(x(Math.min(w.end - 1, chosenTime(s))), 0, 1.5, bottom);
    Object.assign(this.canvas.dataset, { from: w.from, to: w.to, moments: s.moments.length });
    this.canvas.setAttribute('aria-label', `${s.quantity.label} over all of the time, the largest of all links; shown is ${timeText(w.from)} to ${timeText(w.to)}`);
    this.shown.textContent = w.whole ? '' : `shown: ${tickText(w.from, shortest(s), w.to)} to ${tickText(w.to, shortest(s), w.to)}, ${timeText(w.to - w.from)} in intervals of ${says ?? timeText(s.interval_ps)}`;
    this.buttons[0].disabled = w.to - w.from <= shortest(s);
    this.buttons[1].disabled = this.buttons[2].disabled = w.whole;
    this.tell(s);
  },
  tell(s) {
    const key = s.key + s.moments.length;
    this.list.hidden = !s.moments.length;
    this.tip.textContent = 'Drag over a part of the time to zoom to it, in all views; the wheel and the keys + and − zoom as well.';
    if (this.told === key) return;
    this.told = key;
    const shown = s.moments.filter(m => m.kind !== 'step').concat(s.moments.filter(m => m.kind === 'step')).slice(0, 60).sort((a, b) => a.time_ps - b.time_ps);
    this.list.replaceChildren(el('summary', {}, 'What happened when: ' + counted(s.moments.length, 'moment')), el('ul', {}, shown.map(m => el('li', {}, momentKey(m.kind),
      el('button', { type: 'button', class: 'plain', onclick: () => this.go(ui.scene, m) }, timeText(m.time_ps)), ' ', momentNames[m.kind] ?? m.kind, ': ', m.text))));
  },
  // go shows the time around a moment.
  go(s, m) {
    const w = windowOf(s), span = Math.min(w.to - w.from, Math.max(16 * s.interval_ps, w.end / 16));
    set({ time: m.time_ps, ...(m.link >= 0 ? { links: m.link } : {}) });
    zoomTo(s, m.time_ps - span / 2, m.time_ps + span / 2);
  },
  hover(e) {
    const s = ui.scene;
    if (!s) return;
    const t = this.at(e), near = s.moments.filter(m => Math.abs(m.time_ps - t) < s.matrix.intervals * s.interval_ps / 150)[0];
    this.tip.textContent = near ? `${timeText(near.time_ps)}, ${momentNames[near.kind] ?? near.kind}: ${near.text}` : `${timeText(t)}: ${s.quantity.label} of at most ${valueText(s.matrix.over[Math.floor(t / s.interval_ps)] ?? 0, s.quantity.unit)}`;
  },
};

// The window: the part of time that all views show. It is in the address, so the browser's way back leads out of it.

// windowOf is the window of a simulation: its times, and the numbers of its first interval and of the one after its last.
function windowOf(s) {
  const end = endTime(s);
  let from = Math.max(0, Number(state.from) || 0), to = state.to === '' ? end : Math.min(end, Number(state.to) || end);
  if (to - from < 1) [from, to] = [0, end];
  const a = Math.min(s.matrix.intervals - 1, Math.max(0, intervalOf(s, from))), b = Math.min(s.matrix.intervals, Math.ceil((to - timeOf(s, 0)) / s.interval_ps));
  return { from, to, a, b: Math.max(a + 1, b), end, whole: from === 0 && to === end };
}

// shortest is the length of the shortest intervals of a scene.
const shortest = s => s.detail_ps || s.interval_ps;

// zoomTo shows a part of time, of at least the shortest interval. push makes a step that the browser's way back takes back.
function zoomTo(s, from, to, push = true) {
  const end = endTime(s), span = Math.min(end, Math.max(shortest(s), to - from));
  from = Math.round(Math.max(0, Math.min(end - span, (from + to - span) / 2)));
  to = Math.round(from + span);
  const change = from <= 0 && to >= end ? { from: '', to: '' } : { from, to };
  const now = chosenTime(s);
  if (change.to !== '' && (now < from || now >= to)) change.time = from; // the chosen time is seen
  set(change, push);
}

// zoomBy makes the window longer by a factor, around a time.
function zoomBy(s, factor, around, push = true) {
  const w = windowOf(s), at = around ?? Math.max(w.from, Math.min(w.to, chosenTime(s)));
  zoomTo(s, at - (at - w.from) * factor, at + (w.to - at) * factor, push);
}

// move moves the window by a share of its length.
function move(s, share, push = true) {
  const w = windowOf(s), by = Math.max(-w.from, Math.min(w.end - w.to, (w.to - w.from) * share));
  if (by) zoomTo(s, w.from + by, w.to + by, push);
}

// zoomKeys are the keys of a picture with a time axis; the keys + and - zoom, arrows move, 0 shows all.
function zoomKeys(e) {
  const s = ui.scene, keys = { '+': () => zoomBy(s, 0.5), '=': () => zoomBy(s, 0.5), '-': () => zoomBy(s, 2), ArrowLeft: () => move(s, -0.25), ArrowRight: () => move(s, 0.25), 0: () => zoomTo(s, 0, Infinity), Escape: () => zoomTo(s, 0, Infinity) };
  if (!s || !keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  keys[e.key]();
}

// zoomWheel zooms around the time under the pointer. On a tall picture the wheel alone scrolls the page.
function zoomWheel(e, at, tall) {
  const s = ui.scene;
  if (!s || tall && !e.ctrlKey && !e.shiftKey) return;
  e.preventDefault();
  if (e.shiftKey) move(s, Math.sign(e.deltaY || e.deltaX) * 0.15, false);
  else zoomBy(s, e.deltaY > 0 ? 1.5 : 1 / 1.5, at, false);
}

// zoomable is a picture with a time axis, in a frame that takes the keys, a drag and the wheel. timeAt is the time of
// a pointer; click gets a drag that is too short to be a range, or that goes down rather than along.
function zoomable(canvas, label, timeAt, click, tall = true) {
  const brush = el('div', { class: 'brush', hidden: true });
  const frame = el('div', { class: 'card pad zoomable', tabindex: 0, role: 'group', 'aria-label': label + ': + and - zoom in time, arrows move, 0 shows all', onkeydown: zoomKeys }, canvas, brush);
  let from = null;
  const along = e => from && Math.abs(e.clientX - from.clientX) > 8 && Math.abs(e.clientX - from.clientX) > Math.abs(e.clientY - from.clientY);
  canvas.addEventListener('pointerdown', e => { from = e; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener('pointermove', e => {
    brush.hidden = !along(e);
    if (brush.hidden) return;
    const box = frame.getBoundingClientRect();
    brush.style.left = Math.min(e.clientX, from.clientX) - box.left + 'px';
    brush.style.width = Math.abs(e.clientX - from.clientX) + 'px';
  });
  canvas.addEventListener('pointerup', e => {
    const begun = from, zooms = along(e);
    from = null;
    brush.hidden = true;
    if (!begun || !ui.scene) return;
    if (!zooms) return click?.(begun, e);
    const [a, b] = [timeAt(begun), timeAt(e)].sort((x, y) => x - y);
    zoomTo(ui.scene, a, b);
  });
  canvas.addEventListener('pointercancel', () => { from = null; brush.hidden = true; });
  canvas.addEventListener('wheel', e => zoomWheel(e, timeAt(e), tall), { passive: false });
  return frame;
}

// fillColumn fills from one place to another in whole pixels: parts of pixels would show as stripes.
const fillColumn = (g, from, to, y, height) => { const a = Math.floor(from); g.fillRect(a, y, Math.max(1, Math.ceil(to) - a), height); };

// perPixel is the number of intervals that a column of a picture has.
const perPixel = (w, width) => Math.max(1, Math.floor((w.b - w.a) / Math.max(1, width)));

// ticksOf are round times of an axis, at most about a number of them.
function ticksOf(from, to, most) {
  const raw = Math.max(1, (to - from) / Math.max(1, most)), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(f => f * power).find(v => v >= raw * 0.999), out = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) out.push(t);
  return { step, list: out };
}

// placesOf are the digits after the point that a step needs: one more for 2.5 than for 2 or 5.
function placesOf(step) {
  const places = Math.ceil(-Math.log10(step) - 1e-9), exact = Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) < 1e-6;
  return Math.max(0, Math.min(9, exact ? places : places + 1));
}

// tickText is a time with as many digits as a step needs.
function tickText(t, step, most) {
  const units = [[1, 'ps'], [1e3, 'ns'], [1e6, 'us'], [1e9, 'ms'], [1e12, 's']];
  const [unit, name] = units.findLast(u => u[0] <= Math.max(1, most)) ?? units[0];
  return `${(t / unit).toFixed(placesOf(step / unit))} ${name}`;
}

// timeAxis draws an axis from left to right below a height, and gives its place of a time.
function timeAxis(g, left, right, top, from, to) {
  const x = t => left + (right - left) * (t - from) / (to - from), { step, list } = ticksOf(from, to, (right - left) / 95);
  g.font = '11px system-ui';
  g.textAlign = 'center';
  g.lineWidth = 1;
  for (const t of list) {
    const text = tickText(t, step, to), half = g.measureText(text).width / 2;
    g.strokeStyle = token('--soft');
    g.beginPath();
    g.moveTo(x(t), top);
    g.lineTo(x(t), top + 4);
    g.stroke();
    g.fillStyle = token('--soft');
    g.fillText(text, Math.max(left + half, Math.min(right - half, x(t))), top + 15);
  }
  g.textAlign = 'left';
  return x;
}

// fitted is a text that is cut in its middle, with a sign, to a width: names differ at both ends.
function fitted(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let n = text.length - 1;
  const cut = () => text.slice(0, Math.ceil(n / 2)) + '…' + text.slice(text.length - Math.floor(n / 2));
  while (n > 1 && g.measureText(cut()).width > width) n--;
  return cut();
}

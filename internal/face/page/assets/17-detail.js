// Details: around what happened, samples of short intervals are kept. A short window is shown in short intervals: where
// they are kept as they are, elsewhere as the rest of their long interval, spread evenly.
const mostShort = 1 << 22; // cells of a matrix
const widestShort = 512; // long intervals of a window that is shown in short ones

function asDetails(buffer) {
  const n = new Uint32Array(buffer, 0, 1)[0];
  return { n, link: new Uint32Array(buffer, 4, n), interval: new Uint32Array(buffer, 4 + 4 * n, n), value: new Float32Array(buffer, 4 + 8 * n, n) };
}

// detailed is a scene with its window in short intervals; the scene itself if none are kept there, or the window is long.
async function detailed(s) {
  const w = windowOf(s), every = s.interval_ps / s.detail_ps;
  if (!s.detail_ps || w.whole || w.b - w.a > widestShort || (w.b - w.a) * every * s.matrix.links > mostShort) return s;
  const own = { ...s, long: s, window: w, origin_ps: w.a * s.interval_ps, interval_ps: s.detail_ps, end_ps: endTime(s) };
  own.matrix = await matrixOf(own, s.quantity);
  if (!own.matrix.spans.length) return s;
  const spans = own.matrix.spans.map(([a, b]) => `${tickText(timeOf(own, a), s.detail_ps, w.to)} to ${tickText(timeOf(own, b), s.detail_ps, w.to)}`);
  own.says = `${timeText(s.detail_ps)} at ${own.matrix.detailed} links (${spans.slice(0, 4).join(', ')}${spans.length > 4 ? ', …' : ''}), elsewhere of ${timeText(s.interval_ps)}`;
  return own;
}

// matrixOf is a quantity of a scene, in its intervals.
async function matrixOf(s, q) {
  const path = `/${s.run}/${s.simulation}/${q.id}`, long = await data('matrix' + path);
  return s.long ? shortMatrix(long, await data('details' + path), s.long, q, s.window) : long;
}

// shortMatrix is the long intervals a to b of a matrix in short ones. known tells which are kept; spans are the parts of
// the window in which some are.
function shortMatrix(long, details, s, q, { a, b }) {
  const every = s.interval_ps / s.detail_ps, n = (b - a) * every, first = a * every, whole = q.unit === 'packets' ? 1 : every; // of a sum over the long interval
  const cells = new Float32Array(long.links * n), known = new Uint8Array(cells.length), any = new Uint8Array(n), own = new Set();
  for (let link = 0; link < long.links; link++) for (let k = a; k < b; k++) cells.fill(long.at(link, k) * whole / every, link * n + (k - a) * every, link * n + (k - a + 1) * every);
  for (let i = 0; i < details.n; i++) {
    const t = details.interval[i] - first;
    if (t < 0 || t >= n || details.link[i] >= long.links) continue;
    cells[details.link[i] * n + t] = details.value[i];
    known[details.link[i] * n + t] = any[t] = 1;
    own.add(details.link[i]);
  }
  if (q.id !== 'queue') for (const link of own) for (let k = a; k < b; k++) spread(cells, known, link * n + (k - a) * every, every, long.at(link, k) * whole);
  const spans = [];
  for (let t = 0; t < n; t++) if (any[t]) { if (spans.length && spans.at(-1)[1] === t) spans.at(-1)[1]++; else spans.push([t, t + 1]); }
  return { links: long.links, intervals: n, cells, known, spans, detailed: own.size, at: (link, i) => link < long.links && i >= 0 && i < n ? cells[link * n + i] : 0 };
}

// spread gives the short intervals of a long one that are not known what the others leave of its sum.
function spread(cells, known, from, every, sum) {
  let unknown = every;
  for (let i = from; i < from + every; i++) if (known[i]) { sum -= cells[i]; unknown--; }
  if (unknown < every) for (let i = from; i < from + every; i++) if (!known[i]) cells[i] = Math.max(0, sum) / unknown;
}

// intervalText tells how long the interval of a value is.
const intervalText = (s, link, i) => !s.long ? '' : s.matrix.known[link * s.matrix.intervals + i] ? `, in ${timeText(s.interval_ps)}` : `, from an interval of ${timeText(s.long.interval_ps)}`;

// Data by path: from the server, or from the page itself, if it is a file with its data inside.
const kept = new Map(); // the last answers
const inside = document.getElementById('weft-data');
const embedded = inside ? JSON.parse(inside.textContent) : null;

let about = null; // the runs, as the server has told last

async function bytes(path) {
  if (embedded) {
    path = decodeURIComponent(path);
    if (!(path in embedded)) throw new Error('This file does not hold it: it has the largest size of each fabric. weft ui shows the whole run.');
    const packed = Uint8Array.from(atob(embedded[path]), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  const views = about?.runs[path.split('/')[1]]?.progress?.views; // of a run that goes on
  const answer = await fetch(views ? `${path}${path.includes('?') ? '&' : '?'}views=${views}` : path, { headers: permitted() });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.arrayBuffer();
}

// data is the decoded answer of a path.
function data(path) {
  if (!kept.has(path)) {
    const wanted = bytes(path).then(b => path.startsWith('matrix/') ? asMatrix(b) : path.startsWith('details/') ? asDetails(b) : asTable(JSON.parse(new TextDecoder().decode(b))));
    wanted.catch(() => kept.delete(path));
    kept.set(path, wanted);
    if (kept.size > 40) kept.delete(kept.keys().next().value);
  }
  return kept.get(path);
}

function asMatrix(buffer) {
  const [links, intervals] = new Uint32Array(buffer, 0, 2);
  const cells = new Float32Array(buffer, 8);
  return { links, intervals, cells, at: (link, i) => link < links && i >= 0 && i < intervals ? cells[link * intervals + i] : 0 };
}

// asTable gives a table its columns by name.
function asTable(t) {
  if (t.names) t.names.forEach((name, i) => { t[name] = t.values[i]; });
  return t;
}

const table = (name, run, where = '') => data(`data/${run}/${name}.parquet${where}`);

// simulations are all simulations of all runs, with their keys run.simulation.
function simulations() {
  return about.runs.flatMap((run, r) => run.simulations.map(s => ({ ...s, run: r, folder: run.name, key: r + '.' + s.simulation })));
}

// choices are the simulations, and a place for each run without one, which may have a report or a note.
function choices() {
  const empty = (run, r) => ({ run: r, folder: run.name, key: r + '.', none: run.note || 'The run has no simulation that ended.' });
  return about.runs.flatMap((run, r) => run.simulations.length ? simulations().filter(s => s.run === r) : [empty(run, r)]);
}

// scene is a simulation with its topology and the matrix of a quantity. An entry without intervals, such as the
// operations of a training step, has no samples of links: it is one interval.
async function scene(key, quantity) {
  const s = simulations().find(x => x.key === key);
  if (!s) throw new Error('there is no simulation ' + key);
  const fabric = '?fabric=' + encodeURIComponent(s.fabric);
  const [nodes, links, matrix, moments] = await Promise.all([table('nodes', s.run, fabric), table('links', s.run, fabric), data(`matrix/${s.run}/${s.simulation}/${quantity}`), momentsOf(s)]);
  return { ...s, moments, linkless: !s.interval_ps, interval_ps: s.interval_ps || Math.max(1, s.duration_ps), nodes, links, matrix, quantity: about.quantities.find(q => q.id === quantity) };
}
const rowsOf = (name, s) => table(name, s.run, '?simulation=' + s.simulation);

// timeOf is the beginning of an interval of a scene, and intervalOf the interval of a time.
const timeOf = (s, i) => (s.origin_ps ?? 0) + i * s.interval_ps;
const intervalOf = (s, t) => Math.floor((t - (s.origin_ps ?? 0)) / s.interval_ps);
const endTime = s => s.end_ps ?? s.matrix.intervals * s.interval_ps;

// chosenTime is the chosen time in picoseconds; without a choice the interval of the window with the most of the quantity.
function chosenTime(s) {
  if (state.time !== '') return Number(state.time) || 0;
  if (!s.matrix.sums) {
    s.matrix.sums = new Float64Array(s.matrix.intervals);
    s.matrix.cells.forEach((v, i) => { s.matrix.sums[i % s.matrix.intervals] += v; });
  }
  const w = windowOf(s), seen = s.matrix.sums.subarray(w.a, w.b);
  return timeOf(s, w.a + seen.indexOf(seen.reduce((a, b) => Math.max(a, b), 0)));
}
const chosenColumn = s => Math.max(0, Math.min(s.matrix.intervals - 1, intervalOf(s, chosenTime(s))));

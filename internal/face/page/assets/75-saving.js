// Saving: what is seen as a file, made by the browser alone.

// save gives a text or a blob to the user as a file.
function save(content, name, type) {
  const link = el('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// csvText is rows as CSV. A text that a spreadsheet would take as a formula gets an apostrophe.
function csvText(rows) {
  const quoted = v => {
    let text = String(v);
    if (typeof v === 'string' && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return rows.map(r => r.map(quoted).join(',')).join('\n') + '\n';
}

const savedName = ending => [about.runs[ui.seen.run].name, viewNow().bare ? '' : ui.seen.fabric, state.view].filter(Boolean).join('-').replace(/[^\w.-]+/g, '_').slice(0, 80) + '.' + ending;
const viewNow = () => views.find(v => v.id === state.view);
const seenIn = (root, selector) => [...root.querySelectorAll(selector)].filter(e => e.offsetParent);

// savedPicture is the pictures of the view below each other, as SVG.
async function savedPicture() {
  const s = ui.seen, view = viewNow(), w = view.bare ? { whole: true } : windowOf(s);
  const drawn = vectors = new Map();
  try {
    await view.draw(s);
  } finally {
    vectors = null;
  }
  const joined = joinedPictures(s, w, view, drawn);
  await view.draw(s); // as pixels again
  return joined;
}

function joinedPictures(s, w, view, drawn) {
  const parts = [];
  for (const e of [...seenIn(view.panel, 'canvas, .pad'), ...seenIn(ui.series, '.pad')]) {
    if (drawn.has(e)) parts.push({ title: e.dataset.title, ...drawn.get(e) });
    if (!e.drawn) continue;
    const g = new Vector(Math.max(300, e.clientWidth), (e.drawn.height ?? 220) + 30 + 16 * e.drawn.lines.length);
    drawChart(g, e.drawn, g.width, g.height);
    parts.push(g);
  }
  const width = Math.max(300, ...parts.map(p => p.width)), title = [document.querySelector('h1')?.textContent, ...(view.bare ? [view.label] : [simulationText(s), s.quantity.label]), w.whole ? '' : `${timeText(w.from)} to ${timeText(w.to)}`].filter(Boolean).join(' · ');
  let y = 46;
  const body = parts.map(p => {
    if (p.title) y += 20;
    const text = (p.title ? `<text y="${y - 6}" font-size="13" fill="${token('--ink')}">${escaped(p.title)}</text>` : '') + `<g transform="translate(0 ${y})">${p.out.join('')}</g>`;
    y += p.height + 16;
    return text;
  });
  return { width: width + 32, height: y + 10, text: `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 32}" height="${y + 10}" viewBox="-16 0 ${width + 32} ${y + 10}" font-family="system-ui, sans-serif"><rect x="-16" width="100%" height="100%" fill="${token('--card')}"/><text y="26" font-size="14" font-weight="bold" fill="${token('--ink')}">${escaped(title)}</text>${body.join('')}</svg>` };
}

async function saveSVG() { save((await savedPicture()).text, savedName('svg'), 'image/svg+xml'); }

async function savePNG() {
  const p = await savedPicture(), image = new Image(), scale = Math.min(2, 16000 / p.height);
  await new Promise((done, bad) => {
    image.onload = done;
    image.onerror = () => bad(new Error('The picture cannot be made.'));
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(p.text);
  });
  const c = el('canvas', { width: Math.round(p.width * scale), height: Math.round(p.height * scale) });
  c.getContext('2d').drawImage(image, 0, 0, c.width, c.height);
  save(await new Promise(done => c.toBlob(done, 'image/png')), savedName('png'), 'image/png');
}

// saveCSV saves the values of the view: its own, or those of its charts, or its tables.
function saveCSV() {
  const view = viewNow(), charts = [...seenIn(view.panel, '.pad'), ...seenIn(ui.series, '.pad')].filter(e => e.drawn).map(e => e.drawn);
  const own = view.csv?.();
  const text = own ? [own] : [
    ...seenIn(view.panel, 'table.data').map(t => csvText([...t.rows].map(r => [...r.cells].map(c => c.textContent)))),
    ...charts.map(o => csvText([[o.xLabel + (o.scene ? ' (ps)' : ''), ...o.lines.map(l => l.label)], ...[...o.x.keys()].filter(k => !o.scene || inWindow(o.scene, o.x[k])).map(k => [o.x[k], ...o.lines.map(l => l.y[k])])])),
  ];
  save(text.join('\n'), savedName('csv'), 'text/csv');
}
const inWindow = (s, t) => { const w = windowOf(s); return t >= timeOf(s, w.a) && t < timeOf(s, w.b); };

// saving is the buttons.
function saving() {
  const button = (text, call) => el('button', { type: 'button', onclick: async () => { try { await call(); } catch (e) { failed(e); } } }, text);
  return el('div', { class: 'controls saving' }, 'Save what is seen: ', button('PNG', savePNG), button('SVG', saveSVG), button('CSV', saveCSV));
}

// Line charts with uPlot. lines are {label, y}, with the number of a colour and of a dash if they shall not follow from
// their order; all share the axis x. With scene, x is simulated time: the window is shown, and a drag zooms.
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4], [2, 6]];
const colours = () => [0, 1, 2, 3, 4, 5].map(i => token('--c' + i));

// looks gives each line a colour and a dash that no other one has both of.
const looks = lines => lines.map((l, i) => ({ colour: (l.colour ?? i) % 6, dash: (l.dash ?? Math.floor(i / 6)) % dashes.length }));

function chart(place, options) {
  place.replaceChildren();
  const palette = colours(), look = looks(options.lines), s = options.scene, w = s ? windowOf(s) : null;
  const soft = token('--soft'), grid = token('--grid');
  const axis = (label, values, size, space) => ({ label, space, stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, values: (u, list) => list.map(v => v === null ? '' : values(v, list)), size, font: '12px system-ui', labelFont: '12px system-ui' });
  const xText = options.logX ? options.xText : (v, list) => tickText(v, list.length > 1 ? list[1] - list[0] : v, w ? w.to : list.at(-1));
  const { paddingLeft, paddingRight } = getComputedStyle(place);
  const u = new uPlot({
    width: Math.max(240, place.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)), height: options.height || 220, padding: [8, 34, 0, 0], legend: { show: false }, cursor: { drag: { x: true, y: false, setScale: !s } },
    scales: { x: { time: false, distr: options.logX ? 3 : 1, range: w ? [w.from, w.to] : undefined }, y: { range: options.range ?? (w ? (v, least, most) => [0, most > 0 ? most * 1.06 : 1] : undefined) } },
    axes: [axis(options.xLabel, xText, 44, 84), { ...axis(options.yLabel, options.yText, 70, 34), incrs: options.binary ? [...Array(40).keys()].map(i => 2 ** i) : undefined }],
    series: [{ label: options.xLabel }, ...options.lines.map((l, i) => ({ label: l.label, stroke: palette[look[i].colour], width: 2, dash: dashes[look[i].dash], points: { show: false }, paths: options.steps ? uPlot.paths.stepped({ align: 1 }) : undefined, spanGaps: true }))],
    hooks: { draw: [v => mark(v, options.mark), v => { if (s?.moments) drawChartMoments(v, s, w); }], setSelect: s ? [v => { if (v.select.width > 4) zoomTo(s, v.posToVal(v.select.left, 'x'), v.posToVal(v.select.left + v.select.width, 'x')); }] : [] },
  }, [options.x, ...options.lines.map(l => l.y)], place);
  place.setAttribute('role', 'img');
  place.setAttribute('aria-label', options.text);
  place.append(el('ul', { class: 'lines' }, options.lines.map((l, i) => el('li', {}, sample(look[i]), l.label))));
  place.drawn = options; // for the file of the picture
  return u;
}

// sample is a short line with a colour and a dash.
function sample(look) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  for (const [k, v] of Object.entries({ width: 34, height: 8, viewBox: '0 0 34 8', 'aria-hidden': 'true' })) svg.setAttribute(k, v);
  for (const [k, v] of Object.entries({ d: 'M0 4H34', stroke: `var(--c${look.colour})`, 'stroke-width': 2.5, 'stroke-dasharray': dashes[look.dash].join(' ') || 'none', fill: 'none' })) path.setAttribute(k, v);
  svg.append(path);
  return svg;
}

// mark is a vertical line at the chosen time.
function mark(u, at) {
  if (at === undefined || at < u.scales.x.min || at > u.scales.x.max) return;
  const x = u.valToPos(at, 'x', true);
  u.ctx.save();
  u.ctx.strokeStyle = token('--ink');
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

// drawChartMoments draws what happened when above a chart.
function drawChartMoments(u, s, w) {
  u.ctx.save();
  drawMoments(u.ctx, s, t => u.valToPos(t, 'x', true), w, u.bbox.top, u.bbox.top + 12 * devicePixelRatio);
  u.ctx.restore();
}

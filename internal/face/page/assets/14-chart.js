// Line charts with uPlot. lines are {label, x, y}; all share the axis x.
function chart(place, options) {
  place.replaceChildren();
  const palette = [0, 1, 2, 3, 4, 5].map(i => token('--c' + i));
  const soft = token('--soft'), grid = token('--grid');
  const axis = (label, values, size, space) => ({ label, space, stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, values: (u, list) => list.map(v => v === null ? '' : values(v)), size, font: '12px system-ui', labelFont: '12px system-ui' });
  const u = new uPlot({
    width: Math.max(240, place.clientWidth), height: options.height || 220, legend: { show: true, live: false }, cursor: { drag: { x: true, y: false } },
    scales: { x: { time: false, distr: options.logX ? 3 : 1 }, y: { range: options.range } },
    axes: [axis(options.xLabel, options.xText, 44, 84), axis(options.yLabel, options.yText, 64, 34)],
    series: [{ label: options.xLabel }, ...options.lines.map((l, i) => ({ label: l.label, stroke: palette[i % 6], width: 2, dash: i >= 6 ? [6, 4] : undefined, points: { show: false }, paths: options.steps ? uPlot.paths.stepped({ align: 1 }) : undefined, spanGaps: true }))],
    hooks: { draw: [v => mark(v, options.mark)] },
  }, [options.x, ...options.lines.map(l => l.y)], place);
  place.setAttribute('role', 'img');
  place.setAttribute('aria-label', options.text);
  return u;
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

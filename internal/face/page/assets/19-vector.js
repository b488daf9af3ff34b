// A drawing area that writes SVG in place of pixels: the part of a canvas's interface that the views use.
class Vector {
  constructor(width, height) {
    Object.assign(this, { width, height, out: [], clips: 0, kept: [], groups: 0, fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, font: '12px system-ui', textAlign: 'left', dash: [], d: '' });
    this.ruler = document.createElement('canvas').getContext('2d');
  }
  put(text) { this.out.push(text); }
  save() { this.kept.push({ fillStyle: this.fillStyle, strokeStyle: this.strokeStyle, lineWidth: this.lineWidth, font: this.font, textAlign: this.textAlign, dash: this.dash, groups: this.groups }); }
  restore() {
    const k = this.kept.pop();
    for (; this.groups > k.groups; this.groups--) this.put('</g>');
    Object.assign(this, k);
  }
  setTransform() {}
  clearRect() {}
  setLineDash(list) { this.dash = list; }
  measureText(text) { this.ruler.font = this.font; return this.ruler.measureText(text); }
  beginPath() { this.d = ''; }
  moveTo(x, y) { this.d += `M${fixed(x)} ${fixed(y)}`; }
  lineTo(x, y) { this.d += `L${fixed(x)} ${fixed(y)}`; }
  quadraticCurveTo(a, b, x, y) { this.d += `Q${fixed(a)} ${fixed(b)} ${fixed(x)} ${fixed(y)}`; }
  arc(x, y, r) { this.d += `M${fixed(x - r)} ${fixed(y)}a${fixed(r)} ${fixed(r)} 0 1 0 ${fixed(2 * r)} 0a${fixed(r)} ${fixed(r)} 0 1 0 ${fixed(-2 * r)} 0`; } // whole circles
  rect(x, y, w, h) { this.d += `M${fixed(x)} ${fixed(y)}h${fixed(w)}v${fixed(h)}h${fixed(-w)}z`; }
  clip() {
    const id = `c${Vector.count = (Vector.count ?? 0) + 1}`;
    this.put(`<clipPath id="${id}"><path d="${this.d}"/></clipPath><g clip-path="url(#${id})">`);
    this.groups++;
  }
  fill() { this.put(`<path d="${this.d}" fill="${escaped(this.fillStyle)}"/>`); }
  stroke() { this.put(`<path d="${this.d}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}"${this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : ''}/>`); }
  fillRect(x, y, w, h) { if (w > 0 && h > 0) this.put(`<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(w)}" height="${fixed(h)}" fill="${escaped(this.fillStyle)}"/>`); }
  strokeRect(x, y, w, h) { this.put(`<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(Math.max(0, w))}" height="${fixed(Math.max(0, h))}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}"/>`); }
  fillText(text, x, y) {
    const anchor = { center: 'middle', right: 'end' }[this.textAlign] ?? 'start', size = parseFloat(this.font.match(/[\d.]+px/)?.[0] ?? '12');
    this.put(`<text x="${fixed(x)}" y="${fixed(y)}" font-size="${size}"${/bold|6\d\d/.test(this.font) ? ' font-weight="bold"' : ''} text-anchor="${anchor}" fill="${escaped(this.fillStyle)}">${escaped(text)}</text>`);
  }
}
const fixed = v => Number(v.toFixed(2));
const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');

let vectors = null; // pictures that are drawn as SVG: by canvas

// drawChart draws a chart with its axes and the names of its lines.
function drawChart(g, o, width, height) {
  const palette = colours(), look = looks(o.lines), left = 76, right = width - 20, top = 10, bottom = height - 40 - 16 * o.lines.length;
  const seen = o.lines.flatMap(l => l.y), w = o.scene ? windowOf(o.scene) : { from: o.x[0], to: o.x[o.x.length - 1] }, low = o.range?.[0] ?? 0, high = o.range?.[1] ?? Math.max(1e-12, seen.reduce((a, b) => Math.max(a, b), 0)) * 1.05;
  const y = v => bottom - (bottom - top) * (v - low) / (high - low);
  const x = o.logX ? t => left + (right - left) * Math.log(t / w.from) / Math.log(w.to / w.from) : timeAxis(g, left, right, bottom, w.from, w.to);
  g.font = '11px system-ui';
  g.fillStyle = token('--soft');
  if (o.logX) for (const share of [0, 0.25, 0.5, 0.75, 1]) { const t = w.from * (w.to / w.from) ** share; g.textAlign = share === 1 ? 'right' : share ? 'center' : 'left'; g.fillText(o.xText(t), x(t), bottom + 15); }
  for (let k = 0; k <= 4; k++) {
    const v = low + (high - low) * k / 4.0;
    g.strokeStyle = token('--grid');
    g.beginPath();
    g.moveTo(left, y(v));
    g.lineTo(right, y(v));
    g.stroke();
    g.textAlign = 'right';
    g.fillStyle = token('--soft');
    g.fillText(o.yText(v), left - 6, y(v) + 4);
  }
  g.textAlign = 'left';
  g.fillText(`${o.yLabel} over ${o.xLabel}`, left, bottom + 30);
  o.lines.forEach((l, i) => {
    g.save();
    g.beginPath();
    g.rect(left, top, right - left, bottom - top);
    g.clip();
    g.strokeStyle = palette[look[i].colour];
    g.lineWidth = 2;
    g.setLineDash(dashes[look[i].dash]);
    g.beginPath();
    o.x.forEach((t, k) => { if (k && o.steps) g.lineTo(x(t), y(l.y[k - 1])); k ? g.lineTo(x(t), y(l.y[k])) : g.moveTo(x(t), y(l.y[k])); });
    g.stroke();
    g.restore();
    g.save();
    g.strokeStyle = palette[look[i].colour];
    g.lineWidth = 2;
    g.setLineDash(dashes[look[i].dash]);
    g.beginPath();
    g.moveTo(left, bottom + 42 + 16 * i);
    g.lineTo(left + 30, bottom + 42 + 16 * i);
    g.stroke();
    g.restore();
    g.fillStyle = token('--ink');
    g.fillText(l.label, left + 38, bottom + 46 + 16 * i);
  });
}

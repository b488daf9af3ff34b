// Colours. The scale of a quantity differs in lightness throughout, and needs no colour vision; that of
// differences has blue and orange ends.
const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;
const ramps = {
  light: ['#e9edf1', '#c3d5e6', '#8fb5d6', '#5089bf', '#2a5d9f', '#4b2d73', '#3a0b3d'],
  dark: ['#232d39', '#2f4a6d', '#3f6f8f', '#5d9a93', '#a3bf78', '#ecd968', '#fff6c2'],
};
const differences = {
  light: ['#0b559f', '#6aaed6', '#e9edf1', '#f0a868', '#a2470b'],
  dark: ['#7cc4f5', '#3f74a0', '#232d39', '#a4622f', '#f5b57c'],
};
const parsed = new Map();
const rgb = hex => {
  if (!parsed.has(hex)) parsed.set(hex, [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
  return parsed.get(hex);
};
function between(stops, share) {
  const x = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x)), f = x - i;
  const a = rgb(stops[i]), b = rgb(stops[i + 1]);
  return a.map((v, k) => Math.round(v + f * (b[k] - v)));
}

// colourOf is the colour of a value on a scale from 0 to most. A value above 0 is seen.
function colourOf(v, most) { return between(ramps[dark() ? 'dark' : 'light'], v > 0 && most > 0 ? 0.08 + 0.92 * v / most : 0); }
const differenceColour = (v, most) => between(differences[dark() ? 'dark' : 'light'], 0.5 + (most > 0 ? v / most / 2 : 0));
const css = c => `rgb(${c.join(',')})`;
const token = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// scaleMost is the end of a quantity's scale: 1 for shares, or the largest value of the simulation.
function scaleMost(s) {
  if (s.quantity.unit === 'share') return 1;
  if (s.matrix.most === undefined) s.matrix.most = s.matrix.cells.reduce((a, b) => Math.max(a, b), 0);
  return s.matrix.most;
}

// legend explains the scale of a quantity.
function legend(s) {
  const ramp = ramps[dark() ? 'dark' : 'light'].join(',');
  const bar = el('span', { class: 'ramp', 'aria-hidden': 'true' });
  bar.style.background = `linear-gradient(90deg,${ramp})`;
  return el('p', { class: 'note legend-line' }, s.quantity.label, ': 0', bar, valueText(scaleMost(s), s.quantity.unit));
}

// canvas is a drawing area as wide as its place, sharp on the screen, with a text for screen readers.
function prepare(c, height) {
  const width = Math.max(200, c.clientWidth);
  if (vectors) {
    const g = new Vector(width, height);
    vectors.set(c, g);
    return { g, width, height };
  }
  const ratio = devicePixelRatio || 1;
  c.width = Math.round(width * ratio);
  c.height = Math.round(height * ratio);
  c.style.height = height + 'px';
  const g = c.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

// Elements and texts. Texts become text nodes: nothing here reads HTML.
function el(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v !== undefined && v !== null) e.setAttribute(k, v);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined).map(c => c instanceof Node ? c : String(c)));
  return e;
}

const digits = (v, n = 3) => v === 0 ? '0' : Math.abs(v) >= 1000 ? String(Math.round(v)) : String(Number(v.toPrecision(n)));
function scaled(v, step, names) {
  let i = 0;
  while (Math.abs(v) >= step && i < names.length - 1) { v /= step; i++; }
  return digits(v, 4) + ' ' + names[i];
}
const timeText = ps => scaled(Number(ps), 1000, ['ps', 'ns', 'us', 'ms', 's']);
const bytesText = b => scaled(Number(b), 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
const valueText = (v, unit) => unit === 'share' ? digits(100 * v) + ' %' : unit === 'bytes' ? bytesText(v) : digits(v) + ' ' + unit;
const counted = (n, one) => n === 1 ? '1 ' + one : n + ' ' + one + 's';
const simulationText = s => s.none ? s.folder : [about.runs.length > 1 ? s.folder : '', s.fabric, s.size_bytes > 0 ? bytesText(s.size_bytes) : '', s.phase, s.complete ? '' : 'incomplete'].filter(Boolean).join(' · ');

// control is an input with its label, which stay together.
const control = (text, input) => el('span', { class: 'control' }, el('label', { for: input.id }, text), input);

// dataTable is a table of texts. A row with a call is chosen by a button in its first cell.
function dataTable(label, heads, rows) {
  return el('div', { class: 'card scroll', tabindex: 0, role: 'region', 'aria-label': label },
    el('table', { class: 'data' }, el('caption', { class: 'unseen' }, label),
      el('thead', {}, el('tr', {}, heads.map(h => el('th', { scope: 'col', class: h.numeric ? 'n' : 'w' }, h.text ?? h)))),
      el('tbody', {}, rows.map(r => el('tr', { class: r.chosen ? 'chosen' : false }, r.cells.map((c, i) => el('td', { class: heads[i].numeric ? 'n' : 'w' },
        i === 0 && r.call ? el('button', { type: 'button', class: 'plain', 'aria-pressed': String(!!r.chosen), onclick: r.call }, c) : c)))))));
}

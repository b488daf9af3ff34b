// Completion: the fields and values that the schema of a scenario has at a place of its text.

// placeIn is where a cursor is in a scenario: the names of the sections around it, whether a value or a field is
// written there, and what of it is written.
function placeIn(text, cursor) {
  const before = text.slice(0, cursor);
  const open = []; // of { and [, with the field that they belong to
  let line = 0, start = 0, quote = '';
  for (let i = 0; i < before.length; i++) {
    const c = before[i];
    if (c === '\n') { line = i + 1; quote = ''; if (!open.length) start = line; continue; }
    if (quote) { if (c === quote) quote = ''; continue; }
    if ((c === '"' || c === "'") && /[\s[{,:]$/.test(before.slice(line, i) || ' ')) { quote = c; continue; }
    if (c === '#' && /(^|\s)$/.test(before.slice(line, i))) { const end = before.indexOf('\n', i); if (end < 0) return null; i = end - 1; continue; }
    if (c === '{' || c === '[') open.push({ at: i, field: before.slice(start, i).match(/([\w-]+)\s*:\s*$/)?.[1] });
    if (c === '}' || c === ']') open.pop();
  }
  const path = parents(before.slice(0, start), before.slice(start, open[0]?.at ?? before.length));
  for (const o of open) if (o.field) path.push(o.field);
  const own = before.slice(open.length ? open[open.length - 1].at + 1 : start).split(open.length ? ',' : '\u0000').pop();
  const m = own.match(/^\s*(?:- +)*([\w-]+):\s+([\w.-]*)$/) ?? (open.length && before[open[open.length - 1].at] === '[' ? [null, null, own.trim()] : null);
  if (m) return { path: m[1] ? [...path, m[1]] : path, value: true, begun: m[2] };
  const field = own.match(/^\s*(?:- *)*([\w-]*)$/);
  return field ? { path, value: false, begun: field[1] } : null;
}

// parents are the sections around a line, by its indentation.
function parents(above, line) {
  const of = text => { const m = text.match(/^(\s*)((?:- +)*)(?:([\w-]+)\s*:)?/); return { dash: m[1].length, item: m[2] !== '', at: m[1].length + m[2].length, field: m[3] }; };
  const path = [], here = of(line);
  let least = here.item ? here.dash + 0.5 : here.at;
  for (const text of above.split('\n').reverse()) {
    if (!text.trim() || /^\s*#/.test(text)) continue;
    const x = of(text);
    if (x.at < least) {
      if (x.field) path.unshift(x.field);
      least = x.at;
    }
    if (x.item && x.at <= least) least = x.dash + 0.5; // a field of a list's item: the list is above its dash
  }
  return path;
}

// variants are the forms that a schema allows at a place: without references, lists and choices.
function variants(root, schema, depth = 0) {
  if (!schema || depth > 12) return [];
  if (schema.$ref) return variants(root, root.$defs[schema.$ref.split('/').pop()], depth + 1).map(v => ({ ...v, description: schema.description ?? v.description }));
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts) return parts.flatMap(p => variants(root, p, depth + 1)).concat(schema.properties ? [schema] : []).map(v => ({ ...v, description: schema.description ?? v.description }));
  if (schema.items) return variants(root, schema.items, depth + 1);
  return [schema];
}

// offered are the fields or values at a place that begin with what is written, with what they mean.
function offered(root, place) {
  let at = variants(root, root);
  for (const name of place.path) at = at.flatMap(v => variants(root, v.properties?.[name]));
  const out = new Map();
  for (const v of at) {
    if (place.value) for (const x of v.enum ?? (v.type === 'boolean' ? ['true', 'false'] : [])) out.set(String(x), v.description ?? '');
    else for (const [name, p] of Object.entries(v.properties ?? {})) out.set(name, p.description ?? '');
  }
  return [...out].map(([name, text]) => ({ name, text })).filter(o => o.name.startsWith(place.begun) && o.name !== place.begun).sort((a, b) => a.name < b.name ? -1 : 1);
}

// completion offers names below a text area while it is written. changed is called when one was taken.
function completion(area, changed) {
  const list = el('ul', { id: area.id + '-names', class: 'names', role: 'listbox', 'aria-label': 'names that fit here', hidden: true }), note = el('p', { class: 'note meaning', 'aria-live': 'polite' });
  let names = [], chosen = 0, schema = null, place = null;
  const close = () => { list.hidden = true; names = []; note.textContent = ''; area.removeAttribute('aria-activedescendant'); };
  const show = () => {
    list.replaceChildren(...names.slice(0, 12).map((n, i) => el('li', { id: `${list.id}-${i}`, role: 'option', 'aria-selected': String(i === chosen), onpointerdown: e => { e.preventDefault(); take(i); } }, n.name)));
    list.hidden = !names.length;
    note.textContent = names[chosen]?.text ?? '';
    if (names.length) area.setAttribute('aria-activedescendant', `${list.id}-${chosen}`);
  };
  const take = i => {
    const rest = names[i].name.slice(place.begun.length) + (place.value ? '' : ': '), end = area.selectionStart;
    close();
    area.setRangeText(rest, end, end, 'end');
    changed();
  };
  const offer = async (asked = false) => {
    schema ??= JSON.parse(new TextDecoder().decode(await bytes('schema')));
    place = area.selectionStart === area.selectionEnd ? placeIn(area.value, area.selectionStart) : null;
    if (!place || !asked && !place.begun && !place.value) return close();
    names = offered(schema, place).slice(0, 12);
    chosen = 0;
    show();
  };
  area.setAttribute('aria-autocomplete', 'list');
  area.setAttribute('aria-controls', list.id);
  area.addEventListener('input', () => offer().catch(failed));
  area.addEventListener('blur', close);
  area.addEventListener('click', close);
  area.addEventListener('keydown', e => {
    if (e.key === ' ' && e.ctrlKey) { e.preventDefault(); offer(true).catch(failed); return; }
    if (list.hidden) return;
    const act = { ArrowDown: () => { chosen = (chosen + 1) % names.length; show(); }, ArrowUp: () => { chosen = (chosen + names.length - 1) % names.length; show(); }, Enter: () => take(chosen), Tab: () => take(chosen), Escape: close }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
  return [list, note];
}

// numbered puts numbers beside the lines of a text area; mark shows lines with faults.
function numbered(area) {
  const numbers = el('pre', { class: 'numbers', 'aria-hidden': 'true' });
  let bad = new Set();
  const draw = () => {
    const n = area.value.split('\n').length;
    numbers.replaceChildren(...Array.from({ length: n }, (_, i) => el('span', { class: bad.has(i + 1) ? 'bad' : false }, i + 1 + '\n')));
    numbers.scrollTop = area.scrollTop;
  };
  area.addEventListener('scroll', () => { numbers.scrollTop = area.scrollTop; });
  return { place: el('div', { class: 'editor' }, numbers, area), draw, mark: lines => { bad = new Set(lines); draw(); } };
}

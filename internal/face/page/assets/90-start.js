// The frame of the page: tabs, choices, the time slider, and the place of the view.
const views = [...(embedded ? [] : [verdict]), map, heat, flows, track, switches, why, compare, training, tables, ...(embedded ? [] : [report, begin])];
const ui = {};
let drawing = 0, playing = 0;

function frame(root) {
  if (!about.starts) views.splice(views.indexOf(begin), Number(views.includes(begin)));
  ui.tabs = el('nav', { class: 'tabs', 'aria-label': 'views' }, views.map(v => el('button', { type: 'button', id: 'tab-' + v.id, onclick: () => set({ view: v.id }, true) }, v.label)));
  ui.simulation = el('select', { id: 'simulation', onchange: e => set({ simulation: e.target.value, links: '', flow: '', focus: '', time: '', from: '', to: '', rank: '', switch: '' }, true) });
  ui.quantity = el('select', { id: 'quantity', onchange: e => set({ quantity: e.target.value }) }, about.quantities.map(q => el('option', { value: q.id }, q.label)));
  ui.time = el('input', { id: 'time', type: 'range', min: 0, max: 0, step: 1, oninput: e => set({ time: Number(e.target.value) * ui.interval }) });
  ui.now = el('output', { for: 'time' });
  ui.play = el('button', { type: 'button', onclick: play }, 'Play');
  ui.message = el('p', { class: 'message', role: 'alert', hidden: true });
  ui.panel = el('div', { class: 'panel' });
  ui.series = el('div', { class: 'series' });
  ui.live = el('div');
  ui.note = el('p', { hidden: true });
  ui.partial = el('p', { class: 'message', hidden: true }, 'Partial: the run was stopped before its end. What had not ended is incomplete or missing.');
  ui.which = control('links show', ui.quantity);
  ui.timeline = el('div', {}, el('div', { class: 'controls timeline' }, ui.play, el('label', { for: 'time' }, 'time'), ui.time, ui.now), overview.make());
  ui.find = el('span', { class: 'finding' }, search.make());
  root.replaceChildren(ui.live, ui.tabs, el('div', { class: 'controls' }, control('simulation', ui.simulation), ui.which, ui.find), ui.timeline, ui.partial, ui.message, ui.note, ui.panel, ui.series, ui.saving = saving());
  for (const v of views) {
    v.panel = el('section', { 'aria-labelledby': 'tab-' + v.id, hidden: true });
    v.make(v.panel);
    ui.panel.append(v.panel);
  }
}

// fill lists the simulations, and chooses the first if the chosen one is gone.
function fill() {
  const all = choices(), first = all.find(s => !s.none) ?? all[0];
  ui.simulation.replaceChildren(...all.map(s => el('option', { value: s.key }, simulationText(s) + (about.runs[s.run].partial ? ' · partial' : ''))));
  defaults.simulation = first?.key ?? '';
  if (!all.some(s => s.key === state.simulation)) state.simulation = (all.find(s => String(s.run) === state.simulation.split('.')[0]) ?? first)?.key ?? '';
}

// play moves the time until the end of the simulation.
function play() {
  if (playing) { clearInterval(playing); playing = 0; ui.play.textContent = 'Play'; return; }
  ui.play.textContent = 'Stop';
  if (Number(ui.time.value) >= Number(ui.time.max)) set({ time: Number(ui.time.min) * ui.interval });
  playing = setInterval(() => {
    if (Number(ui.time.value) >= Number(ui.time.max)) return play();
    set({ time: Math.min(Number(ui.time.max), Number(ui.time.value) + Math.max(1, Math.round((ui.time.max - ui.time.min) / 128))) * ui.interval });
  }, 120);
}

// refresh draws the view again; of several at once the last one counts.
async function refresh() {
  const mine = ++drawing;
  try {
    const view = views.find(v => v.id === state.view) || views[0];
    const root = document.getElementById('weft'), chosen = choices().find(s => s.key === state.simulation);
    let none = view.bare ? '' : chosen ? chosen.none : 'There is no run yet.';
    const s = view.bare || none ? chosen : await scene(state.simulation, state.quantity);
    if (mine !== drawing) return;
    if (view.links && s?.linkless) none = 'This entry has no links over time: the view Training shows the operations of a step.';
    for (const v of views) {
      v.panel.hidden = v !== view || Boolean(none);
      document.getElementById('tab-' + v.id).setAttribute('aria-current', v === view ? 'page' : 'false');
    }
    const tab = document.getElementById('tab-' + view.id).getBoundingClientRect(), tabs = ui.tabs.getBoundingClientRect();
    ui.tabs.scrollLeft += Math.max(0, tab.right - tabs.right) + Math.min(0, tab.left - tabs.left); // on a phone they scroll
    heading(chosen);
    ui.simulation.value = state.simulation;
    ui.partial.hidden = !chosen || !about.runs[chosen.run].partial;
    ui.which.hidden = ui.timeline.hidden = ui.find.hidden = ui.saving.hidden = view.bare || Boolean(none);
    ui.seen = s;
    ui.note.hidden = !none;
    ui.note.textContent = none;
    if (view.bare || none) {
      if (!none) await view.draw(s);
      if (mine !== drawing) return;
      ui.saving.hidden = Boolean(none) || !view.rows?.length;
      ui.message.hidden = ui.series.hidden = true;
      root.dataset.ready = `${view.id} ${state.simulation} ${state.quantity} ${none ? 'none' : ''}`;
      return;
    }
    const short = await detailed(s), seen = view.short ? short : s;
    if (mine !== drawing) return;
    ui.interval = seen.interval_ps;
    ui.scene = s;
    ui.seen = seen;
    const win = windowOf(seen), first = timeOf(seen, 0) / seen.interval_ps; // the slider counts intervals from 0
    ui.time.min = first + win.a;
    ui.time.max = first + win.b - 1;
    const at = chosenColumn(seen);
    ui.time.value = first + at;
    ui.time.setAttribute('aria-valuetext', timeText(timeOf(seen, at)));
    ui.now.textContent = `${timeText(timeOf(seen, at))} of ${timeText(s.duration_ps)}`;
    ui.quantity.value = s.quantity.id;
    overview.draw(s, seen.says);
    search.draw(s);
    await view.draw(seen);
    if (mine !== drawing) return;
    chosenSeries(short);
    ui.message.hidden = true;
    root.dataset.drawn ??= performance.now(); // ms since the page was asked for
    root.dataset.ready = `${view.id} ${s.key} ${s.quantity.id} ${first + at}`;
  } catch (e) {
    if (mine !== drawing) return;
    for (const v of views) { // what was drawn is of something else
      v.panel.hidden = true;
      document.getElementById('tab-' + v.id).setAttribute('aria-current', v.id === state.view ? 'page' : 'false');
    }
    ui.series.hidden = ui.timeline.hidden = ui.which.hidden = ui.find.hidden = ui.saving.hidden = ui.note.hidden = true;
    ui.simulation.value = state.simulation;
    ui.message.hidden = false;
    ui.message.textContent = e.message;
    document.getElementById('weft').dataset.ready = 'error';
  }
}

// chosenSeries is the chosen links over time.
function chosenSeries(s) {
  const links = chosenLinks().filter(l => s.links.link.includes(l)).slice(0, 12);
  ui.series.hidden = !links.length || ['tables', 'track', 'switches'].includes(state.view);
  if (ui.series.hidden) { ui.series.replaceChildren(); return; }
  const place = el('div', { class: 'card pad' });
  ui.series.replaceChildren(el('h3', {}, 'Chosen links over time'), el('button', { type: 'button', onclick: () => set({ links: '' }) }, 'Choose none'), place);
  const unit = s.quantity.unit;
  chart(place, {
    x: [...Array(s.matrix.intervals).keys()].map(i => timeOf(s, i)), mark: chosenTime(s), xLabel: 'time', scene: s, binary: unit === 'bytes', yLabel: s.quantity.label, yText: v => valueText(v, unit),
    range: unit === 'share' ? [0, 1.02] : undefined, text: `${s.quantity.label} of ${links.length} links over time`,
    lines: links.map(l => ({ label: s.links.name[s.links.link.indexOf(l)], y: Array.from(row(s.matrix, l)) })),
  });
}

async function start() {
  const root = document.getElementById('weft');
  try {
    about = await data('runs');
    frame(root);
    fill();
    if (!about.runs.length) state.view = defaults.view = 'begin';
    if (!embedded && about.runs[choices().find(s => s.key === readAddress().simulation)?.run]?.compared) state.view = defaults.view = 'verdict';
    Object.assign(state, readAddress());
    fill();
    if (!about.quantities.some(q => q.id === state.quantity)) state.quantity = defaults.quantity;
    watchers.push(refresh);
    window.addEventListener('hashchange', () => set(readAddress()));
    window.addEventListener('popstate', () => set(readAddress()));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
    let width = innerWidth;
    window.addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; refresh(); } });
    live.make(ui.live);
    await refresh();
  } catch (e) {
    root.textContent = 'The page cannot be shown: ' + e.message;
    root.dataset.ready = 'error';
  }
}

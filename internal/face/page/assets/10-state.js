// The state that all views share. It is also the address of the page: #view=map&simulation=0.3&...
const defaults = { view: 'map', simulation: '', other: '', quantity: 'utilisation', time: '', from: '', to: '', links: '', focus: '', flow: '', table: '', rank: '', switch: '' };
const state = { ...defaults };
const watchers = [];

// set changes the state, writes it into the address and tells the views, with the names of what changed.
function set(change, push = false) {
  const changed = Object.keys(change).filter(k => String(change[k]) !== state[k]);
  if (!changed.length) return;
  for (const k of changed) state[k] = String(change[k]);
  const text = Object.keys(state).filter(k => state[k] !== defaults[k]).map(k => k + '=' + encodeURIComponent(state[k])).join('&');
  history[push ? 'pushState' : 'replaceState'](null, '', '#' + text);
  for (const w of watchers) w(changed);
}

// readAddress takes the state from the address; unknown names are ignored.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const next = {};
  for (const k of Object.keys(defaults)) next[k] = given.has(k) ? given.get(k) : (k === 'simulation' ? state.simulation : defaults[k]);
  return next;
}

const chosenLinks = () => state.links.split(',').filter(Boolean).map(Number);

// Runs that go on: their progress by server-sent events, and the requests to pause, continue and stop.
const address = new URLSearchParams(location.hash.slice(1));
if (!embedded && address.has('token')) {
  localStorage.setItem('weft-token', address.get('token')); // for the other tabs at this port, too
  address.delete('token'); // the address may be passed on
  history.replaceState(null, '', location.pathname + (address.size ? '#' + address : ''));
}
const permit = embedded ? '' : localStorage.getItem('weft-token') ?? '';
const permitted = () => ({ 'Weft-Token': permit });

// post asks the server to do something, as somebody who has the address that weft ui printed.
async function post(path, body = '') {
  const answer = await fetch(path, { method: 'POST', body, headers: permitted() });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer;
}

const secondsText = s => s < 60 ? Math.max(1, Math.round(s)) + ' s' : s < 3600 ? Math.round(s / 60) + ' min' : digits(s / 3600, 2) + ' h';
const manyText = n => n < 1e4 ? digits(n) : scaled(n, 1000, ['', 'thousand', 'million', 'billion', 'trillion']);

// progressText are the figures of a run that goes on.
const progressText = p => [
  p.total ? `${p.done} of ${p.total} simulations` : 'No simulation has ended yet', p.what, p.size_bytes ? bytesText(p.size_bytes) : '',
  p.events ? `${timeText(p.simulated_ps)} simulated, ${manyText(p.events)} events, ${manyText(p.packet_hops / Math.max(p.wall_s, 0.001))} packet-hops per second` : '',
  p.skipped_periods ? `${timeText(p.skipped_ps)} skipped, ${manyText(p.skipped_periods)} periods that repeat earlier ones exactly` : '',
  p.state === 'running' && p.left_s ? `about ${secondsText(p.left_s)} left` : '',
].filter(Boolean).join(' · ');

const live = {
  cards: new Map(), // by the number of the run
  turn: Promise.resolve(), // one event after the other: the last answer is the newest
  make(place) {
    this.place = place;
    about.runs.forEach((run, r) => this.show(run, r));
    if (embedded || !about.starts && !about.runs.some(run => run.progress)) return;
    document.addEventListener('visibilitychange', () => this.listen());
    this.listen();
  },
  // listen asks for events while the page is seen: a browser has six connections to a server, for all its tabs.
  listen() {
    if (document.hidden) {
      this.events?.close();
      this.events = null;
      return;
    }
    this.events ??= new EventSource('events?token=' + permit);
    this.events.onmessage = e => { this.lost(false); this.turn = this.turn.then(() => this.news(JSON.parse(e.data))).catch(failed); };
    this.events.onerror = () => this.lost(true);
  },
  // lost says that the server does not answer; the browser asks again by itself.
  lost(is) {
    this.gone ??= el('p', { class: 'message', role: 'alert', hidden: true }, 'weft ui does not answer. Runs that it has begun go on.');
    if (!this.gone.isConnected) this.place.before(this.gone);
    this.gone.hidden = !is;
  },
  // news shows the runs that go on; when one has begun or ended, the page asks for all runs again.
  async news(runs) {
    runs.forEach((run, r) => this.show(run, r));
    const known = list => JSON.stringify(list.map(run => [run.name, run.note, run.progress ? run.progress.views ?? 0 : -1]));
    if (known(runs) === known(about.runs)) return;
    kept.delete('runs');
    about = await data('runs');
    kept.clear(); // also what was asked for meanwhile
    fill();
    await refresh();
  },
  show(run, r) {
    let card = this.cards.get(r);
    if (!run.progress) {
      card?.root.remove();
      this.cards.delete(r);
      return;
    }
    if (!card) {
      const ask = (request, text) => el('button', { type: 'button', onclick: () => post(`ask/${r}/${request}`).catch(failed) }, text);
      card = { bar: el('progress', { 'aria-label': 'progress of ' + run.name }), text: el('p', { class: 'note' }), state: el('span', { role: 'status' }), pause: ask('pause', 'Pause'), go: ask('continue', 'Continue'), stop: ask('stop', 'Stop, keep the results so far') };
      card.root = el('section', { class: 'card pad live', 'aria-label': 'run ' + run.name }, el('p', {}, el('strong', {}, run.name), ': ', card.state), card.bar, card.text, el('div', { class: 'controls' }, card.pause, card.go, card.stop));
      this.cards.set(r, card);
      this.place.append(card.root);
    }
    const p = run.progress;
    if (p.total) { card.bar.max = p.total; card.bar.value = p.done; }
    if (card.state.textContent !== p.state) card.state.textContent = p.state;
    card.text.textContent = progressText(p);
    card.pause.hidden = p.state !== 'running';
    card.go.hidden = p.state !== 'paused';
    card.stop.hidden = p.state === 'stopping';
  },
};

// failed shows an error of something that the user asked for.
function failed(e) {
  ui.message.hidden = false;
  ui.message.textContent = e.message;
}

// New run: a scenario is edited, checked while it is written, and run in a process of its own.
const begin = {
  id: 'begin', label: 'New run', bare: true,
  make(panel) {
    this.from = el('select', { id: 'begin-from', onchange: () => this.load() });
    this.name = el('input', { id: 'begin-name', value: 'run-1', maxlength: 64, autocomplete: 'off', oninput: () => this.later() });
    this.text = el('textarea', { id: 'begin-text', rows: 24, spellcheck: 'false', wrap: 'off', oninput: () => { this.lines.draw(); this.later(); } });
    this.as = el('select', { id: 'begin-as', onchange: () => this.load() }, el('option', { value: 'written' }, 'as it was written'), el('option', { value: '' }, 'with every field'));
    this.lines = numbered(this.text);
    this.faults = el('ul', { class: 'faults' });
    this.verdict = el('p', { role: 'status', class: 'note' });
    this.go = el('button', { type: 'button', disabled: true, onclick: () => this.start() }, 'Start the run');
    panel.append(el('p', { class: 'note' }, 'The scenario is written to NAME.yaml and the run to the folder NAME, in the folder that weft ui was given. The run goes on when this page or weft ui ends.'),
      el('div', { class: 'controls' }, control('begin with the scenario of', this.from), control('shown', this.as), control('name of the new run', this.name), this.go),
      el('label', { for: 'begin-text' }, 'scenario (Ctrl and space: the names that fit)'), this.lines.place, ...completion(this.text, () => { this.lines.draw(); this.later(); }), this.verdict, this.faults);
  },
  draw(s) {
    const ended = about.runs.map((run, r) => [run, r]).filter(([run]) => !run.progress);
    const chosen = this.from.value;
    this.from.replaceChildren(el('option', { value: '' }, 'a small example'), ...ended.map(([run, r]) => el('option', { value: r }, run.name)));
    const names = about.runs.map(run => run.name);
    for (let n = 1; names.includes(this.name.value); n++) this.name.value = 'run-' + n;
    if (this.filled) {
      this.from.value = chosen;
      return this.check();
    }
    this.filled = true;
    this.from.value = s && !about.runs[s.run].progress ? s.run : '';
    return this.load();
  },
  async load() {
    this.text.value = this.from.value === '' ? smallScenario : new TextDecoder().decode(await bytes(`scenario/${this.from.value}${this.as.value ? '?as=' + this.as.value : ''}`));
    this.lines.draw();
    await this.check();
  },
  // later checks when nothing has been typed for a moment.
  later() {
    this.go.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 250);
  },
  async ask(what) {
    const mine = this.asked = (this.asked ?? 0) + 1;
    this.go.disabled = true;
    try {
      const answer = await (await post(`${what}/${encodeURIComponent(this.name.value || ' ')}`, this.text.value)).json();
      if (mine !== this.asked) return null; // the text has changed
      this.faults.replaceChildren(...answer.faults.map(f => el('li', {}, f.line ? el('button', { type: 'button', class: 'plain', onclick: () => this.point(f) }, f.text) : f.text)));
      this.lines.mark(answer.faults.map(f => f.line));
      this.verdict.textContent = answer.faults.length ? 'Nothing is run until this is mended:' : 'The scenario is valid.';
      this.go.disabled = answer.faults.length > 0;
      return answer;
    } catch (e) {
      this.verdict.textContent = e.message;
      return null;
    }
  },
  check() { return this.ask('check'); },
  async start() {
    const answer = await this.ask('start');
    if (!answer || answer.run < 0) return;
    this.verdict.textContent = 'The run has begun.';
    this.go.disabled = true;
    set({ simulation: choices().find(s => s.run === answer.run)?.key ?? answer.run + '.', view: 'map', time: '', from: '', to: '', links: '', focus: '', flow: '', rank: '', switch: '' }, true); // a short run has ended
  },
  // point puts the cursor at a fault.
  point(f) {
    const lines = this.text.value.split('\n'), at = lines.slice(0, f.line - 1).reduce((n, l) => n + l.length + 1, 0) + f.column - 1;
    this.text.focus();
    this.text.setSelectionRange(at, at + 1);
  },
};

const smallScenario = `name: incast
cluster: {nodes: 4, node: {gpu: h100, gpus: 4, nics: 4, nic: connectx-7}}
workload: {pattern: incast, fan-in: 6, sizes: [256KiB, 4MiB]}
fabrics: [infiniband-ndr, roce-v2-400g]
`;

// Report: the sentences and tables of the run, as report.html of the folder has them, in a frame without scripts.
const report = {
  id: 'report', label: 'Report', live: true,
  make(panel) { this.place = el('div'); panel.append(this.place); },
  draw(s) {
    if (this.run === s.run) return;
    this.run = s.run;
    this.place.replaceChildren(about.runs[s.run].report
      ? el('iframe', { class: 'report', src: 'report/' + s.run, title: 'report.html of ' + about.runs[s.run].name, sandbox: '' })
      : el('p', {}, 'The folder has no report.html.'));
  },
};

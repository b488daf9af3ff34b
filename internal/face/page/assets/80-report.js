// Report: the sentences and tables of the run, as report.html of the folder has them, in a frame without scripts.
const report = {
  id: 'report', label: 'Report', bare: true,
  make(panel) { this.place = el('div'); panel.append(this.place); },
  draw(s) {
    const run = s ? about.runs[s.run] : null;
    if (this.run === run) return;
    this.run = run;
    this.place.replaceChildren(run?.report
      ? el('iframe', { class: 'report', src: `report/${s.run}?token=${permit}`, title: 'report.html of ' + run.name, sandbox: '' })
      : el('p', {}, run?.note || 'The folder has no report.html.'));
  },
};

// The heading of the page: which run it shows. In a report the document has its own.
function heading(s) {
  if (embedded) return;
  const run = s ? about.runs[s.run] : null, title = document.querySelector('main > header h1'), sub = document.querySelector('main > header .sub');
  const name = run?.scenario || run?.name || 'New run';
  title.textContent = name;
  sub.textContent = run ? [run.cluster, s.fabric, run.scenario ? 'folder ' + run.name : '', run.seed ? 'seed ' + run.seed : ''].filter(Boolean).join(' · ') : 'There is no run yet.';
  document.title = (run && name !== run.name ? name + ' · ' + run.name : name) + ' · weft';
}

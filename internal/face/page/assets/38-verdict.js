// Verdict: the first screen of a run that compares fabrics. Its conclusion in at most ten lines, and where the lead
// comes from, as a picture.
const verdict = {
  id: 'verdict', label: 'Verdict', bare: true,
  make(panel) { this.body = el('div'); panel.append(this.body); },
  async draw(s) {
    const run = s ? about.runs[s.run] : null;
    this.rows = [];
    if (!run?.compared) { this.body.replaceChildren(el('p', {}, 'A verdict needs a run that has ended and compares several fabrics.')); return; }
    const v = await data(`verdict/${s.run}/`);
    const pictures = v.trials.slice(0, 6).map(t => this.trial(t));
    if (!v.trials.length && v.times?.length) pictures.push(this.times(v.times));
    this.rows = v.trials.length ? [['faster', 'slower', 'size_bytes', 'faster_ps', 'slower_ps', 'property', 'effect_ps'], ...v.trials.flatMap(t => t.steps.map(x => [t.faster, t.slower, t.bytes, t.faster_ps, t.slower_ps, x.property, x.effect_ps]))]
      : [['fabric', 'size_bytes', 'time_ps'], ...(v.times ?? []).map(t => [t.fabric, t.bytes, t.time_ps])];
    this.body.replaceChildren(el('section', { class: 'card verdict', 'aria-label': 'verdict' }, v.lines.map(l => el('p', {}, l))), ...pictures.map(p => p.place));
    for (const p of pictures) p.paint();
  },
  csv() { return csvText(this.rows); },
  // trial is a waterfall: from the time of the slower fabric, property by property, to that of the faster one.
  trial(t) {
    const large = t.steps.filter(x => Math.abs(x.effect_ps) * 200 >= t.slower_ps - t.faster_ps), rest = t.slower_ps - t.faster_ps - large.reduce((n, x) => n + x.effect_ps, 0);
    let at = t.slower_ps;
    const bars = [{ name: t.slower, from: 0, to: t.slower_ps, colour: '--c0', text: timeText(t.slower_ps) }];
    for (const x of [...large, ...(rest ? [{ property: 'rest', effect_ps: rest }] : [])]) {
      bars.push({ name: x.property, from: at, to: at - x.effect_ps, colour: x.effect_ps > 0 ? '--c3' : '--c1', text: (x.effect_ps > 0 ? '−' : '+') + timeText(Math.abs(x.effect_ps)) });
      at -= x.effect_ps;
    }
    bars.push({ name: t.faster, from: 0, to: t.faster_ps, colour: '--c0', text: timeText(t.faster_ps) });
    return this.picture(`${t.faster} over ${t.slower}${t.bytes ? ' at ' + bytesText(t.bytes) : ''}: where the time goes`, bars);
  },
  times(list) {
    const last = list[list.length - 1];
    return this.picture(`Times${last.bytes ? ' at ' + bytesText(last.bytes) : ''}`, list.map(t => ({ name: t.fabric, from: 0, to: t.time_ps, colour: '--c0', text: t.time_ps ? timeText(t.time_ps) : 'no result' })));
  },
  picture(title, bars) {
    const canvas = el('canvas', { class: 'waterfall', role: 'img', 'data-title': title, 'aria-label': `${title}: ${bars.map(b => `${b.name} ${b.text}`).join(', ')}` });
    return { place: el('div', {}, el('h3', {}, title), el('div', { class: 'card pad' }, canvas)), paint: () => {
      const h = 26, { g, width } = prepare(canvas, bars.length * h + 4), most = Math.max(1, ...bars.flatMap(b => [b.from, b.to]));
      g.font = '13px system-ui';
      const left = Math.min(width * 0.45, 14 + Math.max(...bars.map(b => g.measureText(b.name).width))), room = 10 + Math.max(...bars.map(b => g.measureText(b.text).width)), x = t => left + (width - left - room) * t / most;
      bars.forEach((b, y) => {
        g.fillStyle = token('--ink');
        g.fillText(fitted(g, b.name, left - 12), 0, y * h + 17);
        g.fillStyle = token(b.colour);
        g.fillRect(x(Math.min(b.from, b.to)), y * h + 4, Math.max(1.5, Math.abs(x(b.to) - x(b.from))), h - 8);
        g.fillStyle = token('--soft');
        if (y + 1 < bars.length) g.fillRect(x(b.to), y * h + 4, 1, h);
        g.fillStyle = token('--ink');
        g.fillText(b.text, x(Math.max(b.from, b.to)) + 6, y * h + 17);
      });
      Object.assign(canvas.dataset, { bars: bars.map(b => `${b.name} ${b.text}`).join('; '), spans: bars.map(b => `${timeText(b.from)} to ${timeText(b.to)}`).join('; ') });
    } };
  },
};

// Why: the chain of causes of a slow message. Its own path first, with what each hop cost; then, from the hop that was
// stopped for longest, who stopped it, up to the root.
const why = {
  id: 'why', label: 'Why',
  make(panel) { this.body = el('div'); panel.append(this.body); },
  async draw(s) {
    const [F, P] = await Promise.all([rowsOf('flows', s), rowsOf('pauses', s)]);
    const order = slowest(F);
    const causes = P.rows ? await data(`causes/${s.run}/${s.simulation}`) : null;
    const all = causes ? [el('h3', {}, 'All pauses, from the root cause to those who waited'), tree(s, causes)] : [];
    if (!order.length) { this.body.replaceChildren(el('p', {}, 'No message between NICs was recorded.'), ...all); return; }
    const i = order.find(k => flowKey(F, k) === state.flow) ?? order[0];
    const hops = await hopsOf(s, flowKey(F, i));
    const choice = el('select', { id: 'why-flow', onchange: e => chooseFlow(s, flowKey(F, order[e.target.value]), F.start_ps[order[e.target.value]]) },
      order.slice(0, 40).map((k, n) => el('option', { value: n, selected: k === i }, `${nodeName(s, F.src_node[k])} to ${nodeName(s, F.dst_node[k])}, ${timeText(F.end_ps[k] - F.start_ps[k])}`)));
    const parts = [el('div', { class: 'controls' }, control('message', choice)),
      el('p', {}, `${nodeName(s, F.src_node[i])} sent ${bytesText(F.bytes[i])} to ${nodeName(s, F.dst_node[i])} from ${timeText(F.start_ps[i])} on. It took ${timeText(F.end_ps[i] - F.start_ps[i])}${F.retransmissions[i] ? `, with ${F.retransmissions[i]} packets sent again` : ''}.`)];
    if (!hops.length) parts.push(el('p', { class: 'note' }, 'Its path was not recorded: it is not among the slowest 256, it is a READ, or its switches choose the path of each packet.'));
    if (hops.length) parts.push(hopTable(hops), ...await this.chain(s, F, i, hops, P, causes));
    this.body.replaceChildren(...parts, ...all);
  },
  async chain(s, F, i, hops, P, causes) {
    const worst = hops.reduce((a, b) => b.stopped > a.stopped ? b : a);
    if (!worst.stopped) {
      const queue = hops.reduce((a, b) => b.wait > a.wait ? b : a);
      return [el('p', { class: 'verdict-line' }, queue.wait > 0 ? `Nobody stopped it. The longest queue was at ${queue.name}: a packet waited there for ${timeText(queue.wait)} on average.` : 'Nobody stopped it, and no queue stood in its way: its time is its own bytes and the path.')];
    }
    const steps = causes ? pauseChain(s, P, causes, worst.link, F.lane[i]) : creditChain(s, await data(`matrix/${s.run}/${s.simulation}/stopped`), await data(`matrix/${s.run}/${s.simulation}/queue`), worst.link, F.start_ps[i], F.end_ps[i]);
    const links = steps.map(x => x.link).filter(x => x >= 0);
    return [el('h3', {}, 'Chain of causes'), el('ol', { class: 'chain', 'data-root': steps[steps.length - 1].text }, steps.map(x => el('li', {}, x.link >= 0 ? el('button', { type: 'button', class: 'plain', onclick: () => set({ links: x.link }) }, x.text) : x.text))),
      el('button', { type: 'button', onclick: () => set({ links: links.join(','), view: 'map' }, true) }, 'Show the chain on the map')];
  },
};

const linkName = (s, link) => s.links.name[s.links.link.indexOf(link)] ?? 'link ' + link;

// pauseChain follows pauses.parquet from a link to the root, whose text is that of weft explain.
function pauseChain(s, P, causes, link, lane) {
  const out = [], seen = new Set();
  for (;;) {
    const of = [...Array(P.rows).keys()].filter(i => P.link[i] === link);
    const i = of.find(k => P.lane[k] === lane) ?? of[0];
    if (i === undefined) { out.push({ link, text: `${linkName(s, link)} was stopped; its pauses are not among the longest, which were recorded.` }); return out; }
    if (!seen.has(link)) out.push({ link, text: `${linkName(s, link)} was paused ${counted(P.pauses[i], 'time')}, for ${timeText(P.paused_ps[i])}, first at ${timeText(P.first_ps[i])}.` });
    if (seen.has(link) || P.after_link[i] < 0) {
      const root = causes.rows.find(r => r.link === link && r.lane === P.lane[i]);
      out.push({ link: P.cause_link[i], text: 'Root cause: ' + (root ? root.root : 'not recorded') + '.' });
      return out;
    }
    seen.add(link);
    link = P.after_link[i];
  }
}

// creditChain follows waits for credits: the next link is the one with the longest queue at the node where
// a link that waits ends.
function creditChain(s, stopped, queue, link, from, to) {
  const out = [], seen = new Set(), L = s.links;
  const during = (m, l) => { let v = 0; for (let t = Math.floor(from / s.interval_ps); t <= Math.floor(to / s.interval_ps); t++) v += m.at(l, t); return v; };
  for (;;) {
    const waits = during(stopped, link) * s.interval_ps, end = L.to_node[L.link.indexOf(link)], next = [];
    L.link.forEach((l, k) => { if (L.from_node[k] === end && l !== L.back[L.link.indexOf(link)]) next.push(l); });
    if (!waits || seen.has(link)) { out.push({ link, text: seen.has(link) ? `Root cause: ${linkName(s, link)} waits for itself in a circle of credits.` : `Root cause: ${linkName(s, link)} had credits; more came for it than it carries.` }); return out; }
    seen.add(link);
    out.push({ link, text: `${linkName(s, link)} waited for credits for ${timeText(waits)} while the message was under way.` });
    if (!next.length) { out.push({ link: -1, text: `Root cause: ${nodeName(s, end)} does not receive at line rate.` }); return out; }
    link = next.reduce((a, b) => during(queue, b) > during(queue, a) ? b : a);
  }
}

// tree is the pauses as weft explain prints them.
function tree(s, causes) {
  return dataTable('pauses by cause', ['port', { text: 'times', numeric: true }, { text: 'in pause', numeric: true }], causes.rows.map(r => ({
    call: r.link >= 0 ? () => set({ links: r.link }) : null, chosen: chosenLinks().includes(r.link),
    cells: [el('span', {}, el('span', { class: 'branch' }, r.branch || ''), r.text), r.link >= 0 ? r.pauses : '', r.link >= 0 ? timeText(r.paused_ps) : ''],
  })));
}

// Search: a link, a node or a rank by its name. Enter chooses the best that fits.
const search = {
  make() {
    this.names = el('datalist', { id: 'search-names' });
    this.input = el('input', { id: 'search', type: 'search', list: 'search-names', placeholder: 'leaf0 port 3, node1/nic0, rank 5', autocomplete: 'off', onkeydown: e => { if (e.key === 'Enter') this.choose().catch(failed); } });
    this.said = el('span', { class: 'note', role: 'status' });
    return [control('find', this.input), this.names, this.said];
  },
  draw(s) {
    this.scene = s;
    if (this.key === s.run + s.fabric) return;
    this.key = s.run + s.fabric;
    this.names.replaceChildren(...[...s.nodes.name, ...s.links.name].slice(0, 3000).map(n => el('option', { value: n })));
    this.said.textContent = '';
  },
  // best is the name that fits a text: the same, or the first that begins with it, or has it.
  best(list, text) {
    const low = list.map(n => n.toLowerCase());
    for (const fits of [n => n === text, n => n.startsWith(text), n => n.includes(text)]) {
      const i = low.findIndex(fits);
      if (i >= 0) return { i, exact: low[i] === text };
    }
    return null;
  },
  async choose() {
    const s = this.scene, text = this.input.value.trim().toLowerCase().replace(/\s+/g, ' ');
    if (!s || !text) return;
    const rank = text.match(/^rank (\d+)$/);
    if (rank) {
      const ranks = await ranksOf(s);
      if (!ranks.some(r => r.rank === Number(rank[1]))) { this.said.textContent = `There is no rank ${rank[1]}: the run has ${ranks.length}.`; return; }
      this.said.textContent = `rank ${rank[1]}`;
      set({ rank: rank[1], view: 'track' }, true);
      return;
    }
    const node = this.best(s.nodes.name, text), link = this.best(s.links.name, text);
    if (!node && !link) { this.said.textContent = 'No link, node or rank has this name.'; return; }
    if (link && !node?.exact) { // a node that is only a part of it is less
      const l = s.links.link[link.i];
      this.said.textContent = s.links.name[link.i];
      set({ links: l }, true);
      return;
    }
    const n = s.nodes.node[node.i], links = s.links.link.filter((_, k) => s.links.from_node[k] === n || s.links.to_node[k] === n);
    this.said.textContent = `${s.nodes.name[node.i]}, ${links.length} links`;
    set({ links: links.slice(0, 64).join(','), focus: state.view === 'map' && s.nodes.layer[node.i] > 0 ? 'node:' + n : state.focus }, true);
  },
};

package scenario

// namedNICs are the NICs of a non-empty list of names.
func (r *rules) namedNICs(at string, names []string) (nics []int, ok bool) {
	if len(names) == 0 {
		r.complain(at, "no NIC is named: want one such as node0/nic0, or node0 for all of a node's")
		return nil, false
	}
	before := len(r.errs)
	if r.checkNICs(at, names); len(r.errs) > before {
		return nil, false
	}
	return r.Cluster.named(names), true
}

// named are the NICs of a checked list of names.
func (c *Cluster) named(names []string) (nics []int) {
	for _, name := range Expand(names) {
		some, _ := c.NICs(name) // checked names have no errors
		nics = append(nics, some...)
	}
	return nics
}

// namedPairs are the pairs of NICs from two lists of names: those at the same place, or all with the one NIC
// of the other list.
func (r *rules) namedPairs(at string, from, to []string) (pairs [][2]int, ok bool) {
	sources, ok := r.namedNICs(at+".from", from)
	targets, also := r.namedNICs(at+".to", to)
	switch {
	case !ok || !also:
		return nil, false
	case len(sources) != len(targets) && len(sources) != 1 && len(targets) != 1:
		r.complain(at, "from stands for %d NICs and to for %d: give as many, or one", len(sources), len(targets))
		return nil, false
	}
	return paired(sources, targets), true
}

// paired are the pairs of two lists of the same length, or of a list and one NIC. An empty list has none.
func paired(from, to []int) (pairs [][2]int) {
	if len(from) == 0 || len(to) == 0 {
		return nil
	}
	for i := range max(len(from), len(to)) {
		pairs = append(pairs, [2]int{from[min(i, len(from)-1)], to[min(i, len(to)-1)]})
	}
	return pairs
}

// named reports whether the flow has names of NICs.
func (f *Flow) named() bool { return len(f.From) > 0 || len(f.To) > 0 }

// checkNamed checks the names of a flow.
func (r workloadRules) checkNamed(at string, f *Flow) {
	if f.Src != 0 || f.Dst != 0 {
		r.complain(at, "a flow has from and to, or src and dst: take one of them out")
		return
	}
	pairs, _ := r.namedPairs(at, f.From, f.To)
	for _, p := range pairs {
		if p[0] == p[1] {
			r.complain(at, "a flow from %s to itself", r.Cluster.nicName(p[0]))
			return
		}
	}
	if f.Bytes == 0 {
		r.complain(at, "the flow has no bytes")
	}
}

// AllFlows are the flows of a checked workload by number: one with names stands for one from each of its NICs.
func (w *Workload) AllFlows(c *Cluster) []Flow {
	all := make([]Flow, 0, len(w.Flows))
	for _, f := range w.Flows {
		if !f.named() {
			all = append(all, f)
			continue
		}
		pairs := paired(c.named(f.From), c.named(f.To))
		f.From, f.To = nil, nil
		for _, p := range pairs {
			f.Src, f.Dst = p[0], p[1]
			all = append(all, f)
		}
	}
	return all
}

// Members are the NICs of a checked receiver by number.
func (x *Receiver) Members(c *Cluster) []int {
	if len(x.NICs) > 0 {
		return c.named(x.NICs)
	}
	return []int{x.NIC}
}

// checkMembers checks the names of a receiver, and returns its NICs.
func (r ethernetRules) checkMembers(at string, x *Receiver) []int {
	switch nics := r.Cluster.Endpoints(); {
	case len(x.NICs) > 0 && x.NIC != 0:
		r.complain(at, "a receiver has nic, or nics: take one of them out")
	case len(x.NICs) > 0:
		members, _ := r.namedNICs(at+".nics", x.NICs)
		return members
	case x.NIC >= nics:
		r.complain(at+".nic", "there is no NIC %d: the cluster has NICs 0 to %d", x.NIC, nics-1)
	default:
		return []int{x.NIC}
	}
	return nil
}

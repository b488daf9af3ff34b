package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// Other is a group of nodes of another kind on the same fabric: CPU hosts, storage, an older generation of GPUs. They have ports of
// leaves, NICs and cables; simulations leave them out.
type Other struct {
	// Name is for bills.
	Name string `yaml:"name"`
	// Nodes is their number.
	Nodes int `yaml:"nodes" range:"1..1048576"`
	// Node is the catalog's entry of the machine, which has the NICs; without one, NIC and NICs say them.
	Node string `yaml:"node"`
	// NIC is the model, and NICs the number on this fabric in each node; by default the machine's.
	NIC  string `yaml:"nic"`
	NICs int    `yaml:"nics" range:"0..1024"`
}

// host is the kind of machine of a group.
type host struct {
	name        string
	nodes, nics int
	nic         nicModel
	rate        units.Rate // 0: the NIC's
	moduleLinks int
}

// hosts are the groups of other nodes; each was checked by [Request.Problems].
func (r *Request) hosts() (out []host) {
	for i := range r.Others {
		if h, problem := r.Others[i].host(); problem == nil {
			out = append(out, h)
		}
	}
	return out
}

// host is the machine of the group, or what is wrong.
func (o *Other) host() (host, *scenario.Problem) {
	h := host{name: o.Name, nodes: o.Nodes, nics: o.NICs, moduleLinks: 1}
	nic, own := o.NIC, 0
	if o.Node != "" {
		m, err := (&Request{Node: o.Node}).machine()
		if err != nil {
			return h, &scenario.Problem{Path: "node", Err: err}
		}
		if nic == "" {
			nic, h.rate, h.moduleLinks = m.nic, m.rate, m.moduleLinks
		}
		if own = m.nics; h.nics == 0 {
			h.nics = own
		}
	}
	i := slices.IndexFunc(nics(), func(n nicModel) bool { return n.entry.Name == nic })
	_, unknown := catalog.Lookup(catalog.NIC, nic)
	switch {
	case o.Name == "":
		return h, &scenario.Problem{Path: "name", Err: errors.New("want a name for the bill, such as storage")}
	case nic == "":
		return h, &scenario.Problem{Path: "nic", Err: errors.New("want a NIC of weft catalog nic, or a machine in node")}
	case unknown != nil:
		return h, &scenario.Problem{Path: "nic", Err: unknown}
	case i < 0:
		return h, &scenario.Problem{Path: "nic", Err: fmt.Errorf("%s is a part of its cloud and not for sale: want another NIC of weft catalog nic", nic)}
	case o.NIC == "" && o.NICs > own:
		return h, &scenario.Problem{Path: "nics", Err: fmt.Errorf("%d: a %s has %d; more need their model in nic", o.NICs, o.Node, own)}
	case h.nics == 0:
		return h, &scenario.Problem{Path: "nics", Err: errors.New("want the number of NICs on this fabric in each node")}
	}
	h.nic = nics()[i]
	return h, nil
}

// otherNICs is the number of NICs of all other nodes.
func (r *Request) otherNICs() (n int) {
	for _, h := range r.hosts() {
		n += h.nodes * h.nics
	}
	return n
}

// fits reports whether the NICs of a group have a port at the rate of a choice's links, and one on each plane.
func (h *host) fits(c choice) bool {
	link := protocol.Of(c.preset.kind).Link()
	rate, _ := h.nic.port(link)
	if h.rate > 0 && !h.nic.inPlanes(link) {
		rate = min(rate, h.rate)
	}
	if c.shape == scenario.DualPlane {
		return slices.Contains(h.nic.protocols, link) && h.nic.portsAt(link, c.preset.rate) == c.planes()
	}
	return slices.Contains(h.nic.protocols, link) && rate >= c.preset.rate
}

// otherBreaches are the groups whose NICs do not fit a choice.
func (c choice) otherBreaches(r *Request) (out []Breach) {
	var names []string
	for _, h := range r.hosts() {
		if !h.fits(c) {
			names = append(names, h.name+" with "+h.nic.entry.Name)
		}
	}
	if len(names) > 0 {
		need := "NICs with a port of " + c.preset.rate.String() + " " + protocol.Of(c.preset.kind).Title
		if c.shape == scenario.DualPlane {
			need += " on each plane"
		}
		out = append(out, Breach{Field: "others", Allowed: strings.Join(names, ", "), Needs: need, amount: int64(len(names))})
	}
	return out
}

// others adds the parts of the other nodes.
func (w *wiring) others(c choice, r *Request, lengthOf units.Length) {
	for _, h := range r.hosts() {
		n := h.nodes * h.nics
		where := "node: " + h.name
		w.lines = append(w.lines, Line{"nic", h.nic.entry.Name, h.nic.entry.Title + ", of " + h.name, where, 0, n, h.nic.power("about.power")})
		links := n * w.planes
		each := h.moduleLinks
		if c.ownPlanes() {
			each *= w.planes // the ports of a NIC share its cage
		}
		ends, optical := "switch-nic", each > 1
		if optical {
			ends = "switch-switch"
		}
		e, ok := cableFor(w.rate, w.cageLinks, w.protocol, ends, lengthOf, optical)
		if !ok {
			what := fmt.Sprintf("cables of %s: the catalog has none for %s over %s", h.name, w.rate, lengthOf)
			w.lines = append(w.lines, Line{"cable", catalog.Unknown, what, where, lengthOf, links, Part{What: "the power of " + what, Most: 2 * mostModule(w.rate, 1)}})
			continue
		}
		own := *w
		own.connector, own.nicMaker, own.lines = strings.ToLower(module(h.nic.entry, "about.connector")), h.nic.vendor, nil
		medium, _ := e.Get("medium")
		if onePiece(medium.Value) {
			item := own.part(e, "switch-module", 0)
			w.lines = append(w.lines, Line{"cable", item, titleOf(e, item) + withdrawn(e, item), where, lengthOf, ceilDiv(links, w.cageLinks), w.bothEnds(e)})
			continue
		}
		item := own.part(e, "switch-module", 0)
		field, power := "nic-module", "nic-power"
		if optical {
			field, power = "node-module", "node-power"
		}
		end := own.part(e, field, 0)
		w.lines = append(w.lines,
			Line{"transceiver", item, titleOf(e, item) + ", for " + h.name, where, 0, ceilDiv(links, w.cageLinks), modulePower(e, "switch-power", "transceiver "+item, w.rate, w.cageLinks)},
			Line{"transceiver", end, "the end at " + h.name + " of " + titleOf(e, end), where, 0, ceilDiv(links, each), modulePower(e, power, "transceiver "+end, w.rate, each)},
			Line{"fibre", "fibre-" + medium.Value, medium.Value + " fibre cable", where, lengthOf, links, Part{Known: true, Tag: catalog.Verified}})
	}
}

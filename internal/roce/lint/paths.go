package lint

import (
	"fmt"

	"weft/internal/roce/router"
	"weft/internal/roce/sonic"
)

// Paths are the equally short paths of a switch by the cables of its fabric.
type Paths struct {
	Ports  int            // of the switch, with a cable
	Has    int            // equally short paths to the destination with the most
	Alike  int            // of these, those that BGP uses together: through the same autonomous systems, unless it is relaxed
	Router *router.Router // what its files of FRR and of the kernel say; nil: it has none
}

// wideHash are the fields in a fix: addresses, protocol and ports, as the usual hash of chips has.
const wideHash = `{"SWITCH_HASH": {"GLOBAL": {%q: ["DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"]}}}`

// paths judges how many of its equally short paths a switch uses, and how it chooses among them.
func (c *checker) paths() {
	p := c.options.Paths[c.name()]
	if p != nil && p.Has <= 1 {
		return
	}
	c.hash(p)
	if p == nil {
		return
	}
	if r := p.Router; r != nil && r.ASN.Known() {
		c.pathsOfFRR(p, r)
	} else {
		c.pathsOfTables(p)
	}
}

// pathsOfFRR judges a switch by FRR's own configuration.
func (c *checker) pathsOfFRR(p *Paths, r *router.Router) {
	bgp := fmt.Sprintf("router bgp %d", r.ASN.Value)
	if most := r.MaxPaths; most.Known() && most.Value < p.Has {
		command := router.Configure(bgp, "address-family ipv4 unicast", fmt.Sprintf("maximum-paths %d", max(p.Has, usualPaths)))
		c.fewPaths(Place{most.File, most.Line}, fmt.Sprintf("maximum-paths %d", most.Value), p.Has, min(most.Value, p.Alike), command)
	}
	if !r.Relax.Value && p.Alike < p.Has {
		c.fewPaths(Place{r.ASN.File, r.ASN.Line}, strict, p.Has, p.Alike, router.Configure(bgp, "bgp bestpath as-path multipath-relax"))
	}
}

// pathsOfTables judges a switch by its tables of BGP.
func (c *checker) pathsOfTables(p *Paths) {
	b := &c.sw.BGP
	if b.MaxPaths > 0 && b.MaxPaths < p.Has {
		patch := sonic.Patch("BGP_GLOBALS_AF", b.MaxKey, "max_ebgp_paths", fmt.Sprint(max(p.Has, usualPaths)))
		c.fewPaths(c.place(b.MaxLine), fmt.Sprintf("max_ebgp_paths %d", b.MaxPaths), p.Has, min(b.MaxPaths, p.Alike), patch)
	}
	if b.Tables && !b.Relax && p.Alike < p.Has {
		c.fewPaths(c.place(b.RelaxLine), strict, p.Has, p.Alike, sonic.Patch("BGP_GLOBALS", "default", "load_balance_mp_relax", "true"))
	}
}

// strict is the value of a switch that is not relaxed.
const strict = "no multipath-relax"

// fewPaths notes a switch whose BGP uses fewer paths than there are.
func (c *checker) fewPaths(at Place, value string, has, uses int, fix string) {
	why := fmt.Sprintf("the switch has %d equally short paths, and BGP uses %d of them: the other cables carry nothing, and flows share what is left", has, uses)
	if value == strict {
		why += "; the paths lead through different autonomous systems"
	}
	c.add(nil, Finding{Rule: "paths-few", Severity: Warning, At: at, Value: value, Why: why, Fixes: []Fix{{c.name(), []string{fix}}}})
}

// usualPaths is the number in a fix: what FRR takes by itself (MULTIPATH_NUM), which is at least 64.
const usualPaths = 64

// hash judges a switch that hashes addresses alone: RoCE v2 tells its queue pairs apart by the source port of UDP.
func (c *checker) hash(p *Paths) {
	f := Finding{Rule: "hash-addresses", Severity: Warning, Why: "all queue pairs of two NICs take one path: they differ in the source port of UDP alone, and the switch does not hash it; more queue pairs use no more paths"}
	h := &c.sw.Hash
	switch {
	case h.Fields != nil:
		if !h.AddressesAlone() {
			return
		}
		f.At, f.Value = c.place(h.Line), fmt.Sprintf("%s without L4_SRC_PORT", h.Key)
		f.Fixes = []Fix{{c.name(), []string{fmt.Sprintf(wideHash, h.Key)}}}
	case c.sw.Whole || p == nil:
		return // a chip hashes in its own way
	default:
		ports, known := p.Router.HashesPorts()
		if !known || ports {
			return
		}
		if at := p.Router.Ports; at.Known() {
			f.At, f.Value = Place{at.File, at.Line}, "hash_config.sport false"
			break
		}
		at := p.Router.Policy
		f.At, f.Value = Place{at.File, at.Line}, fmt.Sprintf("fib_multipath_hash_policy %d", at.Value)
		f.Fixes = []Fix{{c.name(), []string{fmt.Sprintf("sysctl -w net.ipv4.fib_multipath_hash_policy=%d", router.PolicyL4)}}}
	}
	c.add(nil, f)
}

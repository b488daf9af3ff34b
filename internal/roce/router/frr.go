package router

import (
	"fmt"
	"strconv"
	"strings"
)

// ReadFRR reads FRR's configuration, or the output of show running-config with the terminal's lines around it. A value that is not
// valid is an error with its line, and the rest is read.
func ReadFRR(name, text string) (*Router, []error) {
	p := &frr{name: name, out: &Router{}, family: map[string]*paths{}}
	for i, line := range strings.Split(text, "\n") {
		p.line, p.indented = i+1, strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if words := strings.Fields(strings.TrimPrefix(line, "\ufeff")); len(words) > 0 && words[0][0] != '!' && words[0][0] != '#' {
			p.take(words)
		}
	}
	p.end()
	return p.out, p.errs
}

// frr reads lines.
type frr struct {
	name     string
	line     int
	indented bool
	out      *Router
	errs     []error

	bgp    bool   // within the instance of BGP without a VRF
	in     string // the address family
	family map[string]*paths
	own    bool // neighbours of the same system
	others bool // neighbours of other systems
}

// paths are the numbers of paths of an address family.
type paths struct{ external, internal Said[int] }

// unicast is the family of lines outside of any.
const unicast = "ipv4 unicast"

func (p *frr) wrong(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.name, p.line, fmt.Sprintf(format, args...)))
}

// leaves are words at the left margin that end an instance of BGP: other sections. SONiC's templates and old files do not
// indent all lines of a section.
var leaves = map[string]bool{
	"router": true, "route-map": true, "interface": true, "vrf": true, "line": true, "end": true, "ip": true, "ipv6": true, "access-list": true, "log": true,
	"hostname": true, "service": true, "password": true, "enable": true, "agentx": true, "mpls": true, "segment-routing": true, "pbr-map": true, "bfd": true, "rpki": true,
}

// take reads a line.
func (p *frr) take(words []string) {
	if words[0] == "router" && len(words) >= 2 {
		p.router(words)
		return
	}
	if !p.indented && (leaves[words[0]] || words[0] == "exit" && p.in == unicast) {
		p.bgp, p.in = false, unicast
	}
	if words[0] == "hostname" && len(words) == 2 && !p.bgp && p.out.Hostname == "" {
		p.out.Hostname = words[1]
	}
	if p.bgp {
		p.within(words)
	}
}

// router begins an instance of a routing protocol.
func (p *frr) router(words []string) {
	p.bgp, p.in = false, unicast
	if words[1] != "bgp" || len(words) >= 4 && (words[3] == "vrf" || words[3] == "view") {
		return
	}
	p.bgp = true
	if len(words) < 3 {
		return
	}
	asn, err := asNumber(words[2])
	if err != nil {
		p.wrong("router bgp %s: want the number of an autonomous system, from 1 to 4294967295, or such as 64512.10", words[2])
		return
	}
	first(&p.out.ASN, Said[uint32]{asn, p.name, p.line})
}

// asNumber is the number of an autonomous system, as one number or as two of 16 bits (RFC 5396).
func asNumber(text string) (uint32, error) {
	high, low, dotted := strings.Cut(text, ".")
	if !dotted {
		n, err := strconv.ParseUint(text, 10, 32)
		if err == nil && n == 0 {
			err = strconv.ErrRange
		}
		return uint32(n), err
	}
	h, err := strconv.ParseUint(high, 10, 16)
	if err != nil {
		return 0, err
	}
	l, err := strconv.ParseUint(low, 10, 16)
	return uint32(h<<16 | l), err
}

// within reads a line of the instance of BGP.
func (p *frr) within(words []string) {
	said := words[0] != "no"
	if !said {
		words = words[1:]
	}
	switch {
	case len(words) == 0:
	case words[0] == "address-family" && said:
		p.in = strings.Join(words[1:], " ")
		if len(words) == 2 { // ipv4 alone is unicast
			p.in += " unicast"
		}
	case words[0] == "exit-address-family":
		p.in = unicast
	case words[0] == "maximum-paths":
		p.maximum(said, words[1:])
	case words[0] == "neighbor" && len(words) >= 4 && said:
		p.neighbour(words[1:])
	default:
		if line := strings.Join(words, " "); strings.HasPrefix(line, "bgp bestpath as-path multipath-relax") {
			p.out.Relax = Said[bool]{said, p.name, p.line} // the last one counts
		}
	}
}

// maximum reads the number of paths.
func (p *frr) maximum(said bool, words []string) {
	f := p.family[p.in]
	if f == nil {
		f = &paths{}
		p.family[p.in] = f
	}
	at := &f.external
	if len(words) > 0 && words[0] == "ibgp" {
		at, words = &f.internal, words[1:]
	} else if len(words) > 0 && words[0] == "ebgp" {
		words = words[1:]
	}
	if !said {
		*at = Said[int]{}
		return
	}
	n := 0
	if len(words) > 0 {
		n, _ = strconv.Atoi(words[0])
	}
	if n < 1 || n > mostPaths {
		p.wrong("maximum-paths %s: want a number from 1 to %d", strings.Join(words, " "), mostPaths)
		return
	}
	*at = Said[int]{n, p.name, p.line}
}

// neighbour notes whether a neighbour is of the same system: neighbor NAME [interface] remote-as AS.
func (p *frr) neighbour(words []string) {
	for i, w := range words[:len(words)-1] {
		if w != "remote-as" {
			continue
		}
		as := words[i+1]
		if n, err := asNumber(as); as == "internal" || err == nil && p.out.ASN.Known() && n == p.out.ASN.Value {
			p.own = true
		} else {
			p.others = true
		}
	}
}

// end takes the number of paths of the family in which hosts are reached: IPv4, or IPv6 if nothing is said of IPv4.
func (p *frr) end() {
	for _, family := range []string{unicast, "ipv6 unicast"} {
		if f := p.family[family]; f != nil {
			n := f.external
			if p.own && !p.others {
				n = f.internal
			}
			first(&p.out.MaxPaths, n)
		}
	}
}

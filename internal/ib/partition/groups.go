package partition

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
)

// Multicast is a multicast group that OpenSM makes for a partition. Codes are the specification's
// (IBA vol. 1, 15.2.5.17).
type Multicast struct {
	MGID             [16]byte
	Key              uint16 // P_Key with the bit of full membership
	Rate, MTU, SL    uint8
	TClass, HopLimit uint8
	Scope            uint8 // 4 bits
	QKey, FlowLabel  uint32
}

// OpenSM's defaults for groups (osm_base.h and osm_prtn_config.c of 3.3.23).
const (
	defaultRate  = 3     // 10 Gb/s
	defaultMTU   = 4     // 2048 bytes
	linkLocal    = 2     // scope
	ipQKey       = 0xb1b // of IP over InfiniBand
	farthestHops = 255
)

// broadcast is the group of IPv4's broadcasts (RFC 4391, 4), with the P_Key 0xffff.
var broadcast = [16]byte{0: 0xff, 1: 0x12, 2: 0x40, 3: 0x1b, 4: 0xff, 5: 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}

// Multicasts is the multicast groups of a file, as OpenSM makes them: the broadcast group of IP over
// InfiniBand of each partition with ipoib, then its mgid groups. nil is no file: the broadcast group
// of the default partition. Without qos a partition's service level is 0. refused says which groups
// OpenSM does not make, and why.
//
// Source: osm_prtn_config.c and osm_prtn.c of OpenSM 3.3.23; saquery -g of it in the tests.
func Multicasts(c *Config, qos bool) (groups []Multicast, refused []string) {
	if c == nil {
		c = &Config{Partitions: []Partition{{Key: Default, IPoIB: true}}}
	}
	seen := map[[16]byte]bool{}
	for i := range c.Partitions {
		p := &c.Partitions[i]
		own := p.flags(qos)
		if p.IPoIB {
			g := own
			g.MGID, g.QKey = g.broadcasts(linkLocal), cmp.Or(g.QKey, ipQKey)
			groups = addScopes(groups, seen, g, nil) // scope= is for mgid groups
		}
		for j := range p.Groups {
			g, why := p.group(&p.Groups[j], own)
			if why != "" {
				refused = append(refused, fmt.Sprintf("mgid=%s of partition %q: %s", p.Groups[j].MGID, p.Name, why))
				continue
			}
			if scope := g.lacksBroadcast(seen, p.scopes(j)); scope > 0 {
				refused = append(refused, fmt.Sprintf("mgid=%s of partition %q: the partition has no broadcast group of scope %d (ipoib)", p.Groups[j].MGID, p.Name, scope))
			}
			groups = addScopes(groups, seen, g, p.scopes(j))
		}
	}
	return groups, refused
}

// scopes is the scopes of a group of the file: the partition's and its own.
func (p *Partition) scopes(group int) []uint8 {
	return slices.Concat(p.Broadcast.Scopes, p.Groups[group].Properties.Scopes)
}

// isIP reports whether a group is one of IP over InfiniBand, by the signature in its address (RFC
// 4391, 4).
func (g *Multicast) isIP() bool {
	signature := binary.BigEndian.Uint16(g.MGID[2:])
	return signature == 0x401b || signature == 0x601b
}

// broadcasts is the address of the broadcast group for a group's P_Key and scope.
func (g *Multicast) broadcasts(scope uint8) [16]byte {
	mgid := broadcast
	mgid[1] = mgid[1]&0xf0 | scope
	binary.BigEndian.PutUint16(mgid[4:], g.Key)
	return mgid
}

// lacksBroadcast is the first scope for which a group of IP has no broadcast group; 0 for none.
func (g *Multicast) lacksBroadcast(seen map[[16]byte]bool, scopes []uint8) uint8 {
	if len(scopes) == 0 {
		scopes = []uint8{linkLocal}
	}
	for _, scope := range scopes {
		if g.isIP() && !seen[g.broadcasts(scope)] {
			return scope
		}
	}
	return 0
}

// flags is the properties of a partition's groups.
func (p *Partition) flags(qos bool) Multicast {
	g := Multicast{Key: p.Key | full, Rate: defaultRate, MTU: defaultMTU}
	g.take(&p.Broadcast)
	if !qos {
		g.SL = 0
	}
	return g
}

// take sets the properties that are given.
func (g *Multicast) take(f *Properties) {
	for _, s := range []struct {
		to    *uint8
		given *uint8
	}{{&g.Rate, f.Rate}, {&g.MTU, f.MTU}, {&g.SL, f.SL}, {&g.TClass, f.TClass}} {
		if s.given != nil {
			*s.to = *s.given
		}
	}
	if f.QKey != nil {
		g.QKey = *f.QKey
	}
	if f.FlowLabel != nil {
		g.FlowLabel = *f.FlowLabel
	}
}

// group is a group of the file with the partition's properties, except TClass, under its own. why
// says why OpenSM does not make it. A group of IP has the partition's P_Key in its address, and its
// rate and MTU.
func (p *Partition) group(f *Group, own Multicast) (g Multicast, why string) {
	address, err := netip.ParseAddr(f.MGID)
	if err != nil {
		return g, "it is no address"
	}
	g = own
	g.MGID, g.TClass = address.As16(), 0
	g.take(&f.Properties)
	if !g.isIP() {
		return g, ""
	}
	key := binary.BigEndian.Uint16(g.MGID[4:])
	switch {
	case g.MGID != broadcast && key != 0 && key != g.Key:
		return g, fmt.Sprintf("its P_Key is %#04x and the partition's %#04x", key, g.Key)
	case g.Rate != own.Rate:
		return g, fmt.Sprintf("its rate is %d and the partition's %d", g.Rate, own.Rate)
	case g.MTU != own.MTU:
		return g, fmt.Sprintf("its mtu is %d and the partition's %d", g.MTU, own.MTU)
	}
	binary.BigEndian.PutUint16(g.MGID[4:], g.Key)
	g.QKey = cmp.Or(g.QKey, ipQKey)
	return g, ""
}

// addScopes adds a group once for each of its scopes, if there is none with its address. A group of
// IP needs the broadcast group of its scope (opensm.conf: ipoib_mcgroup_creation_validation).
func addScopes(groups []Multicast, seen map[[16]byte]bool, g Multicast, scopes []uint8) []Multicast {
	var wanted [16]bool
	for _, s := range scopes {
		wanted[s&0xf] = s != 0
	}
	if wanted == [16]bool{} {
		wanted[linkLocal] = true
	}
	for scope, want := range wanted {
		if !want {
			continue
		}
		g.Scope, g.HopLimit = uint8(scope), farthestHops
		if scope == linkLocal {
			g.HopLimit = 0
		}
		g.MGID[1] = g.MGID[1]&0xf0 | g.Scope
		orphan := g.isIP() && g.MGID != g.broadcasts(g.Scope) && !seen[g.broadcasts(g.Scope)]
		if !seen[g.MGID] && !orphan {
			seen[g.MGID] = true
			groups = append(groups, g)
		}
	}
	return groups
}

// Levels is the service level of each partition with another than 0, by its key of 15 bits: the
// manager gives it to paths of the partition.
func (c *Config) Levels() map[uint16]uint8 {
	levels := map[uint16]uint8{}
	for i := range c.Partitions {
		if sl := c.Partitions[i].Broadcast.SL; sl != nil {
			levels[c.Partitions[i].Key] = *sl
		}
	}
	return levels
}

// Numbered is the configuration with a key for each partition. A rule without a key belongs to the
// earlier partition of its name; otherwise it gets the lowest free key, from 1 on.
func (c *Config) Numbered() *Config {
	n := *c
	n.Partitions = append([]Partition(nil), c.Partitions...)
	taken, named := map[uint16]bool{}, map[string]uint16{}
	for i := range n.Partitions {
		taken[n.Partitions[i].Key] = true
	}
	next := uint16(1)
	for i := range n.Partitions {
		p := &n.Partitions[i]
		if p.Key == 0 && p.Name != "" {
			p.Key = named[p.Name]
		}
		if p.Key == 0 {
			for taken[next] {
				next++
			}
			p.Key, taken[next] = next, true
		}
		if _, known := named[p.Name]; !known {
			named[p.Name] = p.Key
		}
	}
	return &n
}

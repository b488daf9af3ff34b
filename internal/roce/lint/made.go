package lint

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/roce"
	"weft/internal/roce/sonic"
	"weft/units"
)

// templateCable is the length in a fix if no port has one: that of the links between leaves and
// tops of racks in SONiC's templates (buffers_config.j2).
const templateCable = 40 * units.Metre

// losslessPool is the pool in which the switch makes its lossless profiles (sonic-swss, buffermgr).
const losslessPool = "ingress_lossless_pool"

// unprofiled judges lossless groups without a configured profile for which the switch makes none
// either: nothing is behind their pauses.
func (c *checker) unprofiled(p *sonic.Port) {
	var bare []int
	for _, g := range p.PFC {
		row := p.GroupKey[g] != ""
		if p.Groups[g] == nil && c.reached(p, g) && (row || !c.sw.Dynamic && !c.idlePause(p, g)) {
			bare = append(bare, g)
		}
	}
	why, lines := c.unmade(p)
	if len(bare) == 0 || why == "" {
		return
	}
	f := Finding{
		Rule: "buffer-missing", Severity: Error, At: c.place(cmp.Or(p.CableLine, max(p.QoSLine, p.Line))), Value: "no profile for group " + join(bare),
		Why:     fmt.Sprintf("the port pauses priority %s, no profile of its priority group is configured, and the switch makes none: %s. Packets that arrive before the peer stops are dropped", join(bare), why),
		Traffic: c.intoGroup(p, bare[0]),
	}
	if len(lines) > 0 {
		f.Fixes = []Fix{{c.name(), lines}}
	}
	c.add(p, f)
}

// unmade says why the switch makes no lossless profile for a port, with the lines that let it make
// one; "" if it makes one, or if that is not known (sonic-swss, buffermgr, doSpeedUpdateTask, and
// buffermgrdyn: a port without a length waits, and 0m is for ports without lossless traffic).
func (c *checker) unmade(p *sonic.Port) (why string, lines []string) {
	lengths := slices.ContainsFunc(c.sw.Ports, func(q *sonic.Port) bool { return q.CableLine > 0 })
	if p.Inner || !c.sw.Whole && !lengths {
		return "", nil
	}
	if p.Cable == 0 {
		return "it needs the length of the cable, and CABLE_LENGTH has none for the port, or 0m", c.measure(p, c.likelyLength(p))
	}
	if c.sw.Dynamic {
		return "", nil
	}
	if !slices.ContainsFunc(c.sw.Pools, func(pool *sonic.Pool) bool { return pool.Name == losslessPool }) {
		return "its pool would be " + losslessPool + ", which BUFFER_POOL does not have", []string{"config qos reload"}
	}
	if len(c.options.Profiles) == 0 || p.Speed == 0 {
		return "", nil
	}
	if _, exact, _ := roce.Between(c.options.Profiles, p.Speed, p.Cable); exact {
		return "", nil
	}
	why = fmt.Sprintf("pg_profile_lookup.ini has no row for %v and %v of cable", p.Speed, p.Cable)
	if next := c.rowFrom(p.Speed, p.Cable); next > 0 {
		lines = c.measure(p, next)
	}
	return why, lines
}

// measure are the lines that give a port's cable a length.
func (c *checker) measure(p *sonic.Port, length units.Length) []string {
	return []string{sonic.Patch("CABLE_LENGTH", cmp.Or(c.sw.MapNamed("CABLE_LENGTH"), "AZURE"), p.Name, length.Exact())}
}

// likelyLength is a length for a port without one: of --cable, or the longest of the ports of its
// speed, or else of any, or else SONiC's own; with a table, the next that it has.
func (c *checker) likelyLength(p *sonic.Port) units.Length {
	var same, most units.Length
	for _, q := range c.sw.Ports {
		most = max(most, q.Cable)
		if q.Speed == p.Speed {
			same = max(same, q.Cable)
		}
	}
	likely := cmp.Or(c.options.Cable, same, most, templateCable)
	return cmp.Or(c.rowFrom(p.Speed, likely), likely)
}

// rowFrom is the shortest length, of at least the given one, for which the switch's table has a row; 0
// if there is none.
func (c *checker) rowFrom(speed units.Rate, length units.Length) (next units.Length) {
	for _, row := range c.options.Profiles {
		if row.Speed == speed && row.Cable >= length && (next == 0 || row.Cable < next) {
			next = row.Cable
		}
	}
	return next
}

// generated is the profile that the switch makes if none is configured; nil if it cannot be
// known.
func (c *checker) generated(p *sonic.Port, g int, length units.Length) *sonic.Profile {
	if why, _ := c.unmade(p); why != "" {
		return nil // unprofiled reports it
	}
	if c.sw.Dynamic || p.Made[g] != nil {
		return c.computed(p, g, length)
	}
	name := fmt.Sprintf("pg_lossless_%d_%dm_profile", p.Speed/units.Mbps, metres(length))
	if i := slices.IndexFunc(c.sw.Profiles, func(own *sonic.Profile) bool { return own.Name == name }); i >= 0 {
		return c.sw.Profiles[i] // the switch takes it before it makes one of that name
	}
	if len(c.options.Profiles) == 0 {
		c.cannotAt(p, "the headroom and the threshold, where no profile is configured: the switch makes one of pg_profile_lookup.ini (give --profiles) or by its own formula")
		return nil
	}
	if p.Speed == 0 || length == 0 {
		return nil // headroom reports it
	}
	row, exact, err := roce.Between(c.options.Profiles, p.Speed, length)
	if err != nil || !exact {
		c.cannotAt(p, "the headroom: pg_profile_lookup.ini has no row for %v and %v", p.Speed, length)
		return nil
	}
	return &sonic.Profile{
		Name: name, Pool: c.pool(),
		Size: row.Size, Xon: row.Xon, XonOffset: row.XonOffset, Xoff: row.Xoff, DynamicTh: row.Threshold, Line: p.QoSLine,
	}
}

// computed is the profile that the dynamic buffer manager makes.
func (c *checker) computed(p *sonic.Port, g int, length units.Length) *sonic.Profile {
	pattern := roce.Harshest
	if c.sw.LosslessMTU > 0 {
		pattern = roce.Pattern{SmallPercent: c.sw.SmallPercent, MTU: c.sw.LosslessMTU}
	}
	pool := c.pool()
	shared := c.sw.Oversubscribed > 0 || pool != nil && pool.Xoff > 0
	h, err := roce.Computed(c.sw.HwSKU, roce.Port{Speed: p.Speed, Cable: length, MTU: roce.Frame(p.MTU), Lanes: p.Lanes}, pattern, shared)
	if err != nil {
		c.cannotAt(p, "the headroom and the threshold of priority group %d: %v", g, err)
		return nil
	}
	made := &sonic.Profile{Name: "(computed by the switch)", Pool: pool, Size: h.Size, Xon: h.Xon, Xoff: h.Xoff, DynamicTh: c.sw.DefaultTh}
	if pool != nil {
		made.Line = pool.Line
	}
	if m := p.Made[g]; m != nil {
		made.Name, made.DynamicTh, made.Line = m.Name, m.DynamicTh, m.Line
	}
	return made
}

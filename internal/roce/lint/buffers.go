package lint

import (
	"fmt"
	"strings"

	"weft/internal/roce"
	"weft/internal/roce/sonic"
	"weft/units"
)

// marks judges the thresholds at which a queue of lossless traffic is marked.
func (c *checker) marks(p *sonic.Port, queue int) {
	q := &p.Queues[queue]
	if q.WRED != nil && q.WRED.Broken {
		return // its values are defects of their own
	}
	if q.WRED != nil && c.unmarked(p, queue, q.WRED) {
		return
	}
	if q.WRED == nil || !q.WRED.ECN {
		f := Finding{
			Traffic: c.into(p, func(class sonic.Class) bool { return class.Queue == queue }),
			Rule:    "ecn-missing", Severity: Warning, At: c.place(max(q.Line, p.QoSLine)), Value: fmt.Sprintf("queue %d without WRED profile", queue),
			Why: fmt.Sprintf("nothing marks the lossless traffic in queue %d: senders slow down only by pauses, which spread to traffic that is not part of the congestion", queue),
		}
		if q.Line > 0 {
			f.At.Line = q.Line
		}
		if q.WRED != nil {
			f.Severity, f.At, f.Value = Error, c.place(q.WRED.Line), "WRED_PROFILE|"+q.WRED.Name+" without ECN"
			f.Why = fmt.Sprintf("WRED drops in queue %d from %d bytes on instead of marking: lossless traffic is lost before PFC can hold it", queue, q.WRED.Min)
			f.Fixes = []Fix{{c.name(), []string{sonic.Patch("WRED_PROFILE", q.WRED.Name, "ecn", "ecn_all")}}}
		} else {
			name, lines := c.markingFor(p)
			f.Fixes = []Fix{{c.name(), append(lines, sonic.Patch("QUEUE", queueKey(p, queue), "wred_profile", name))}}
		}
		c.add(p, f)
		return
	}
	c.marksBeforePause(p, q.WRED)
	c.marksEarly(p, q.WRED)
}

// unmarked judges whether a profile does anything for green packets, which all are without a policer;
// it reports false if it does.
func (c *checker) unmarked(p *sonic.Port, queue int, w *sonic.WRED) bool {
	f := Finding{
		Rule: "ecn-missing", Severity: Warning, At: c.place(w.Line), Value: "WRED_PROFILE|" + w.Name,
		Traffic: c.into(p, func(class sonic.Class) bool { return class.Queue == queue }),
	}
	values := []string{"wred_green_enable", "true"}
	switch {
	case w.Unknown != "":
		f.At = c.place(w.UnknownLine)
		f.Why = fmt.Sprintf("WRED_PROFILE|%s has the field %s, and the switch refuses a profile with a field that it does not know (sonic-swss, qosorch): its queues then have no marking at all", w.Name, w.Unknown)
		c.add(p, f)
		return false
	case !w.ECN && !w.Enabled:
		f.Why = fmt.Sprintf("WRED_PROFILE|%s has neither ECN nor WRED for green packets, which all are without a policer: nothing marks the lossless traffic in queue %d", w.Name, queue)
		values = append(values, "ecn", "ecn_all")
	case w.ECN && w.Unset:
		f.Why = fmt.Sprintf("WRED_PROFILE|%s has no %s or no %s: without a policer all packets are green, and SAI's default is a full buffer, so nothing is marked before it", w.Name, w.MinField, w.MaxField)
		kmax := c.usualKmax(p)
		values = append(values, w.MinField, fmt.Sprint(int64(kmax/2)), w.MaxField, fmt.Sprint(int64(kmax)), w.ChanceField, fmt.Sprint(usualPmax))
	case w.ECN && !w.Enabled && !strings.HasPrefix(c.chip(), "spectrum"):
		c.cannot("whether %s marks: it has ECN without wred_green_enable, which SAI leaves off, and what ECN alone does depends on the chip", w.Name)
		return false
	case w.ECN && !w.Enabled:
		f.Why = fmt.Sprintf("WRED_PROFILE|%s has ECN for green packets and WRED off for them (wred_green_enable): NVIDIA's chips want both for the same colours, and SAI's default is off (sonic-buildimage, issue 4545), so queue %d may not be marked", w.Name, queue)
	default:
		return false
	}
	f.Fixes = []Fix{{c.name(), []string{sonic.Patch("WRED_PROFILE", w.Name, values...)}}}
	c.add(p, f)
	return true
}

// The marking that is early: Kmin below leastKmin at the port's rate, which is the 5 KB at 40 Gb/s of
// DCQCN's authors (Zhu et al., SIGCOMM 2015), the lowest Kmin found in a published setting; or a ramp
// above mostPmax at its end, where they have 1 %, SONiC 5 % and HPCC's simulations 20 %. One
// threshold in place of a ramp, as NVIDIA's NVUE has it, is neither.
const (
	leastKmin = units.Microsecond
	mostPmax  = 50
	usualPmax = 5 // SONiC's qos_config.j2
)

// marksEarly judges whether marks mean congestion.
func (c *checker) marksEarly(p *sonic.Port, w *sonic.WRED) {
	f := Finding{Rule: "ecn-early", Severity: Warning, At: c.place(w.Line), Traffic: c.lossless(p), Value: fmt.Sprintf("WRED_PROFILE|%s from %d to %d with %d %%", w.Name, w.Min, w.Max, w.Percent)}
	var values []string
	if least := units.Bytes(int64(leastKmin) * int64(p.Speed) / 8 / int64(units.Second)); w.Min < least {
		f.Why = fmt.Sprintf("marking begins at %d bytes, which %v send in %v: packets that merely meet are marked, and senders slow down without congestion", w.Min, p.Speed, units.Time(int64(w.Min)*p.Speed.PerByte().Num/p.Speed.PerByte().Den))
		kmax := c.usualKmax(p)
		values = append(values, w.MinField, fmt.Sprint(int64(kmax/4)), w.MaxField, fmt.Sprint(int64(kmax)))
	}
	if w.Percent > mostPmax && w.Min < w.Max {
		if f.Why != "" {
			f.Why += "; "
		}
		f.Why += fmt.Sprintf("between %d and %d bytes up to %d %% of packets are marked, where SONiC has %d %%: nearly every sender is told at once and slows down, not those few that a ramp would pick, and the link runs empty after it", w.Min, w.Max, w.Percent, usualPmax)
		values = append(values, w.ChanceField, fmt.Sprint(usualPmax))
	}
	if f.Why == "" {
		return
	}
	f.Fixes = []Fix{{c.name(), []string{sonic.Patch("WRED_PROFILE", w.Name, values...)}}}
	c.add(p, f)
}

// usualKmax is the Kmax of a fix: SONiC's, or half of the lowest threshold of PFC if that is less.
func (c *checker) usualKmax(p *sonic.Port) units.Bytes {
	kmax := units.Bytes(usualKmax)
	for g, profile := range p.Groups {
		if !p.Lossless(g) || profile == nil {
			continue
		}
		if most, known := profile.Threshold(); known {
			kmax = min(kmax, most/2)
		}
	}
	return kmax
}

// marking is a WRED profile of the switch that marks with ECN.
func (c *checker) marking() string {
	for _, w := range c.sw.WRED {
		if w.ECN && !w.Broken && !w.Unset && w.Unknown == "" {
			return w.Name
		}
	}
	return ""
}

// markingFor is a profile that marks, or SONiC's own with the lines that make it (qos_config.j2).
func (c *checker) markingFor(p *sonic.Port) (name string, lines []string) {
	if name = c.marking(); name != "" {
		return name, nil
	}
	const made = "AZURE_LOSSLESS"
	kmax := c.usualKmax(p)
	values := []string{"ecn", "ecn_all"}
	for _, colour := range []string{"green", "yellow", "red"} {
		values = append(values, "wred_"+colour+"_enable", "true", colour+"_min_threshold", fmt.Sprint(int64(kmax/2)),
			colour+"_max_threshold", fmt.Sprint(int64(kmax)), colour+"_drop_probability", fmt.Sprint(usualPmax))
	}
	return made, []string{sonic.Patch("WRED_PROFILE", made, values...)}
}

// marksBeforePause compares marking with the highest PFC threshold that the port's groups can have.
func (c *checker) marksBeforePause(p *sonic.Port, w *sonic.WRED) {
	for g, profile := range p.Groups {
		if !p.Lossless(g) {
			continue
		}
		if profile == nil {
			if profile = c.generated(p, g, c.length(p)); profile == nil {
				continue
			}
		}
		most, known := profile.Threshold()
		if !known {
			c.cannot("whether %s marks before PFC pauses: the pool of %s has no size, the switch decides it", w.Name, profile.Name)
			continue
		}
		f := Finding{Rule: "ecn-above-pfc", At: c.place(w.Line), Traffic: c.intoGroup(p, g), Value: fmt.Sprintf("WRED_PROFILE|%s from %d to %d", w.Name, w.Min, w.Max)}
		threshold := fmt.Sprintf("priority group %d pauses at %d bytes at the latest (profile %s, line %d, with an empty pool)", g, most, profile.Name, profile.Line)
		switch {
		case w.Min >= most:
			f.Severity = Error
			f.Why = fmt.Sprintf("%s, and marking begins at %d: PFC always comes first, and senders never hear of congestion", threshold, w.Min)
		case w.Max > most:
			f.Severity = Warning
			f.Why = fmt.Sprintf("%s, and only from %d on is every packet marked: PFC pauses while senders still speed up", threshold, w.Max)
		default:
			continue
		}
		kmax := min(most/2, usualKmax)
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("WRED_PROFILE", w.Name, w.MinField, fmt.Sprint(int64(kmax/4)), w.MaxField, fmt.Sprint(int64(kmax)))}}}
		c.add(p, f)
		return
	}
}

// usualKmax is the length at which SONiC's AZURE_LOSSLESS marks every packet (qos_config.j2). A fix
// goes no higher: with a PFC threshold of tens of megabytes, many senders fill the queue before the
// marks of a late Kmax slow them down. Below that, half of the threshold is weft's choice. Kmin is
// a quarter of Kmax, as in HPCC's simulations.
const usualKmax = 2 << 20

// anyChip has only the headroom terms that every chip has.
var anyChip = roce.ASIC{Name: "any", Cell: 1}

// headroom compares the headroom of a group with the terms that every chip has, and with the
// vendor's formula.
func (c *checker) headroom(p *sonic.Port, g int) {
	profile := p.Groups[g]
	length := c.length(p)
	if why, _ := c.unmade(p); profile == nil && why != "" {
		return // unprofiled reports it
	}
	if p.Speed == 0 || length == 0 {
		c.cannotAt(p, "the headroom, where the speed or the length of the cable is not known (PORT, CABLE_LENGTH, or --cable)")
		return
	}
	if profile == nil {
		if profile = c.generated(p, g, length); profile == nil {
			return
		}
	}
	port := roce.Port{Speed: p.Speed, Cable: length, MTU: roce.Frame(p.MTU), Lanes: p.Lanes}
	f := Finding{Rule: "headroom-small", At: c.place(profile.Line), Traffic: c.intoGroup(p, g), Value: fmt.Sprintf("xoff %d", profile.Xoff)}
	given := fmt.Sprintf("BUFFER_PROFILE|%s has %d bytes behind its threshold for %v of cable at %v", profile.Name, profile.Xoff, length, p.Speed)
	least, terms, err := leastHeadroom(port)
	if err != nil {
		c.cannotAt(p, "the headroom: %v", err)
		return
	}
	vendor, by, err := c.vendorHeadroom(port, mildest)
	enough, _, known := c.vendorHeadroom(port, roce.Harshest)
	if err != nil {
		c.cannotAt(p, "the headroom against the vendor's: %v", err)
	}
	switch {
	case profile.Xoff < least:
		f.Severity = Error
		f.Why = fmt.Sprintf("%s, and on any switch %d bytes still arrive after a pause (%s): the rest is dropped", given, least, terms)
	case err == nil && profile.Xoff < vendor.Xoff:
		f.Severity = Warning
		f.Why = fmt.Sprintf("%s, and %s asks for %d: in its worst case, small packets that fill cells badly, packets are dropped", given, by, vendor.Xoff)
	case known == nil && profile.Xoff < enough.Xoff && madeFor(profile.Name, p.Speed, length):
		f.Severity = Warning
		f.Why = fmt.Sprintf("%s, and its name says that it was made for less: SONiC's own profile for them has %d, and %d are too few if packets are small", given, enough.Xoff, profile.Xoff)
	case known == nil && profile.Xoff < enough.Xoff && c.table() != nil:
		c.cannotAt(p, "whether the %d bytes behind the threshold hold the worst case, small packets that fill cells badly: %s has %d, and the chip has no public formula", profile.Xoff, c.table().Title, enough.Xoff)
		return
	default:
		return
	}
	if known == nil {
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("BUFFER_PROFILE", profile.Name, "xoff", fmt.Sprint(int64(enough.Xoff)), "size", fmt.Sprint(int64(enough.Size)))}}}
	}
	c.add(p, f)
}

// madeFor reports whether a profile has a name that SONiC gives to the profiles that it makes, for a
// lower speed or a shorter cable than the port's.
func madeFor(name string, speed units.Rate, cable units.Length) bool {
	var mbps, metres int64
	if n, err := fmt.Sscanf(name, "pg_lossless_%d_%dm_profile", &mbps, &metres); err != nil || n != 2 {
		return false
	}
	return units.Rate(mbps)*units.Mbps < speed || units.Length(metres)*units.Metre < cable
}

// leastHeadroom is the amount of data that arrives after a pause on any switch, with its terms in
// words.
func leastHeadroom(port roce.Port) (units.Bytes, string, error) {
	h, err := anyChip.Headroom(port, roce.Pattern{MTU: port.MTU}, true)
	if err != nil {
		return 0, "", err
	}
	sum := 0.0
	var words []string
	for _, t := range h.Terms {
		if t.Bytes > 0 {
			sum += t.Bytes
			words = append(words, fmt.Sprintf("%s %.0f", t.Name, t.Bytes))
		}
	}
	return units.Bytes(sum), strings.Join(words, ", "), nil
}

// mildest is the mildest traffic that SONiC ships tables for. It is used if there is no
// LOSSLESS_TRAFFIC_PATTERN: lint calls a profile small only below this, and a fix then takes
// roce.Harshest, as weft roce headroom does.
var mildest = roce.Pattern{SmallPercent: 50, MTU: 4096}

// chip is the name of the switch's chip, "" if it is not known.
func (c *checker) chip() string {
	if c.options.ASIC != "" {
		return c.options.ASIC
	}
	return roce.OfSKU(c.sw.HwSKU)
}

// table is the shipped table of a chip without a public formula, nil for another chip.
func (c *checker) table() *roce.Table {
	_, table, err := roce.Lookup(c.chip())
	if err != nil {
		return nil
	}
	return table
}

// vendorHeadroom is the headroom that the vendor asks for, with its source in words, for the
// traffic of LOSSLESS_TRAFFIC_PATTERN, or else for pattern. A table is of the worst case: for milder
// traffic it is the terms that every chip has, with the cells of this one.
func (c *checker) vendorHeadroom(port roce.Port, pattern roce.Pattern) (roce.Profile, string, error) {
	if c.chip() == "" {
		return roce.Profile{}, "", fmt.Errorf("the chip is not known by HwSKU %q (give --asic)", c.sw.HwSKU)
	}
	asic, table, err := roce.Lookup(c.chip())
	if err != nil {
		return roce.Profile{}, "", err
	}
	if table != nil && pattern == roce.Harshest {
		row, _, err := roce.Between(table.Rows, port.Speed, port.Cable)
		return row.Profile, "the table that is shipped for " + table.Title, err
	}
	of := "the vendor's formula for "
	if table != nil {
		of, asic = "what every chip needs, in the cells of ", &roce.ASIC{Name: table.Name, Title: table.Title, Cell: table.Cell}
	}
	pattern.MTU = min(pattern.MTU, port.MTU)
	if c.sw.LosslessMTU > 0 {
		pattern = roce.Pattern{SmallPercent: c.sw.SmallPercent, MTU: c.sw.LosslessMTU}
	}
	pool := c.pool()
	h, err := asic.Headroom(port, pattern, pool != nil && pool.Xoff > 0)
	by := fmt.Sprintf("%s%s with %d %% small packets and others of %d bytes", of, asic.Title, pattern.SmallPercent, pattern.MTU)
	return h.Profile, by, err
}

// length is the cable length of a port, 0 if it is not known.
func (c *checker) length(p *sonic.Port) units.Length {
	if c.options.Cable > 0 {
		return c.options.Cable
	}
	return p.Cable
}

func metres(l units.Length) int64 { return int64((l + units.Metre - 1) / units.Metre) }

// total compares the sum of all reserved headroom with the buffer.
func (c *checker) total() {
	pool := c.pool()
	if pool == nil {
		return
	}
	var promised units.Bytes
	for _, p := range c.sw.Ports {
		for _, g := range p.Groups {
			if p.Up && g.Lossless() && g.Pool == pool {
				promised += g.Size
			}
		}
	}
	total := promised + pool.Size + pool.Xoff
	c.oneAtATime(pool)
	switch {
	case c.options.Buffer > 0 && total > c.options.Buffer:
		c.overcommitted(pool, promised)
	case c.options.Buffer == 0 && pool.Size > 0 && promised > pool.Size:
		c.add(nil, Finding{
			Rule: "headroom-total", Severity: Warning, At: c.place(pool.Line), Value: fmt.Sprintf("size %d", pool.Size),
			Why: fmt.Sprintf("the priority groups of all ports are promised %d bytes, more than the %d that they share: this fits a chip of %d bytes only (give its size with --buffer)", promised, pool.Size, total),
		})
	case c.options.Buffer == 0:
		c.cannot("whether all headroom fits the chip: its buffer is not known (give --buffer)")
	}
}

// oneAtATime is the finding for a pool of headroom that ports share and that holds the headroom of
// one group only: a second one that pauses at the same time has none.
func (c *checker) oneAtATime(pool *sonic.Pool) {
	var most units.Bytes
	groups := 0
	for _, p := range c.ports() {
		for g, profile := range p.Groups {
			if profile.Lossless() && profile.Pool == pool && p.Lossless(g) {
				most, groups = max(most, profile.Xoff), groups+1
			}
		}
	}
	if pool.Xoff == 0 || groups < 2 || most > pool.Xoff || 2*most <= pool.Xoff {
		return // a pool that does not hold one is no valid configuration
	}
	c.add(nil, Finding{
		Rule: "headroom-total", Severity: Warning, At: c.place(pool.Line), Value: fmt.Sprintf("xoff %d", pool.Xoff),
		Why:   fmt.Sprintf("%d priority groups share %d bytes of headroom, and one alone may take %d: when two pause at the same time, packets of the second are dropped", groups, pool.Xoff, most),
		Fixes: []Fix{{c.name(), []string{c.sw.HeadroomPool(pool)}}},
	})
}

// overcommitted is the finding for a pool that leaves less of the chip's buffer than the promised
// headroom. Headroom comes first: the fix takes from the shared part.
func (c *checker) overcommitted(pool *sonic.Pool, promised units.Bytes) {
	buffer := c.options.Buffer
	f := Finding{
		Rule: "headroom-total", Severity: Error, At: c.place(pool.Line), Value: fmt.Sprintf("size %d, xoff %d", pool.Size, pool.Xoff),
		Why: fmt.Sprintf("the priority groups of all ports are promised %d bytes, and the pool has %d and %d for headroom: together %d, and the chip has %d",
			promised, pool.Size, pool.Xoff, promised+pool.Size+pool.Xoff, buffer),
		Setting: Setting{Buffer: buffer},
	}
	if left := buffer - promised - pool.Xoff; left > 0 && left < pool.Size {
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("BUFFER_POOL", pool.Name, "size", fmt.Sprint(int64(left)))}}}
	}
	for _, p := range c.ports() {
		if t := c.lossless(p); t.What != "" {
			f.Traffic = t
			c.add(p, f)

		}
	}
	if f.Traffic.What == "" {
		c.add(nil, f)
	}
}

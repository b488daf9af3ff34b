package sma

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// counters is the counters of a port, in both attributes. Management datagrams are the
// only packets here. The short counters stop at their highest value (IBA vol. 1,
// 16.1.3.5).
type counters struct {
	short mad.PortCounters
	long  mad.PortCountersExtended

	details map[mad.Attribute][]uint64 // of the optional attributes that are in use
}

// sum adds to a counter, which stops at its highest value.
func sum[T ~uint8 | ~uint16 | ~uint32](field *T, n T) {
	if *field+n < *field {
		*field = ^T(0)
		return
	}
	*field += n
}

func (c *counters) sent() {
	sum(&c.short.XmitPkts, 1)
	sum(&c.short.XmitData, madWords)
	c.long.XmitPkts++
	c.long.UnicastXmitPkts++
	c.long.XmitData += madWords
}

func (c *counters) received() {
	sum(&c.short.RcvPkts, 1)
	sum(&c.short.RcvData, madWords)
	c.long.RcvPkts++
	c.long.UnicastRcvPkts++
	c.long.RcvData += madWords
}

// answerPerf answers performance management (IBA vol. 1, 16.1.3 and 16.1.4).
func (f *Fabric) answerPerf(r *request, attr mad.Attribute) mad.Status {
	switch attr {
	case mad.AttrClassPortInfo:
		info := mad.ClassPortInfo{BaseVersion: 1, ClassVersion: 1, CapabilityMask: mad.PerfAllPorts | mad.PerfExtended | mad.PerfXmitWait, RespTime: 16}
		return r.readOnly(&info)
	case mad.AttrPortCounters:
		var in, out mad.PortCounters
		return answerCounters(r, &in, &out, &in.Port, &out.Port, (*counters).clearShort, (*counters).addShort)
	case mad.AttrPortCountersExtended:
		var in, out mad.PortCountersExtended
		return answerCounters(r, &in, &out, &in.Port, &out.Port, (*counters).clearLong, (*counters).addLong)
	}
	if d := detailOf(attr); d != nil {
		return r.answerDetail(d)
	}
	return mad.BadAttribute
}

// answerCounters answers with the sum over the selected ports, whose selected counters a Set has
// written before.
func answerCounters[T mad.Structure](r *request, in, out T, inPort, outPort *uint8, write, add func(*counters, T)) mad.Status {
	_ = mad.Parse(r.data, in)
	ports := r.counted(*inPort)
	if ports == nil {
		return mad.BadField
	}
	for _, c := range ports {
		if r.set {
			write(c, in)
		}
		add(c, out)
	}
	*outPort = *inPort
	mad.Append(r.blank(), out)
	return mad.OK
}

// allPorts selects the ports of a node together (IBA vol. 1, 16.1.3.5, PortSelect).
const allPorts = 255

// counted is the counters of the ports that a datagram selects, nil if there is no such port. An
// adapter's port has its own only.
func (r *request) counted(number uint8) []*counters {
	switch {
	case number == allPorts:
		all := make([]*counters, 0, len(r.n.ports))
		for p := range r.n.ports {
			all = append(all, &r.n.ports[p].counters)
		}
		return all
	case int(number) >= len(r.n.ports) || uint16(number) != r.at.Port && r.of.Kind != subnet.Switch:
		return nil
	}
	return []*counters{&r.n.ports[number].counters}
}

// addShort adds the counters to a sum, whose fields stop at their highest values.
func (c *counters) addShort(to *mad.PortCounters) {
	s := &c.short
	sum(&to.SymbolErrors, s.SymbolErrors)
	sum(&to.LinkRecoveries, s.LinkRecoveries)
	sum(&to.LinkDowned, s.LinkDowned)
	sum(&to.RcvErrors, s.RcvErrors)
	sum(&to.RcvRemoteErrors, s.RcvRemoteErrors)
	sum(&to.RcvSwitchErrors, s.RcvSwitchErrors)
	sum(&to.XmitDiscards, s.XmitDiscards)
	sum(&to.XmitConstraint, s.XmitConstraint)
	sum(&to.RcvConstraint, s.RcvConstraint)
	to.LocalIntegrity = min(to.LocalIntegrity+s.LocalIntegrity, 15) // four bits
	to.ExcessiveOverruns = min(to.ExcessiveOverruns+s.ExcessiveOverruns, 15)
	sum(&to.VL15Dropped, s.VL15Dropped)
	sum(&to.XmitData, s.XmitData)
	sum(&to.RcvData, s.RcvData)
	sum(&to.XmitPkts, s.XmitPkts)
	sum(&to.RcvPkts, s.RcvPkts)
	sum(&to.XmitWait, s.XmitWait)
}

// addLong adds the extended counters to a sum.
func (c *counters) addLong(to *mad.PortCountersExtended) {
	l := &c.long
	to.XmitData += l.XmitData
	to.RcvData += l.RcvData
	to.XmitPkts += l.XmitPkts
	to.RcvPkts += l.RcvPkts
	to.UnicastXmitPkts += l.UnicastXmitPkts
	to.UnicastRcvPkts += l.UnicastRcvPkts
	to.MulticastXmitPkts += l.MulticastXmitPkts
	to.MulticastRcvPkts += l.MulticastRcvPkts
}

// write sets a counter if the mask selects it.
func write[T any](mask uint16, bit int, field *T, to T) {
	if mask>>bit&1 == 1 {
		*field = to
	}
}

// clearShort writes the counters that the datagram selects: bits of IBA vol. 1,
// 16.1.3.5.
func (c *counters) clearShort(in *mad.PortCounters) {
	s, mask := &c.short, in.Select
	write(mask, 0, &s.SymbolErrors, in.SymbolErrors)
	write(mask, 1, &s.LinkRecoveries, in.LinkRecoveries)
	write(mask, 2, &s.LinkDowned, in.LinkDowned)
	write(mask, 3, &s.RcvErrors, in.RcvErrors)
	write(mask, 4, &s.RcvRemoteErrors, in.RcvRemoteErrors)
	write(mask, 5, &s.RcvSwitchErrors, in.RcvSwitchErrors)
	write(mask, 6, &s.XmitDiscards, in.XmitDiscards)
	write(mask, 7, &s.XmitConstraint, in.XmitConstraint)
	write(mask, 8, &s.RcvConstraint, in.RcvConstraint)
	write(mask, 9, &s.LocalIntegrity, in.LocalIntegrity)
	write(mask, 10, &s.ExcessiveOverruns, in.ExcessiveOverruns)
	write(mask, 11, &s.VL15Dropped, in.VL15Dropped)
	write(mask, 12, &s.XmitData, in.XmitData)
	write(mask, 13, &s.RcvData, in.RcvData)
	write(mask, 14, &s.XmitPkts, in.XmitPkts)
	write(mask, 15, &s.RcvPkts, in.RcvPkts)
	write(uint16(in.Select2), 0, &s.XmitWait, in.XmitWait)
}

// clearLong writes the counters that the datagram selects: bits of IBA vol. 1,
// 16.1.4.11.
func (c *counters) clearLong(in *mad.PortCountersExtended) {
	l, mask := &c.long, in.Select
	write(mask, 0, &l.XmitData, in.XmitData)
	write(mask, 1, &l.RcvData, in.RcvData)
	write(mask, 2, &l.XmitPkts, in.XmitPkts)
	write(mask, 3, &l.RcvPkts, in.RcvPkts)
	write(mask, 4, &l.UnicastXmitPkts, in.UnicastXmitPkts)
	write(mask, 5, &l.UnicastRcvPkts, in.UnicastRcvPkts)
	write(mask, 6, &l.MulticastXmitPkts, in.MulticastXmitPkts)
	write(mask, 7, &l.MulticastRcvPkts, in.MulticastRcvPkts)
}

// Traffic is packets that passed a port, and their data in words of 4 bytes.
type Traffic struct{ XmitPkts, XmitWords, RcvPkts, RcvWords uint64 }

// CountTraffic adds data packets to a port's counters.
func (f *Fabric) CountTraffic(at subnet.End, t Traffic) {
	c := &f.nodes[at.Node].ports[at.Port].counters
	short := func(n uint64) uint32 { return uint32(min(n, 1<<32-1)) }
	sum(&c.short.XmitPkts, short(t.XmitPkts))
	sum(&c.short.XmitData, short(t.XmitWords))
	sum(&c.short.RcvPkts, short(t.RcvPkts))
	sum(&c.short.RcvData, short(t.RcvWords))
	c.long.XmitPkts += t.XmitPkts
	c.long.UnicastXmitPkts += t.XmitPkts
	c.long.XmitData += t.XmitWords
	c.long.RcvPkts += t.RcvPkts
	c.long.UnicastRcvPkts += t.RcvPkts
	c.long.RcvData += t.RcvWords
}

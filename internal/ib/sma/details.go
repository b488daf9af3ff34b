package sma

import (
	"fmt"
	"strings"

	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// detail is an optional attribute of performance management: the port, the mask of the
// counters that a Set writes, then counters of one width (IBA vol. 1, 16.1.4).
type detail struct {
	attr   mad.Attribute
	name   string
	bits   int
	fields []string
}

// The optional attributes, with the specification's names.
var details = []detail{
	{0x0015, "PortRcvErrorDetails", 16, []string{"PortLocalPhysicalErrors", "PortMalformedPacketErrors", "PortBufferOverrunErrors", "PortDLIDMappingErrors", "PortVLMappingErrors", "PortLoopingErrors"}},
	{attrDiscardDetails, "PortXmitDiscardDetails", 16, []string{"PortInactiveDiscards", "PortNeighborMTUDiscards", "PortSwLifetimeLimitDiscards", "PortSwHOQLifetimeLimitDiscards"}},
	{0x0017, "PortOpRcvCounters", 32, []string{"PortOpRcvPkts", "PortOpRcvData"}},
	{0x0018, "PortFlowCtlCounters", 32, []string{"PortXmitFlowPkts", "PortRcvFlowPkts"}},
	{0x0019, "PortVLOpPackets", 16, perLane("PortVLOpPackets")},
	{0x001A, "PortVLOpData", 32, perLane("PortVLOpData")},
	{0x001B, "PortVLXmitFlowCtlUpdateErrors", 2, perLane("PortVLXmitFlowCtlUpdateErrors")},
	{0x001C, "PortVLXmitWaitCounters", 16, perLane("PortVLXmitWait")},
}

// attrDiscardDetails counts discards by their reason; inactiveDiscards is the field of
// discards at an inactive port.
const (
	attrDiscardDetails mad.Attribute = 0x0016
	inactiveDiscards   int           = 0
)

// lanes is the number of lanes with counters.
const lanes = 16

func perLane(name string) (fields []string) {
	for vl := range lanes {
		fields = append(fields, fmt.Sprintf("%s%d", name, vl))
	}
	return fields
}

// detailOf is the description of an optional attribute, nil for any other.
func detailOf(attr mad.Attribute) *detail {
	for i := range details {
		if details[i].attr == attr {
			return &details[i]
		}
	}
	return nil
}

// most is the highest value of a counter; the counter stops there.
func (d *detail) most() uint64 { return 1<<d.bits - 1 }

// values are the counters of an attribute.
func (c *counters) values(d *detail) []uint64 {
	if c.details == nil {
		c.details = map[mad.Attribute][]uint64{}
	}
	if c.details[d.attr] == nil {
		c.details[d.attr] = make([]uint64, len(d.fields))
	}
	return c.details[d.attr]
}

// addDetail adds one to a field.
func (c *counters) addDetail(attr mad.Attribute, field int) {
	d := detailOf(attr)
	v := c.values(d)
	v[field] = min(v[field]+1, d.most())
}

// answerDetail answers a Get or Set of an optional attribute.
func (r *request) answerDetail(d *detail) mad.Status {
	number := r.data[1]
	ports := r.counted(number)
	if ports == nil {
		return mad.BadField
	}
	v, mask := make([]uint64, len(d.fields)), uint16(r.data[2])<<8|uint16(r.data[3])
	for _, c := range ports {
		own := c.values(d)
		for i := range v {
			if r.set && mask>>i&1 == 1 {
				own[i] = getBits(r.data[4:], i*d.bits, d.bits)
			}
			v[i] = min(v[i]+own[i], d.most())
		}
	}
	clear(r.data)
	r.data[1] = number
	for i := range v {
		putBits(r.data[4:], i*d.bits, d.bits, v[i])
	}
	return mad.OK
}

// getBits reads a field of a big-endian bit string.
func getBits(b []byte, at, n int) (v uint64) {
	for i := at; i < at+n; i++ {
		v = v<<1 | uint64(b[i/8]>>(7-i%8)&1)
	}
	return v
}

// putBits writes a field into zeroes.
func putBits(b []byte, at, n int, v uint64) {
	for i := range n {
		b[(at+i)/8] |= byte(v>>(n-1-i)&1) << (7 - (at+i)%8)
	}
}

// SetCounter sets a counter of a port by the specification's names for attribute and field, in any
// case. A value above the counter's range becomes its highest value.
func (f *Fabric) SetCounter(at subnet.End, attribute, field string, value uint64) error {
	c := &f.nodes[at.Node].ports[at.Port].counters
	switch {
	case strings.EqualFold(attribute, "PortCounters"):
		return setField(c.shortFields(), attribute, field, value)
	case strings.EqualFold(attribute, "PortCountersExtended"):
		return setField(c.longFields(), attribute, field, value)
	}
	names := []string{"PortCounters", "PortCountersExtended"}
	for i := range details {
		d := &details[i]
		if !strings.EqualFold(d.name, attribute) {
			names = append(names, d.name)
			continue
		}
		for k, name := range d.fields {
			// ibsim's console names a lane's counter by the attribute: PortVLXmitWaitCounters3
			if strings.EqualFold(name, field) || len(d.fields) == lanes && strings.EqualFold(fmt.Sprint(d.name, k), field) {
				c.values(d)[k] = min(value, d.most())
				return nil
			}
		}
		return fmt.Errorf("%s has no field %q: it has %s", d.name, field, strings.Join(d.fields, ", "))
	}
	return fmt.Errorf("there is no attribute %q: valid are %s", attribute, strings.Join(names, ", "))
}

// named is a counter and its name.
type named struct {
	name string
	set  func(uint64)
}

func counter[T ~uint8 | ~uint16 | ~uint32 | ~uint64](name string, field *T) named {
	return named{name, func(v uint64) { *field = T(min(v, uint64(^T(0)))) }}
}

func setField(all []named, attribute, field string, value uint64) error {
	var names []string
	for _, c := range all {
		if strings.EqualFold(c.name, field) {
			c.set(value)
			return nil
		}
		names = append(names, c.name)
	}
	return fmt.Errorf("%s has no field %q: it has %s", attribute, field, strings.Join(names, ", "))
}

func (c *counters) shortFields() []named {
	s := &c.short
	return []named{
		counter("SymbolErrorCounter", &s.SymbolErrors), counter("LinkErrorRecoveryCounter", &s.LinkRecoveries),
		counter("LinkDownedCounter", &s.LinkDowned), counter("PortRcvErrors", &s.RcvErrors),
		counter("PortRcvRemotePhysicalErrors", &s.RcvRemoteErrors), counter("PortRcvSwitchRelayErrors", &s.RcvSwitchErrors),
		counter("PortXmitDiscards", &s.XmitDiscards), counter("PortXmitConstraintErrors", &s.XmitConstraint),
		counter("PortRcvConstraintErrors", &s.RcvConstraint), counter("LocalLinkIntegrityErrors", &s.LocalIntegrity),
		counter("ExcessiveBufferOverrunErrors", &s.ExcessiveOverruns), counter("VL15Dropped", &s.VL15Dropped),
		counter("PortXmitData", &s.XmitData), counter("PortRcvData", &s.RcvData),
		counter("PortXmitPkts", &s.XmitPkts), counter("PortRcvPkts", &s.RcvPkts), counter("PortXmitWait", &s.XmitWait),
	}
}

func (c *counters) longFields() []named {
	l := &c.long
	return []named{
		counter("PortXmitData", &l.XmitData), counter("PortRcvData", &l.RcvData),
		counter("PortXmitPkts", &l.XmitPkts), counter("PortRcvPkts", &l.RcvPkts),
		counter("PortUnicastXmitPkts", &l.UnicastXmitPkts), counter("PortUnicastRcvPkts", &l.UnicastRcvPkts),
		counter("PortMulticastXmitPkts", &l.MulticastXmitPkts), counter("PortMulticastRcvPkts", &l.MulticastRcvPkts),
	}
}

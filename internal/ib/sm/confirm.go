package sm

import (
	"bytes"
	"slices"

	"weft/wire/mad"
)

// The answer to a Set is a GetResp: it has the attribute as it is after the Set (IBA vol. 1,
// 13.4.5). So each answer shows whether the agent took what was written. An answer with P_Keys does
// not say from which port it comes, and an agent may send back the bytes that it got; because a
// wrong table gives a port to another tenant, P_Key tables are read once more (partitions.go).

// holds reports whether the answer to a Set of this request has what was written.
func (r *request) holds(d *mad.MAD, n *node) bool {
	switch r.attr {
	case mad.AttrPortInfo:
		return r.holdsPort(d, n)
	case mad.AttrSwitchInfo:
		var want, got mad.SwitchInfo
		_, _ = mad.Parse(r.data[:], &want), mad.Parse(d.SMPData(), &got)
		return got.LinearFDBTop == want.LinearFDBTop
	case mad.AttrSLToVL:
		var want, got mad.SLToVL
		_, _ = mad.Parse(r.data[:], &want), mad.Parse(d.SMPData(), &got)
		return got == want
	case mad.AttrVLArb:
		var want, got mad.VLArb
		_, _ = mad.Parse(r.data[:], &want), mad.Parse(d.SMPData(), &got)
		room := n.arbEntries(r.port, r.modifier>>16)
		return slices.Equal(got[:room], want[:room])
	case mad.AttrLinearFDB, mad.AttrMulticastFDB, mad.AttrPKeyTable:
		return bytes.Equal(r.data[:], d.SMPData())
	}
	return true
}

// holdsPort compares a PortInfo with the PortInfo that was written: the port that answers, its LID,
// and its state. The rest is a setting that a port may round, or lack.
func (r *request) holdsPort(d *mad.MAD, n *node) bool {
	var want, got mad.PortInfo
	_, _ = mad.Parse(r.data[:], &want), mad.Parse(d.SMPData(), &got)
	if !n.isSwitch() && got.LocalPort != r.port {
		return false
	}
	if (r.port == 0 || !n.isSwitch()) && (got.LID != want.LID || got.LMC != want.LMC) {
		return false
	}
	return got.State >= want.State
}

// arbEntries is the number of entries that a block of a port's arbitration tables has: blocks 1 and
// 2 are the table of low priority, 3 and 4 that of high priority (IBA vol. 1, 14.2.5.9).
func (n *node) arbEntries(p uint8, block uint32) int {
	room := int(n.ports[p].info.VLArbLowCap)
	if block >= 3 {
		room = int(n.ports[p].info.VLArbHighCap)
	}
	if block == 2 || block == 4 {
		room -= mad.VLArbPerBlock
	}
	return min(max(room, 0), mad.VLArbPerBlock)
}

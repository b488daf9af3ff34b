package sma

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// pkeys answers P_KeyTable (IBA vol. 1, 14.2.5.7).
func (r *request) pkeys() mad.Status {
	number := uint32(0)
	if r.of.Kind == subnet.Switch {
		number = r.mod >> 16
	}
	q, _, ok := r.selected(number)
	block := r.mod & 0xFFFF
	if !ok || int(block) >= len(q.pkeys) {
		return mad.BadField
	}
	if r.set {
		_ = mad.Parse(r.data, &q.pkeys[block])
	}
	mad.Append(r.blank(), &q.pkeys[block])
	return mad.OK
}

// slToVL answers SLtoVLMappingTable (IBA vol. 1, 14.2.5.8). After power-on the lane is the service
// level modulo the number of lanes.
func (r *request) slToVL() mad.Status {
	key := uint32(r.at.Port)
	if r.of.Kind == subnet.Switch {
		in, out := r.mod>>8&0xFF, r.mod&0xFF
		if r.mod>>16 != 0 || in >= uint32(len(r.n.ports)) || out >= uint32(len(r.n.ports)) {
			return mad.BadField
		}
		key = r.mod
	}
	if r.set {
		var in mad.SLToVL
		_ = mad.Parse(r.data, &in)
		r.n.sl2vl[key] = in
	}
	t, written := r.n.sl2vl[key]
	if !written {
		for sl := range t {
			t[sl] = units.VL(sl % 8)
		}
	}
	mad.Append(r.blank(), &t)
	return mad.OK
}

// vlArb answers VLArbitrationTable (IBA vol. 1, 14.2.5.9). Tables have one block each: blocks 2 and
// 4 do not exist. An adapter's port has its own tables only.
func (r *request) vlArb() mad.Status {
	number := r.mod & 0xFFFF
	if r.of.Kind != subnet.Switch {
		number = 0
	}
	q, _, ok := r.selected(number)
	block := r.mod >> 16
	if !ok || (block != 1 && block != 3) {
		return mad.BadField
	}
	t := &q.vlarb[block/2]
	if r.set {
		var in mad.VLArb
		_ = mad.Parse(r.data, &in)
		*t = mad.VLArb{}
		copy(t[:arbEntries], in[:])
	}
	mad.Append(r.blank(), t)
	return mad.OK
}

// guidInfo answers GUIDInfo (IBA vol. 1, 14.2.5.5). The first GUID cannot be written.
func (f *Fabric) guidInfo(r *request) mad.Status {
	if r.mod != 0 {
		return mad.BadField
	}
	q := f.endport(r.at)
	if r.set {
		own := q.guids[0]
		_ = mad.Parse(r.data, &q.guids)
		q.guids[0] = own
	}
	mad.Append(r.blank(), &q.guids)
	return mad.OK
}

// linear answers LinearForwardingTable (IBA vol. 1, 14.2.5.10).
func (r *request) linear() mad.Status {
	if r.mod >= uint32(len(r.n.lft)) {
		return mad.BadField
	}
	block := &r.n.lft[r.mod]
	if *block == nil {
		t := &mad.LinearFDB{}
		for i := range t {
			t[i] = subnet.NoPort
		}
		if !r.set {
			mad.Append(r.blank(), t)
			return mad.OK
		}
		*block = t
	}
	if r.set {
		_ = mad.Parse(r.data, *block)
	}
	mad.Append(r.blank(), *block)
	return mad.OK
}

// multicast answers MulticastForwardingTable (IBA vol. 1, 14.2.5.12).
func (r *request) multicast() mad.Status {
	block, position := mad.SplitMulticastBlock(r.mod)
	if int(block) >= multicastEntries/mad.MLIDsPerBlock || int(position)*mad.PortsPerPosition >= len(r.n.ports) {
		return mad.BadField
	}
	key := mad.MulticastBlock(block, position)
	var t mad.MulticastFDB
	if r.set {
		_ = mad.Parse(r.data, &t)
		r.n.mft[key] = &t
	} else if written := r.n.mft[key]; written != nil {
		t = *written
	}
	mad.Append(r.blank(), &t)
	return mad.OK
}

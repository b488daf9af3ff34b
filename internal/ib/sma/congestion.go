package sma

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// Attributes of congestion control (IBA vol. 1, A10.4.3).
const (
	attrCongestionInfo       mad.Attribute = 0x0011
	attrCongestionKeyInfo    mad.Attribute = 0x0012
	attrCongestionLog        mad.Attribute = 0x0013
	attrSwitchCongestion     mad.Attribute = 0x0014
	attrSwitchPortCongestion mad.Attribute = 0x0015
	attrAdapterCongestion    mad.Attribute = 0x0016
	attrCongestionTable      mad.Attribute = 0x0017
	attrTimeStamp            mad.Attribute = 0x0018
)

// Types of a CongestionLog.
const (
	logOfSwitch  = 1
	logOfAdapter = 2
)

// congestionKey is an attribute of a node, and a block of it.
type congestionKey struct {
	attr mad.Attribute
	mod  uint32
}

// answerCongestion answers congestion control: it stores the attributes that a manager writes. The
// agents mark no packets, so the log stays empty.
func (f *Fabric) answerCongestion(r *request, attr mad.Attribute) mad.Status {
	isSwitch := r.of.Kind == subnet.Switch
	switch attr {
	case mad.AttrClassPortInfo:
		info := mad.ClassPortInfo{BaseVersion: 1, ClassVersion: mad.CongestionVersion, RespTime: 16}
		return r.readOnly(&info)
	case attrCongestionInfo: // CongestionInfo 16 bits, then the blocks of 64 entries of an adapter's table
		return r.readOnlyBytes(0, 0, congestionBlocks)
	case attrCongestionLog:
		kind := byte(logOfAdapter)
		if isSwitch {
			kind = logOfSwitch
		}
		return r.readOnlyBytes(kind)
	case attrTimeStamp:
		return r.readOnlyBytes()
	case attrCongestionKeyInfo:
		return r.keepCongestion(attr, r.mod == 0)
	case attrSwitchCongestion, attrSwitchPortCongestion:
		return r.keepCongestion(attr, isSwitch && int(r.mod)*portsPerBlock < len(r.of.Ports))
	case attrAdapterCongestion:
		return r.keepCongestion(attr, !isSwitch && r.mod == 0)
	case attrCongestionTable:
		return r.keepCongestion(attr, !isSwitch && r.mod < congestionBlocks)
	}
	return mad.BadAttribute
}

// readOnlyBytes answers a Get with bytes, and refuses a Set.
func (r *request) readOnlyBytes(data ...byte) mad.Status {
	if r.set {
		return mad.BadAttribute
	}
	copy(r.blank()[:len(data)], data)
	return mad.OK
}

// keepCongestion stores a block of an attribute, or returns it.
func (r *request) keepCongestion(attr mad.Attribute, exists bool) mad.Status {
	if !exists {
		return mad.BadField
	}
	key := congestionKey{attr, r.mod}
	if r.set {
		if r.n.congestion == nil {
			r.n.congestion = map[congestionKey][]byte{}
		}
		r.n.congestion[key] = append([]byte(nil), r.data...)
	}
	clear(r.data)
	copy(r.data, r.n.congestion[key])
	return mad.OK
}

package verbs

import (
	"encoding/binary"
	"net/netip"

	"weft/internal/sim/channel"
	"weft/units"
)

// LinkLayer is the link layer of a port, with the numbers of ibv_port_attr.
type LinkLayer uint8

// The link layers.
const (
	LinkInfiniBand LinkLayer = 1 // of devices of an emulated InfiniBand fabric
	LinkEthernet   LinkLayer = 2
)

func (l LinkLayer) String() string {
	return named(l, map[LinkLayer]string{
		LinkInfiniBand: "IBV_LINK_LAYER_INFINIBAND",
		LinkEthernet:   "IBV_LINK_LAYER_ETHERNET",
	})
}

// GID is a port's or a multicast group's name in a GRH.
type GID = [16]byte

// The GIDs of an InfiniBand fabric. A port's is the default subnet prefix (IBA vol. 1, 4.1.1) and a
// GUID: locally administered, "wf", 0, the IPv4 address. A group's is that of RDMA's connection
// manager for an IPv4 group, as Linux has it (cma_set_mgid, ip_ib_mc_map): link-local, transient,
// the default partition, 28 bits of the group.
const (
	subnetPrefix  = 0xfe80_0000_0000_0000
	guidPrefix    = 0x0277_6600_0000_0000
	groupPrefix   = 0xff12_4001_ffff_0000
	groupBits     = 1<<28 - 1
	ipv4Multicast = 0xe000_0000
)

// subnet is the InfiniBand subnet of the device; nil: its link layer is Ethernet.
func (d *Device) subnet() *channel.Subnet {
	if d.fabric == nil {
		return nil
	}
	return d.fabric.Welcome.Subnet
}

// GID is the GID of the port or group with an address: the address itself on Ethernet.
func (d *Device) GID(a netip.Addr) GID {
	if a = a.Unmap(); d.subnet() == nil || !a.Is4() {
		return a.As16()
	}
	var g GID
	b := a.As4()
	v := uint64(binary.BigEndian.Uint32(b[:]))
	if a.IsMulticast() {
		binary.BigEndian.PutUint64(g[:], groupPrefix)
		binary.BigEndian.PutUint64(g[8:], v&groupBits)
	} else {
		binary.BigEndian.PutUint64(g[:], subnetPrefix)
		binary.BigEndian.PutUint64(g[8:], guidPrefix|v)
	}
	return g
}

// AddrOfGID is the address of the port or group with a GID. On InfiniBand any multicast GID is a
// group; those that agree in their last 28 bits are one.
func (d *Device) AddrOfGID(g GID) (netip.Addr, error) {
	high, low := binary.BigEndian.Uint64(g[:]), binary.BigEndian.Uint64(g[8:])
	var v uint64
	switch {
	case d.subnet() == nil:
		return netip.AddrFrom16(g).Unmap(), nil
	case g[0] == 0xff:
		v = ipv4Multicast | low&groupBits
	case high == subnetPrefix && low&^0xffff_ffff == guidPrefix:
		v = low & 0xffff_ffff
	default:
		return netip.Addr{}, invalid(
			"%v is no GID of the emulated fabric: a port's begins with fe80::277:6600", netip.AddrFrom16(g))
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(v))
	return netip.AddrFrom4(b), nil
}

// LID is the LID of the port or group with an address; 0 if it has none, as all on Ethernet.
func (d *Device) LID(a netip.Addr) units.LID {
	s := d.subnet()
	if a = a.Unmap(); s == nil || !a.Is4() {
		return 0
	}
	b := a.As4()
	if !a.IsMulticast() {
		return s.LID(b)
	}
	const groups = 1<<13 - 1
	return units.FirstMulticastLID | units.LID(binary.BigEndian.Uint16(b[2:])&groups)
}

// AddrOfLID is the address of the port with a LID.
func (d *Device) AddrOfLID(lid units.LID) (netip.Addr, error) {
	s := d.subnet()
	if s == nil {
		return netip.Addr{}, invalid(
			"LID %d: the device's link layer is Ethernet, which has no LIDs: give a GID", lid)
	}
	a, ok := s.Addr(lid)
	if !ok {
		return netip.Addr{}, invalid("LID %d: devices of the emulated fabric have LIDs from %d to %d",
			lid, s.First, units.LastUnicastLID)
	}
	return netip.AddrFrom4(a), nil
}

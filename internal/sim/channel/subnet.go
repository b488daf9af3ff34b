package channel

import (
	"encoding/binary"
	"fmt"

	"weft/units"
)

// AddressesPerNIC bounds the addresses of a NIC, and so its devices: the last byte of an address, without 0 and 255.
const AddressesPerNIC = 254

// Address is the k-th address of a NIC, from 1: devices on a NIC take different ones.
func Address(nic int32, k int) [4]byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 127<<24|1<<16+uint32(nic)<<8|uint32(k))
	return b
}

// NICOf is the NIC with an address, and which of the NIC's addresses it is, from 1; false if no NIC can have it.
func NICOf(a [4]byte) (nic int32, k int, ok bool) {
	v := binary.BigEndian.Uint32(a[:])
	return int32(v>>8&0xffff) - 1<<8, int(a[3]), a[0] == 127 && a[1] >= 1 && a[3] >= 1 && a[3] <= AddressesPerNIC
}

// Subnet is the LIDs of the devices of an InfiniBand fabric. A device is a virtual port of its NIC with a LID of its
// own (IBA vol. 1, annex A18), as virtual functions of a NIC have: LMC would bound a NIC to 128 devices and give
// the LIDs to one port, which has one GUID. The LIDs of the subnet's own ports come first, then those of the first
// NIC's devices, and so on, so a LID tells the address.
type Subnet struct {
	Manager units.LID // of the Subnet Manager
	First   units.LID // of the first device
	PerNIC  int       // LIDs, and so addresses, of a NIC
}

// NewSubnet gives LIDs to the devices of a subnet with a number of ports, the NICs' among them.
func NewSubnet(ports, nics int) (*Subnet, error) {
	room := int(units.LastUnicastLID) - ports
	if room < nics {
		return nil, fmt.Errorf("the %d ports of the subnet leave %d LIDs for devices, less than one for each of %d NICs: take fewer nodes", ports, max(0, room), nics)
	}
	return &Subnet{Manager: 1, First: units.LID(ports + 1), PerNIC: min(AddressesPerNIC, room/nics)}, nil
}

// LID is the LID of the device with an address, 0 if it has none.
func (s *Subnet) LID(a [4]byte) units.LID {
	nic, k, ok := NICOf(a)
	lid := int(s.First) + int(nic)*s.PerNIC + k - 1
	if !ok || k > s.PerNIC || lid > int(units.LastUnicastLID) {
		return 0
	}
	return units.LID(lid)
}

// Addr is the address of the device with a LID; false if no device can have it.
func (s *Subnet) Addr(lid units.LID) ([4]byte, bool) {
	if lid < s.First || lid > units.LastUnicastLID {
		return [4]byte{}, false
	}
	n := int(lid - s.First)
	return Address(int32(n/s.PerNIC), n%s.PerNIC+1), true
}

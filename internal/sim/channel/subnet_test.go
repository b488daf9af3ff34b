package channel_test

import (
	"testing"

	"weft/internal/sim/channel"
	"weft/units"
)

// TestALIDTellsTheAddress goes from each address of some NICs to its LID and back. No two have one LID, and none has one
// of the subnet's ports.
func TestALIDTellsTheAddress(t *testing.T) {
	for _, c := range []struct{ ports, nics, perNIC int }{{6, 4, 254}, {1500, 1000, 47}, {46000, 3000, 1}} {
		s, err := channel.NewSubnet(c.ports, c.nics)
		if err != nil || s.PerNIC != c.perNIC {
			t.Fatalf("%d ports, %d NICs: %+v, %v; want %d LIDs a NIC", c.ports, c.nics, s, err, c.perNIC)
		}
		last := units.LID(c.ports)
		for nic := range int32(c.nics) {
			for k := 1; k <= s.PerNIC; k++ {
				a := channel.Address(nic, k)
				lid := s.LID(a)
				if lid != last+1 {
					t.Fatalf("NIC %d, %d: LID %d behind %d", nic, k, lid, last)
				}
				if back, ok := s.Addr(lid); !ok || back != a {
					t.Fatalf("NIC %d, %d: LID %d is %v, want %v", nic, k, lid, back, a)
				}
				last = lid
			}
		}
		if a, ok := s.Addr(units.LID(c.ports)); ok {
			t.Errorf("LID %d is a port's of the subnet, and %v", c.ports, a)
		}
		if lid := s.LID(channel.Address(0, s.PerNIC+1)); lid != 0 {
			t.Errorf("address %d of a NIC with %d has LID %d", s.PerNIC+1, s.PerNIC, lid)
		}
	}
	if s, err := channel.NewSubnet(48000, 2000); err == nil {
		t.Errorf("1151 LIDs are too few for 2000 NICs, and there is %+v", s)
	}
}

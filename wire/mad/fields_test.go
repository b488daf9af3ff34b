package mad

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// The places of a datagram's fields: IBA vol. 1, 13.4.3 (all), 14.2.1.2 (directed
// routes) and 15.2.1.1 (subnet administration).
func TestFieldsStandWhereTheSpecHasThem(t *testing.T) {
	const wide = 0x1122334455667788
	for _, c := range []struct {
		name  string
		class Class
		set   func(m *MAD)
		at    int
		bytes int
		want  uint64
		got   func(m *MAD) uint64
	}{
		{"base version", SubnLID, func(*MAD) {}, 0, 1, 1, nil},
		{"class", Perf, func(*MAD) {}, 1, 1, 4, func(m *MAD) uint64 { return uint64(m.Class()) }},
		{"class version", Perf, func(*MAD) {}, 2, 1, 1, nil},
		{"class version of subnet administration", SubnAdm, func(*MAD) {}, 2, 1, 2, nil},
		{"method", Perf, func(m *MAD) { m.SetMethod(0x9a) }, 3, 1, 0x9a, func(m *MAD) uint64 { return uint64(m.Method()) }},
		{"status", Perf, func(m *MAD) { m.SetStatus(0x9234) }, 4, 2, 0x9234, func(m *MAD) uint64 { return uint64(m.Status()) }},
		{"hop pointer", SubnDirected, func(m *MAD) { m.SetHopPointer(7) }, 6, 1, 7, func(m *MAD) uint64 { return uint64(m.HopPointer()) }},
		{"transaction", Perf, func(m *MAD) { m.SetTID(wide) }, 8, 8, wide, (*MAD).TID},
		{"attribute", Perf, func(*MAD) {}, 16, 2, 0x12, func(m *MAD) uint64 { return uint64(m.Attribute()) }},
		{"modifier", Perf, func(m *MAD) { m.SetModifier(0x12345678) }, 20, 4, 0x12345678, func(m *MAD) uint64 { return uint64(m.Modifier()) }},
		{"M_Key", SubnLID, func(m *MAD) { m.SetMKey(wide) }, 24, 8, wide, (*MAD).MKey},
		{"port of hop 3 back", SubnDirected, func(m *MAD) { m.SetReturnPath(3, 36) }, 192 + 3, 1, 36, func(m *MAD) uint64 { return uint64(m.ReturnPath(3)) }},
		{"SM_Key", SubnAdm, func(m *MAD) { m.SetSMKey(wide) }, 36, 8, wide, (*MAD).SMKey},
		{"component mask", SubnAdm, func(m *MAD) { m.SetComponentMask(wide) }, 48, 8, wide, (*MAD).ComponentMask},
	} {
		m := New(c.class, Get, AttrPortCounters, 0, 0)
		before := m
		c.set(&m)
		var field [8]byte
		copy(field[8-c.bytes:], m[c.at:c.at+c.bytes])
		if got := binary.BigEndian.Uint64(field[:]); got != c.want {
			t.Errorf("%s at byte %d is %#x, want %#x", c.name, c.at, got, c.want)
		}
		if c.got != nil && c.got(&m) != c.want {
			t.Errorf("%s is read as %#x, want %#x", c.name, c.got(&m), c.want)
		}
		copy(before[c.at:], m[c.at:c.at+c.bytes])
		if before != m {
			t.Errorf("%s: other bytes changed as well", c.name)
		}
		if !m.VersionOK() {
			t.Errorf("%s: versions %d and %d of class %#x are refused", c.name, m[0], m[2], c.class)
		}
	}
	m := New(SubnAdm, Get, AttrPathRecord, 0, 0)
	for _, at := range []int{0, 2} {
		other := m
		other[at]++
		if other.VersionOK() {
			t.Errorf("version %d at byte %d is accepted", other[at], at)
		}
	}
}

// IBA vol. 1, 13.4.5: the answer to each method.
func TestAnswersHaveTheirMethod(t *testing.T) {
	for m, want := range map[Method]Method{
		Get: 0x81, Set: 0x81, Trap: 0x07, Report: 0x86, GetTable: 0x92, Delete: 0x95, GetMulti: 0x94, GetTraceTbl: 0x93,
	} {
		if got := m.Answer(); got != want {
			t.Errorf("the answer to method %#x is %#x, want %#x", uint8(m), uint8(got), uint8(want))
		}
	}
}

// IBA vol. 1, 10.9.3: keys of one partition match, unless both are of limited members; 0
// and 0x8000 belong to no partition.
func TestKeysMatchWithinAPartitionUnlessBothAreLimited(t *testing.T) {
	for _, c := range []struct {
		a, b PKey
		want bool
	}{
		{0xffff, 0xffff, true},
		{0xffff, 0x7fff, true},
		{0x7fff, 0xffff, true},
		{0x7fff, 0x7fff, false},
		{0x8001, 0x8002, false},
		{0x8001, 0x0001, true},
		{0x8000, 0x8000, false},
		{0x0000, 0x8000, false},
	} {
		if got := c.a.Matches(c.b); got != c.want {
			t.Errorf("%#04x and %#04x match: %v, want %v", uint16(c.a), uint16(c.b), got, c.want)
		}
	}
	if !PKey(0x8001).Full() || PKey(0x7fff).Full() || PKey(0x8001).Partition() != 1 {
		t.Error("the upper bit of a key does not mean full membership")
	}
}

// IBA vol. 1, 4.1.1 and 14.1: the classes of lane 15, and the prefix of multicast GIDs.
func TestClassesAndGIDsAreToldApart(t *testing.T) {
	for class, want := range map[Class]bool{SubnLID: true, SubnDirected: true, SubnAdm: false, Perf: false, Congestion: false} {
		if got := class.Subnet(); got != want {
			t.Errorf("class %#x belongs to subnet management: %v, want %v", uint8(class), got, want)
		}
	}
	for prefix, want := range map[uint64]bool{0xff12_401b << 32: true, DefaultPrefix: false, 0xfeff << 48: false} {
		if got := (GID{Prefix: prefix}).Multicast(); got != want {
			t.Errorf("a GID of prefix %#x is multicast: %v, want %v", prefix, got, want)
		}
	}
}

// The selectors of a PathRecord (IBA vol. 1, 15.2.5.16): 0 is greater than, 1 less than, 2 exactly, 3 the largest available.
func TestSelectorsCompare(t *testing.T) {
	for _, c := range []struct {
		s        Selector
		selected bool
		want     [3]bool // of a value below, at and above the bound
	}{
		{Greater, true, [3]bool{false, false, true}},
		{Less, true, [3]bool{true, false, false}},
		{Exactly, true, [3]bool{false, true, false}},
		{3, true, [3]bool{true, true, true}},
		{Greater, false, [3]bool{false, true, false}},
		{3, false, [3]bool{false, true, false}},
	} {
		for i, want := range c.want {
			if got := c.s.Admits(int64(9+i), 10, c.selected); got != want {
				t.Errorf("selector %d (in the mask: %v) admits %d with a bound of 10: %v, want %v", c.s, c.selected, 9+i, got, want)
			}
		}
	}
}

// Every bit of an attribute belongs to a field, except the reserved bits: if all bits are one,
// only these are lost. Bits count from 0, as the spec draws them.
func TestOnlyReservedBitsAreLost(t *testing.T) {
	reserved := map[string]string{
		"SwitchInfo": "133-143", "PortInfo": "274-276 416-418 504-506",
		"MlnxExtPortInfo": "0-23 32-55 64-87 96-119", "PathRecord": "353-355 464-511",
		"NodeRecord": "16-31", "PortInfoRecord": "306-308 448-450 536-538",
		"ServiceRecord": "208-223", "SwitchInfoRecord": "16-31 165-175", "LinearFDBRecord": "32-63",
		"MulticastFDBRecord": "20-22 32-63", "SLToVLRecord": "32-63",
		"PKeyRecord": "40-63", "GUIDInfoRecord": "24-63", "SMInfoRecord": "16-31",
		"InformInfoRecord": "144-191 352-367 440-442 448-455", "MCMemberRecord": "393-415",
		"InformInfo": "160-175 248-250 256-263", "PortCounters": "0-7", "PortCountersExtended": "0-7",
		"VLArbRecord": "32-67",
	}
	entries := func(from, first, n int) (s string) { // each of 4 bits before a lane, after the first
		for i := first; i < n; i++ {
			s += fmt.Sprintf(" %d-%d", from+16*i, from+16*i+3)
		}
		return s
	}
	reserved["VLArb"] = strings.TrimSpace(entries(0, 0, 32))
	reserved["VLArbRecord"] += entries(64, 1, 32)
	for _, a := range attributes {
		if err := Parse(bytes.Repeat([]byte{0xff}, a.bytes), a.of); err != nil {
			t.Fatal(err)
		}
		w, lost, from := Append(nil, a.of), []string(nil), -1
		for i := range 8*len(w) + 1 {
			kept := i == 8*len(w) || w[i/8]>>(7-i%8)&1 != 0
			switch {
			case !kept && from < 0:
				from = i
			case kept && from >= 0:
				lost, from = append(lost, fmt.Sprintf("%d-%d", from, i-1)), -1
			}
		}
		if got := strings.Join(lost, " "); got != reserved[name(a.of)] {
			t.Errorf("%s loses bits %s, reserved are %s", name(a.of), got, reserved[name(a.of)])
		}
	}
}

package partition_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/partition"
	"weft/units"
)

func TestKeysMatchUnlessBothAreLimitedOrTheyDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b uint16
		want bool
	}{
		{0x8001, 0x8001, true},
		{0x8001, 0x0001, true},
		{0x0001, 0x8001, true},
		{0x0001, 0x0001, false},
		{0x8001, 0x8002, false},
		{0x8000, 0x8000, false},
		{0x0000, 0x8000, false},
		{0xffff, 0x7fff, true},
	} {
		if got := partition.Match(c.a, c.b); got != c.want {
			t.Errorf("%#04x and %#04x match: %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

// Port 0 is the manager's.
func TestTablesAreThoseThatAManagerWrites(t *testing.T) {
	ports := []units.GUID{0x10, 0x20, 0x30}
	for _, c := range []struct{ name, file, want string }{
		{"no file", "", "[[ffff] [ffff] [ffff]]"},
		{"a file without members", "empty=0x5 : ;", "[[ffff] [7fff] [7fff]]"},
		{"all limited, the manager full", "Default=0x7fff : ALL=limited, SELF=full ;", "[[ffff] [7fff] [7fff]]"},
		{"all full", "Default=0x7fff : ALL=full ;", "[[ffff] [ffff] [ffff]]"},
		{"tenants", "a=0x1, defmember=full : 0x20 ; b=0x2 : 0x20, 0x30=full ;", "[[ffff] [7fff 8001 2] [7fff 8002]]"},
		{"index 0 is taken", "a=0x1 : 0x20=full ; b=0x2, indx0 : 0x20=full, 0x30=full ;", "[[ffff] [8002 8001 7fff] [8002 7fff]]"},
		{"both memberships", "a=0x1 : 0x20=both ;", "[[ffff] [7fff 8001] [7fff]]"},
		{"both keys allowed", "a=0x1 : 0x20=both ;", "[[ffff] [1 8001 7fff] [7fff]]"},
		{"the last mention counts", "a=0x1 : 0x20=full, ALL_CAS=limited, 0x30=full ;", "[[ffff 1] [7fff 1] [7fff 8001]]"},
		{"unknown ports and switches", "a=0x1 : 0x99=full, ALL_SWITCHES=full ;", "[[ffff] [7fff] [7fff]]"},
		{"the default partition comes first", "a=0x1 : ALL=full ; Default=0x7fff : ALL=full ;", "[[ffff 8001] [ffff 8001] [ffff 8001]]"},
	} {
		var config *partition.Config
		if c.file != "" {
			var err error
			if config, err = partition.Read("partitions.conf", strings.NewReader(c.file)); err != nil {
				t.Fatal(err)
			}
		}
		if c.name == "both keys allowed" {
			config.BothKeys = true
		}
		tables, err := partition.Tables(config, ports, 0)
		if got := fmt.Sprintf("%x", tables); err != nil || got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}

// The expected tables are from a real OpenSM 3.3.23 that read this file (smpquery pkeys
// on each of the 16 hosts, by GUID). The manager is limited because ALL comes after SELF.
func TestTablesAreThoseOfARealOpenSM(t *testing.T) {
	const file = `
Default=0x7fff, ipoib, defmember=limited : ALL_SWITCHES=full, SELF=full, ALL;
tenantA=0x0001, ipoib, mtu=5, rate=12, sl=1, defmember=full : 0x0002c90300100005, 0x0002c90300100009, 0x0002c9030010000d;
tenantB=0x8002, indx0, defmember=limited : 0x0002c90300100011, 0x0002c90300100015=full, 0x0002c90300100019;
storage=0x0003 : ALL_CAS=limited, 0x0002c90300100041=full;
`
	want := []string{
		"[7fff 8001 3]", "[7fff 8001 3]", "[7fff 8001 3]",
		"[2 3 7fff]", "[8002 3 7fff]", "[2 3 7fff]",
		"[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]", "[7fff 3]",
		"[7fff 8003]",
	}
	config, err := partition.Read("partitions.conf", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var ports []units.GUID
	for i := range want {
		ports = append(ports, 0x0002c90300100005+4*units.GUID(i))
	}
	tables, err := partition.Tables(config, ports, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, keys := range tables {
		if got := fmt.Sprintf("%x", keys); got != want[i] {
			t.Errorf("host %d has %s, OpenSM wrote %s", i+1, got, want[i])
		}
	}
}

func TestTheCommonKeyIsTheFirstThatMatches(t *testing.T) {
	own, other, ok := partition.Common([]uint16{0x7fff, 0x8001, 0x8002}, []uint16{0x7fff, 0x8002, 0x0001})
	if own != 0x8001 || other != 0x0001 || !ok {
		t.Errorf("%#04x and %#04x, %t; want 0x8001 and 0x0001", own, other, ok)
	}
	if _, _, ok := partition.Common([]uint16{0x7fff, 0x0001}, []uint16{0x7fff, 0x0001}); ok {
		t.Error("two limited members of the same partitions share a key")
	}
}

func TestAPortHasRoomFor128Keys(t *testing.T) {
	ports := []units.GUID{0x10, 0x20}
	config := &partition.Config{}
	add := func(key uint16) {
		config.Partitions = append(config.Partitions, partition.Partition{Key: key, Members: []partition.Member{{Who: partition.Port, GUID: 0x20, Membership: partition.Full}}})
	}
	for key := range uint16(127) { // and the default partition's
		add(key + 1)
	}
	tables, err := partition.Tables(config, ports, 0)
	if err != nil || len(tables[1]) != 128 {
		t.Fatalf("%d keys, %v", len(tables[1]), err)
	}
	add(1000)
	if _, err := partition.Tables(config, ports, 0); err == nil || !strings.Contains(err.Error(), "0x0000000000000020 would have more than 128 P_Keys") {
		t.Errorf("129 keys: %v", err)
	}
}

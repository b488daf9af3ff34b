package ibsim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/partition"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// TestOpenSMWritesThePKeysThatFollowFromTheFile writes files of random partitions, has
// the real OpenSM read them, and compares the P_Key tables of every adapter with weft's.
// Every second OpenSM may give a port both memberships of a partition.
func TestOpenSMWritesThePKeysThatFollowFromTheFile(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := routetest.Build(t, topology.TwoLevel{Endpoints: 16, Radix: 8}, ndr)
			var ports []units.GUID
			for i := range 16 {
				ports = append(ports, subnet.AdapterPort(i, 0))
			}
			config := drawn(rand.New(rand.NewPCG(seed, 7)), ports)
			file := filepath.Join(t.TempDir(), "partitions.conf")
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := partition.Write(f, config); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			const self = 3
			config.BothKeys = seed%2 == 0
			want, err := partition.Tables(config, ports, self)
			if err != nil {
				t.Fatal(err)
			}
			b := serve(t, s)
			options := []string{"-P", file}
			if config.BothKeys {
				options = append(options, "--allow_both_pkeys")
			}
			b.opensm(adapter(s, self), options...)
			text, _ := os.ReadFile(file)
			b.server.Do(func(f *sma.Fabric) {
				for i := range ports {
					at := subnet.End{Node: int32(adapter(s, i)), Port: 1}
					if got := set(f.PKeys(at)); got != fmt.Sprintf("%04x", want[i]) {
						t.Errorf("adapter %d has %s, weft expects %04x from\n%s", i, got, want[i], text)
					}
					// The simulated switch checks by this table.
					if got := members(f.PKeys(s.Port(at).Peer)); got != members(f.PKeys(at)) {
						t.Errorf("the switch port of adapter %d has %s, the adapter %s", i, got, members(f.PKeys(at)))
					}
				}
			})
		})
	}
}

// set lists the valid keys of a table.
func set(table mad.PKeyTable) string {
	var keys []uint16
	for _, k := range table {
		if k != 0 {
			keys = append(keys, uint16(k))
		}
	}
	return fmt.Sprintf("%04x", keys)
}

// members lists the partitions of a table, each with full membership if it has that: a
// switch's port has one key of each partition, and in another order.
func members(table mad.PKeyTable) string {
	for i, key := range table {
		if slices.Contains(table[:], key|1<<15) && key>>15 == 0 {
			table[i] = 0
		}
	}
	slices.Sort(table[:])
	return set(table)
}

// drawn are up to five partitions of random members, some of them named twice; half of
// the files have the default partition.
func drawn(rng *rand.Rand, ports []units.GUID) *partition.Config {
	c := &partition.Config{}
	memberships := []partition.Membership{partition.Limited, partition.Full, partition.Both}
	add := func(name string, key uint16, first bool) {
		p := partition.Partition{Name: name, Key: key, First: first}
		if rng.IntN(3) == 0 {
			p.Members = append(p.Members, partition.Member{Who: partition.AllAdapters, Membership: memberships[rng.IntN(len(memberships))]})
		}
		for range 1 + rng.IntN(8) {
			p.Members = append(p.Members, partition.Member{Who: partition.Port, GUID: ports[rng.IntN(len(ports))], Membership: memberships[rng.IntN(len(memberships))]})
		}
		if rng.IntN(3) == 0 {
			p.Members = append(p.Members, partition.Member{Who: partition.Self, Membership: memberships[rng.IntN(len(memberships))]})
		}
		c.Partitions = append(c.Partitions, p)
	}
	if rng.IntN(2) == 0 {
		add("Default", partition.Default, false)
	}
	for i := range 1 + rng.IntN(4) {
		add(fmt.Sprintf("p%d", i), uint16(1+rng.IntN(0x7000)), i == 0 && rng.IntN(3) == 0)
	}
	return c
}

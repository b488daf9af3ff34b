package roce

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"weft/units"
)

// shipped are tables of sonic-buildimage, each with the traffic pattern of its deployment. The
// fixed tables gave the family its parameters; the others are predicted with these.
var shipped = []struct {
	file    string
	asic    string
	pattern Pattern
	shared  bool // the headroom is in a shared pool: size is XON
	longest units.Length
	misses  int // rows whose size differs; their XOFF and XON do not
}{
	{"ACS-SN5600", "spectrum-4", Pattern{SmallPercent: 100, MTU: 1024}, false, 300 * units.Metre, 3},
	{"Mellanox-SN5640-C512X2", "spectrum-5", Pattern{SmallPercent: 50, MTU: 4096}, true, 1000 * units.Metre, 0},
	// Predicted. Its rows of 1 km follow another rule, one port MTU lower, and the size at 800 Gb/s
	// leaves that MTU out.
	{"Mellanox-SN5610N-C256S2", "spectrum-4", Pattern{SmallPercent: 50, MTU: 4096}, false, 300 * units.Metre, 3},
}

func TestShippedTablesComeOutRowByRow(t *testing.T) {
	for _, s := range shipped {
		rows := readProfiles(t, s.file)
		asic, _, err := Lookup(s.asic)
		if err != nil {
			t.Fatal(err)
		}
		misses, seen := 0, 0
		for _, want := range rows {
			if want.Cable > s.longest {
				continue
			}
			seen++
			port := Port{Speed: want.Speed, Cable: want.Cable, MTU: 9216, Lanes: 4}
			if want.Speed == 800*units.Gbps {
				port.Lanes = 8
			}
			got, err := asic.Headroom(port, s.pattern, s.shared)
			if err != nil {
				t.Fatal(err)
			}
			if got.Xoff != want.Xoff || got.Xon != want.Xon {
				t.Errorf("%s, %v, %v: XOFF %d XON %d, shipped %d and %d", s.file, want.Speed, want.Cable, got.Xoff, got.Xon, want.Xoff, want.Xon)
			}
			if got.Size != want.Size {
				misses++
			}
		}
		if misses != s.misses {
			t.Errorf("%s: the size of %d of %d rows differs, %d are known to", s.file, misses, seen, s.misses)
		}
	}
}

func TestTermsSumToXoff(t *testing.T) {
	for _, a := range asics() {
		port := Port{Speed: 400 * units.Gbps, Cable: 40 * units.Metre, MTU: 9216, Lanes: 8}
		h, err := a.Headroom(port, Pattern{SmallPercent: 30, MTU: 4096}, false)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, term := range h.Terms {
			sum += term.Bytes
		}
		want := math.Ceil((4096+sum*h.Occupancy)/1024)*1024 + a.ExtraKiB*1024
		if float64(h.Xoff) != want {
			t.Errorf("%s: XOFF %d, its terms give %.0f", a.Name, h.Xoff, want)
		}
	}
}

func TestHeadroomGrowsWithSpeedAndLength(t *testing.T) {
	for _, a := range asics() {
		last := units.Bytes(0)
		for _, metres := range []units.Length{0, 1, 5, 40, 300, 2000} {
			h, err := a.Headroom(Port{Speed: 400 * units.Gbps, Cable: metres * units.Metre, MTU: 9216}, Pattern{MTU: 4096}, true)
			if err != nil {
				t.Fatal(err)
			}
			if h.Xoff < last {
				t.Errorf("%s: %d bytes at %d m, %d at less", a.Name, h.Xoff, metres, last)
			}
			last = h.Xoff
		}
	}
}

func TestPortsOutOfRangeAreRefused(t *testing.T) {
	good := Port{Speed: 400 * units.Gbps, Cable: 5 * units.Metre, MTU: 9216}
	for name, c := range map[string]struct {
		port    Port
		pattern Pattern
	}{
		"no speed":           {Port{Cable: 1, MTU: 9216}, Pattern{MTU: 1024}},
		"negative cable":     {Port{Speed: 1, Cable: -1, MTU: 9216}, Pattern{MTU: 1024}},
		"cable too long":     {Port{Speed: 1, Cable: 2 * MaxCable, MTU: 9216}, Pattern{MTU: 1024}},
		"no MTU":             {Port{Speed: 1}, Pattern{MTU: 1024}},
		"101 % small":        {good, Pattern{SmallPercent: 101, MTU: 1024}},
		"lossless MTU above": {good, Pattern{MTU: 9217}},
	} {
		if _, err := asics()[0].Headroom(c.port, c.pattern, false); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func readProfiles(t *testing.T, name string) []Row {
	t.Helper()
	path := filepath.Join("testdata", name+".pg_profile_lookup.ini")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadProfiles(path, f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/roce"
	"weft/units"
)

// dynamicSwitch is switchFile with lossless groups whose headroom the switch computes, and
// further changes, beside a scenario of one fabric.
func dynamicSwitch(t *testing.T, ethernet string, changes ...string) (*Resolved, error) {
	t.Helper()
	text, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	changed := string(text)
	changes = append([]string{
		`"profile": "pg_lossless_400000_40m_profile"`, `"profile": "NULL"`,
		`"localhost": {`, `"localhost": {"buffer_model": "dynamic",`,
	}, changes...)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(changed, changes[i]) {
			t.Fatalf("the file has no %s", changes[i])
		}
		changed = strings.ReplaceAll(changed, changes[i], changes[i+1])
	}
	dir := t.TempDir()
	for name, b := range map[string]string{"leaf.json": changed, "s.yaml": sonicFabric("leaf.json", ", ethernet: {dscp: 3"+ethernet+"}")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(filepath.Join(dir, "s.yaml"))
	if err != nil {
		return nil, err
	}
	return f.Resolve()
}

// The file's own profile is the formula's result for 40 m at 400 Gb/s and small packets
// only, which is the pattern that SONiC ships.
func TestHeadroomThatASwitchComputesIsComputed(t *testing.T) {
	r, err := dynamicSwitch(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Fabrics[0].Ethernet.PFC; p.Headroom != 283648 || p.XON != 19456 || p.Reserve != 19456 || p.HeadroomPool != 0 || p.Alpha != (Ratio{Num: 1, Den: 1}) {
		t.Errorf("%+v", p)
	}
	r, err = dynamicSwitch(t, "", `"PORT": {`, `"LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "4096", "small_packet_percentage": "50"}},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "-1", "over_subscribe_ratio": "2"}}, "PORT": {`)
	if err != nil {
		t.Fatal(err)
	}
	asic, _, err := roce.Lookup("spectrum-4")
	if err != nil {
		t.Fatal(err)
	}
	want, err := asic.Headroom(roce.Port{Speed: 400 * units.Gbps, Cable: 40 * units.Metre, MTU: 9122, Lanes: 4}, roce.Pattern{SmallPercent: 50, MTU: 4096}, true)
	if err != nil {
		t.Fatal(err)
	}
	// Two ports with two lossless groups each, less 10 KiB of each port, over 2.
	pool := (4*want.Xoff - 2*10*units.KiB) / 2
	if p := r.Fabrics[0].Ethernet.PFC; p.Headroom != want.Xoff || p.Reserve != want.Xon || p.HeadroomPool != pool || p.Alpha != (Ratio{Num: 1, Den: 2}) {
		t.Errorf("%+v; want headroom %d, reserve %d, a pool of %d and alpha 1/2", p, want.Xoff, want.Xon, pool)
	}
}

func TestHeadroomWithoutKnownTermsIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		changes    []string
	}{
		{"a table of the platform", "pg_profile_lookup.ini", []string{`"buffer_model": "dynamic",`, ""}},
		{"a chip that is not known", `HwSKU "unknown"`, []string{`"hwsku": "`, `"hwsku": "unknown", "was": "`}},
		{"a cable that is not known", "CABLE_LENGTH has no length", []string{`"40m"`, `"None"`}},
	} {
		if _, err := dynamicSwitch(t, "", c.changes...); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "state ethernet.pfc.headroom") {
			t.Errorf("%s: %v; want %s, and the field to state", c.name, err, c.want)
		}
		if r, err := dynamicSwitch(t, ", pfc: {headroom: 200KiB}", c.changes...); err != nil || r.Fabrics[0].Ethernet.PFC.Headroom != 200*units.KiB {
			t.Errorf("%s, stated: %v", c.name, err)
		}
	}
}

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/test/ibsimtest"
	"weft/scenario"
)

// The real OpenSM writes QoS keys into ports of eight lanes; a scenario with eight
// lanes reads the same file. Both fold the lanes alike, and qos_max_vls has no effect.
func TestAScenarioFoldsLanesAsOpenSMDoes(t *testing.T) {
	for _, conf := range []string{
		"qos TRUE\nqos_max_vls 4\nqos_high_limit 3\nqos_vlarb_high 5:64,9:1\nqos_vlarb_low 0:1,5:2,6:3,14:7\nqos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n",
		"qos TRUE\nqos_max_vls 2\nqos_vlarb_high 1:64\nqos_vlarb_low 0:1,7:2,6:3,11:7\nqos_sl2vl 7,6,5,4,3,2,1,0,8,9,10,11,12,13,14,15\n",
	} {
		dir := t.TempDir()
		s := shuffled(t, topology.TwoLevel{Endpoints: 4, Radix: 4})
		net, hosts := netOf(t, dir, s)
		text := "fabrics: [{preset: infiniband-ndr, ib: {vls: 8, opensm-conf: qos.conf}}]\n"
		for name, content := range map[string]string{"qos.conf": conf, "s.yaml": text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		socket := realIbsim(t, net)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		opensm := ibsimtest.Command(ctx, t, dir, socket, hosts[0], "opensm", "-o", "-r", "-Q", "-F", filepath.Join(dir, "qos.conf"), "-f", filepath.Join(dir, "osm.log"))
		out, err := opensm.CombinedOutput()
		cancel()
		if err != nil {
			t.Fatalf("opensm: %v\n%s", err, out)
		}
		f, err := scenario.Load(filepath.Join(dir, "s.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		ib := &r.Fabrics[0].IB
		want := fmt.Sprintf(" low %s high %s lanes of levels ", weightBytes(ib.VLArbLow), weightBytes(ib.VLArbHigh))
		for _, vl := range ib.SL2VL {
			want += fmt.Sprintf("%x", vl)
		}
		if line := portTables(t, socket, hosts[0], s)[0]; !strings.HasSuffix(line, want) {
			t.Errorf("OpenSM writes\n%s\nthe scenario has\n%s\nof\n%s", line, want, conf)
		}
	}
}

// weightBytes are the first eight entries of an arbitration table, as the attribute has
// them.
func weightBytes(table []scenario.VLWeight) string {
	text := ""
	for _, e := range table {
		text += fmt.Sprintf("%02x%02x", e.VL, e.Weight)
	}
	return text + strings.Repeat("0", 32-len(text))
}

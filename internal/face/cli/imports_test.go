package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// star is a topology of the HPCC simulator: hosts on one switch.
func star(hosts int, rate string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d 1 %d\n%d\n", hosts+1, hosts, hosts)
	for i := range hosts {
		fmt.Fprintf(&b, "%d %d %s 0.001ms 0\n", i, hosts, rate)
	}
	return b.String()
}

// TestAnImportedTopologyIsBuilt: topologies with more ports or higher rates than
// weft's presets. Printing them proves that they can be built.
func TestAnImportedTopologyIsBuilt(t *testing.T) {
	for name, text := range map[string]string{"70 ports": star(70, "400Gbps"), "8 Tb/s": star(4, "8000Gbps")} {
		file := filepath.Join(t.TempDir(), "topology.txt")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := invoke(environment([]string{"replay", file}))
		if code != exit.OK || !strings.Contains(out, "shape: single-switch") {
			t.Errorf("%s: exit code %d, %s%s", name, code, out, errs)
		}
	}
}

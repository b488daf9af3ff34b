package route_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// torusConf is the torus-2QoS.conf that weft writes for a torus.
func torusConf(t *testing.T, s *subnet.Subnet) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := route.WriteTorusConf(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Weft writes a torus-2QoS.conf and reads it back. Its tables are proven, and equal the
// tables that Auto tries and, on a whole torus, chooses. A missing cable at the first seed
// changes nothing in this.
func TestATorusIsRoutedByTheConfThatIsWrittenOfIt(t *testing.T) {
	for _, dims := range [][]int{{4, 4}, {5, 3}, {3, 4, 5}, {8, 2}} {
		s := built(t, topology.Torus{Dims: dims, SwitchEndpoints: 2})
		for _, broken := range []bool{false, true} {
			if broken {
				cut(s, routetest.FirstCable(s))
			}
			c := conf(t, string(torusConf(t, s)))
			got, err := route.Compute(s, "torus-2QoS", route.Options{Torus: c})
			if err != nil {
				t.Errorf("%v, broken %v: %v", dims, broken, err)
				continue
			}
			auto, err := route.Compute(s, route.Auto, route.Options{})
			if err != nil || !broken && auto.Report.Used != "torus-2QoS" {
				t.Errorf("%v, broken %v: auto chose other tables (%v)", dims, broken, err)
				continue
			}
			if auto.Report.Used == "torus-2QoS" && !reflect.DeepEqual(got.LFT, auto.LFT) {
				t.Errorf("%v, broken %v: auto's tables of torus-2QoS differ", dims, broken)
			}
			if !slices.ContainsFunc(auto.Report.Tried, func(t route.Attempt) bool { return t.Engine == "torus-2QoS" && t.Refused == "" }) {
				t.Errorf("%v, broken %v: auto did not prove torus-2QoS: %+v", dims, broken, auto.Report.Tried)
			}
			if p := check(t, s, got.Tables); !p.Proven() {
				t.Errorf("%v, broken %v: %+v", dims, broken, p)
			}
		}
	}
}

// The real OpenSM accepts the file and uses torus-2QoS; without the file it falls back to
// minhop.
func TestOpenSMRoutesByTheTorusConfThatIsWritten(t *testing.T) {
	needOpenSM(t)
	for _, dims := range [][]int{{4, 4}, {3, 4, 5}, {8, 2}} {
		s := built(t, topology.Torus{Dims: dims, SwitchEndpoints: 2})
		file := filepath.Join(t.TempDir(), "torus-2QoS.conf")
		if err := os.WriteFile(file, torusConf(t, s), 0o644); err != nil {
			t.Fatal(err)
		}
		if d := bringUp(t, s, "-Q", "-R", "torus-2QoS", "--torus_config", file); d.used != "torus-2QoS" {
			t.Errorf("%v: OpenSM uses %q:\n%s", dims, d.used, d.log)
		}
	}
}

func TestWhatIsNoTorusHasNoTorusConf(t *testing.T) {
	for _, fabric := range []string{"dragonfly-p2a4h2", "ft2-16"} {
		var refusal *route.Refusal
		if err := route.WriteTorusConf(&bytes.Buffer{}, routetest.Fabric(t, fabric)); !errors.As(err, &refusal) {
			t.Errorf("%s: %v", fabric, err)
		}
	}
}

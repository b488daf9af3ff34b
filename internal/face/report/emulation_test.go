package report

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/live/emulate"
	"weft/results"
	"weft/units"
)

func TestTheRateOfADeviceHasItsUnit(t *testing.T) {
	r := &emulate.Report{
		Results: &results.Results{Fabrics: []results.FabricResult{{Name: "roce", Points: make([]results.Point, 1)}}},
		Devices: []emulate.Device{{Addr: "127.1.0.1", NIC: "node0/nic0", PacketsSent: 1, BytesSent: 2500, Last: units.Microsecond}},
	}
	var out strings.Builder
	if err := Emulation(r).Terminal(&out, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	if head, row := "GB/s while active", "2.50"; !strings.Contains(out.String(), head) || !strings.Contains(out.String(), row) {
		t.Errorf("no rate %q under %q:\n%s", row, head, out.String())
	}
}

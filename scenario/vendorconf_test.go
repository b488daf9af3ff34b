package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// TestSettingsOfNVIDIAsOpenSMTakeEffect: adaptive routing, SHARP and the file of partitions; what the scenario states stays;
// the rest is told.
func TestSettingsOfNVIDIAsOpenSMTakeEffect(t *testing.T) {
	const text = "cluster: {nodes: 4, node: dgx-h100}\nfabric: {preset: infiniband-ndr, ib: {opensm-conf: opensm.conf%s}%s}\n"
	for _, c := range []struct {
		conf, ib, more string
		mode           RoutingMode
		sharp          bool
		partitions     int
		note           string
	}{
		{conf: "ar_mode 1", mode: Adaptive},
		{conf: "ar_mode 0", mode: Deterministic},
		{conf: "ar_mode 1\nar_sl_mask 0x2", mode: Deterministic},
		{conf: "ar_mode 1\nar_sl_mask 0x2", ib: ", sl: 1, ack-sl: 1", mode: Adaptive},
		{conf: "ar_mode 1", more: ", routing: {mode: deterministic}", mode: Deterministic, note: "ar_mode has no effect, since the scenario states routing.mode"},
		{conf: "sharp_enabled 2", mode: Adaptive, sharp: true},
		{conf: "sharp_enabled 1", mode: Adaptive},
		{conf: "sharp_enabled 1", ib: ", sharp: true", mode: Adaptive, sharp: true, note: "since the scenario states ib.sharp"},
		{conf: "ar_mode 1\npartition_config_file /etc/opensm/parts.conf", mode: Adaptive, partitions: 2},
		{conf: "ar_mode 1\npartition_config_file /etc/opensm/none.conf", mode: Adaptive, note: "none.conf cannot be read here"},
		{conf: "ar_mode 1\nshield_mode 1\nar_transport_mask 0x000A", mode: Adaptive, note: "opensm.conf: without effect: shield_mode 1, ar_transport_mask 0x000A"},
		{conf: "ar_mode 1\nrouting_engine ar_updn", mode: Adaptive, note: "routing_engine ar_updn has no effect here"},
	} {
		folder := t.TempDir()
		write(t, folder, "opensm.conf", "qos FALSE\n"+c.conf+"\n")
		write(t, folder, "parts.conf", "Default=0x7fff: ALL=full;\ntenant=0x1: ALL=limited;\n")
		f, err := DecodeIn(folder, "test", fmt.Appendf(nil, text, c.ib, c.more))
		if err != nil {
			t.Fatalf("%s: %v", c.conf, err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatalf("%s: %v", c.conf, err)
		}
		fab := &r.Fabrics[0]
		if fab.Routing.Mode != c.mode || fab.IB.SHARP != c.sharp || len(fab.IB.Partitions) != c.partitions {
			t.Errorf("%s%s%s: mode %s, SHARP %t, %d partitions; want %s, %t, %d", c.conf, c.ib, c.more, fab.Routing.Mode, fab.IB.SHARP, len(fab.IB.Partitions), c.mode, c.sharp, c.partitions)
		}
		if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: the notes lack %q: %q", c.conf, c.note, notes)
		}
	}
}

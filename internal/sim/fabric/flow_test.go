package fabric

import (
	"reflect"
	"testing"

	"weft/units"
)

// Slabs of flows begin with a cache line, and so does each flow if its size is a multiple
// of a line. Half a line on begins its queue pair, whose own fields are laid out for that
// (internal/sim/transport/layout_test.go).
func TestAFlowBeginsWithACacheLine(t *testing.T) {
	const line = 64
	f := reflect.TypeFor[flow]()
	if f.Size()%line != 0 {
		t.Errorf("a flow has %d bytes, which is no multiple of %d", f.Size(), line)
	}
	qp, _ := f.FieldByName("qp")
	if qp.Offset != line/2 {
		t.Errorf("its queue pair begins at byte %d: want %d", qp.Offset, line/2)
	}
}

// TestAPortsCNPsWaitForItsOwn has two ports of an adapter that sends a CNP every 4 us.
func TestAPortsCNPsWaitForItsOwn(t *testing.T) {
	const period = 4 * units.Microsecond
	nic := &nicState{spec: &NIC{CNPInterval: period}}
	p := &Partition{net: &Network{nicPorts: nicPorts{cnpAt: make([]units.Time, 2)}}}
	for _, at := range []struct {
		now  units.Time
		port int32
		may  bool
	}{
		{0, 0, true}, {1, 0, false}, {1, 1, true}, {period - 1, 0, false}, {period, 0, true}, {period, 1, false}, {period + 1, 1, true},
	} {
		p.now = at.now
		if got := nic.tryNotify(p, &flow{port: at.port}); got != at.may {
			t.Errorf("port %d may send a CNP at %v: %v, want %v", at.port, at.now, got, at.may)
		}
	}
}

package fabric

import (
	"reflect"
	"testing"
)

// Slabs of flows begin with a cache line, so that a flow does, too, as long as its
// size is a multiple of one; half a line on begins its queue pair, whose own fields
// are laid out for that (internal/sim/transport/layout_test.go).
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

package reduction

import "testing"

func TestARecordOfCopiesIsFreeAfterTheLastCopy(t *testing.T) {
	var c Copies
	first, second := c.Begin(2), c.Begin(1)
	if first == second {
		t.Fatalf("two packets have the record %d", first)
	}
	for i, last := range []bool{false, true} {
		if got := c.Leave(first); got != last {
			t.Errorf("copy %d of 2 is the last: %v, want %v", i+1, got, last)
		}
	}
	if again := c.Begin(1); again != first {
		t.Errorf("the next packet has the record %d, want the free one, %d", again, first)
	}
	if !c.Leave(second) {
		t.Error("the other packet's only copy is not its last")
	}
}

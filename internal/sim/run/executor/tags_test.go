package executor

import "testing"

// A ring over 16,384 ranks has 32,766 steps: its tags, and those of the last lane and operation, keep their parts.
func TestTagsKeepTheirParts(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 2*16384 - 3}, {maxOperations - 1, maxLanes - 1, maxSteps - 1}, {5, 7, 0}} {
		tag := tagOf(c[0], c[1], c[2])
		if o, l, s := partsOf(tag); o != c[0] || l != c[1] || s != c[2] || tag&relayMark != 0 {
			t.Errorf("tag of operation, lane and step %v has the parts %d, %d, %d, and relay mark %v", c, o, l, s, tag&relayMark != 0)
		}
		if key := tag<<localBits | (maxLocals - 1); key>>localBits != tag {
			t.Errorf("the key of a reduction of %v loses a part of its tag", c)
		}
	}
}

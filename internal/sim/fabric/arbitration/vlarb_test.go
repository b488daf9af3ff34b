package arbitration

import "testing"

// served is the bytes that each lane sends if all always have a packet of a size, and the
// number of high packets between two turns of the low table.
func served(a *VLArb, lanes uint16, size int32, packets int) (bytes map[uint8]int64, between map[int]int) {
	bytes, between = map[uint8]int64{}, map[int]int{}
	var st Lanes
	run, lows := 0, 0
	for range packets {
		lane, by := st.Choose(a, lanes)
		st.Charge(by, size)
		bytes[lane] += int64(size)
		if by == HighTable {
			run++
			continue
		}
		if lows++; lows > 1 { // before the first turn no limit is running
			between[run]++
		}
		run = 0
	}
	return bytes, between
}

// The low table has a turn after each limit of high priority: 4,096 bytes times Limit, and
// the rest of the packet that exceeds it (IBA vol. 1, 7.6.9.2).
func TestTheLimitOfHighPriorityLetsTheLowTableSend(t *testing.T) {
	for _, c := range []struct {
		limit uint8
		size  int32
		want  int // high packets between two low ones
	}{{0, 1000, 1}, {1, 1000, 5}, {1, 1024, 4}, {2, 4096, 2}, {3, 5000, 3}, {254, 4096, 254}} {
		a := VLArb{High: []VLWeight{{VL: 1, Weight: 255}}, Low: []VLWeight{{VL: 0, Weight: 1}}, Limit: c.limit}
		_, between := served(&a, 0b11, c.size, 5000)
		if len(between) != 1 || between[c.want] == 0 {
			t.Errorf("limit %d, packets of %d: number of high packets between two low ones, and its count: %v, want %d always", c.limit, c.size, between, c.want)
		}
	}
}

func TestWithoutALimitTheLowTableWaits(t *testing.T) {
	a := VLArb{High: []VLWeight{{VL: 1, Weight: 1}}, Low: []VLWeight{{VL: 0, Weight: 255}}, Limit: 255}
	if bytes, _ := served(&a, 0b11, 4096, 1000); bytes[0] != 0 {
		t.Errorf("the low lane sent %d bytes beside a high one without limit", bytes[0])
	}
	if bytes, _ := served(&a, 0b01, 4096, 10); bytes[0] != 10*4096 {
		t.Errorf("alone, the low lane sent %d bytes", bytes[0])
	}
}

// Lanes of one table share in proportion to their weights, in units of 64 bytes.
func TestLanesShareByTheirWeights(t *testing.T) {
	table := []VLWeight{{VL: 1, Weight: 64}, {VL: 2, Weight: 128}, {VL: 3, Weight: 0}, {VL: 4, Weight: 32}}
	for name, a := range map[string]VLArb{"high": {High: table, Limit: 255}, "low": {Low: table}} {
		bytes, _ := served(&a, 0b11110, 2048, 7000) // a round is 7 packets: 2, 4 and 1
		if bytes[1] != 2*bytes[4] || bytes[2] != 4*bytes[4] || bytes[3] != 0 || bytes[4] != 1000*2048 {
			t.Errorf("the %s table gives %v, want 2 : 4 : 0 : 1", name, bytes)
		}
	}
}

func TestALaneInNoTableGoesLast(t *testing.T) {
	a := VLArb{High: []VLWeight{{VL: 1, Weight: 8}}, Low: []VLWeight{{VL: 2, Weight: 8}}, Limit: 1}
	if bytes, _ := served(&a, 0b11110, 512, 1000); bytes[3] != 0 || bytes[4] != 0 || bytes[2] == 0 {
		t.Errorf("beside lanes of the tables the other lanes sent %v", bytes)
	}
	if bytes, _ := served(&a, 0b11000, 512, 10); bytes[3] != 10*512 {
		t.Errorf("alone, the lowest of the other lanes sends first: %v", bytes)
	}
}

package fabric

import "testing"

// TestAPauseEndsAtXonOrAtTheOffset has SONiC's thresholds: a pause ends when the queue
// holds no more than XON, or than the threshold less its offset, whichever is more.
func TestAPauseEndsAtXonOrAtTheOffset(t *testing.T) {
	const reserve, pool = 1000, 100_000 // alpha of 1 leaves 100,000 above the reserve
	for _, c := range []struct {
		name        string
		xon, offset int32
		held        int32
		want        bool
	}{
		{"neither: at the threshold", 0, 0, reserve + pool, true},
		{"an offset: at it", 0, 3000, reserve + pool - 3000, true},
		{"an offset: a byte above", 0, 3000, reserve + pool - 2999, false},
		{"XON alone: at it", 20_000, 0, 20_000, true},
		{"XON alone: a byte above", 20_000, 0, 20_001, false},
		{"both: the offset is more", 20_000, 3000, reserve + pool - 3000, true},
		{"both: XON is more", 99_000, 10_000, 99_000, true},
		{"both: a byte above both", 99_000, 10_000, 99_001, false},
		{"within the reserve, always", 10, 0, reserve, true},
	} {
		s := newEthernetState(&EthernetSwitch{Shared: pool, Reserve: reserve, Xon: c.xon, XonOffset: c.offset})
		if got := s.mayResume(&ingress{held: c.held, num: 1, den: 1}); got != c.want {
			t.Errorf("%s: a queue with %d bytes resumes: %v, want %v", c.name, c.held, got, c.want)
		}
	}
}

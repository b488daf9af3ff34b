package logfile

import (
	"fmt"
	"strings"
	"testing"
)

// reduced is a log of an all-reduce over 8 ranks: out of place and in place, in us, of 1 MiB and 64 MiB.
func reduced(small, smallIn, large, largeIn float64) string {
	var b strings.Builder
	b.WriteString(usualHead)
	for _, r := range []struct {
		bytes   int64
		out, in float64
	}{{1 << 20, small, smallIn}, {64 << 20, large, largeIn}} {
		alg := func(us float64) float64 { return float64(r.bytes) / us / 1e3 }
		fmt.Fprintf(&b, "%d %d float sum -1 %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", r.bytes, r.bytes/4, r.out, alg(r.out), alg(r.out)*1.75, r.in, alg(r.in), alg(r.in)*1.75)
	}
	return b.String()
}

func changesOf(t *testing.T, before, after string) *Changes {
	t.Helper()
	all, err := together(map[string]string{"before": before, "after": after}, "before", "after")
	if err != nil {
		t.Fatal(err)
	}
	return all.Changes()
}

func TestASizeHasChangedIfItDiffersByMoreThanTheNoise(t *testing.T) {
	c := changesOf(t, reduced(100, 101, 1000, 1010), reduced(102, 101, 1300, 1310))
	if c == nil || len(c.Sizes) != 2 || c.Assumed {
		t.Fatalf("the changes are %+v, want two sizes with a measured noise", c)
	}
	if s := c.Sizes[0]; s.Changed || s.Bytes != 1<<20 || s.Before != 100 || s.After != 102 || s.Ranks != 8 {
		t.Errorf("1 MiB is %+v, want 100 and 102 us of 8 ranks, not changed: 2 %% is within the noise", s)
	}
	if s := c.Sizes[1]; !s.Changed || s.Ratio != 1.3 {
		t.Errorf("64 MiB is %+v, want a change by 1.3", s)
	}
	if slower := c.Slower(); len(slower) != 1 || slower[0].Bytes != 64<<20 {
		t.Errorf("slower are %+v, want 64 MiB", slower)
	}
	if slower := changesOf(t, reduced(100, 101, 1300, 1310), reduced(100, 101, 1000, 1010)).Slower(); slower != nil {
		t.Errorf("slower are %+v after a gain, want none", slower)
	}
}

func TestANoisyLogHidesAChange(t *testing.T) {
	c := changesOf(t, reduced(100, 101, 1000, 1250), reduced(100, 101, 1300, 1010))
	if c.Sizes[1].Changed {
		t.Errorf("64 MiB is %+v, want no change: in place and out of place differ by a quarter", c.Sizes[1])
	}
}

func TestRepeatedTablesTellTheNoise(t *testing.T) {
	quick := "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n"
	row := func(gbps float64) string { return fmt.Sprintf("65536 5000 %.2f %.2f 0.5\n", gbps, gbps) }
	once := changesOf(t, quick+row(390), quick+row(370))
	if once == nil || !once.Assumed || once.Sizes[0].Changed {
		t.Errorf("one row each: %+v, want an assumed noise that hides 5 %%", once)
	}
	many := changesOf(t, quick+row(390)+quick+row(391)+quick+row(389.5), quick+row(370)+quick+row(370.5)+quick+row(369))
	if many == nil || many.Assumed || len(many.Sizes) != 1 || !many.Sizes[0].Changed {
		t.Errorf("three rows each: %+v, want a small noise and a change", many)
	}
}

func TestOtherRanksAreNoChange(t *testing.T) {
	sixteen := usualHead + "1048576 262144 float sum -1 100.00 10.49 19.66 0 100.00 10.49 19.66 0\n"
	if c := changesOf(t, reduced(100, 101, 1000, 1010), sixteen); c != nil {
		t.Errorf("8 ranks and 16 ranks are compared: %+v", c)
	}
}

func TestWhatIsSetOtherwiseIsNamed(t *testing.T) {
	head := "$ NCCL_ALGO=Ring NCCL_DEBUG=INFO ./all_reduce_perf -g 8\n"
	c := changesOf(t, head+reduced(100, 101, 1000, 1010), strings.Replace(head, "Ring", "Tree", 1)+reduced(100, 101, 1300, 1310))
	if got := fmt.Sprint(c.Settings); got != "[{NCCL_ALGO Ring Tree}]" {
		t.Errorf("set otherwise are %s, want NCCL_ALGO alone", got)
	}
	if c = changesOf(t, reduced(100, 101, 1000, 1010), head+reduced(100, 101, 1000, 1010)); !strings.Contains(fmt.Sprint(c.Settings), "{NCCL_ALGO  Ring}") {
		t.Errorf("set otherwise are %v, want NCCL_ALGO, which the first log does not state", c.Settings)
	}
}

func TestOtherPairsOfHostsAreNoChange(t *testing.T) {
	between := func(server string, gbps float64) string {
		return fmt.Sprintf("[root@n1 ~]# ib_write_bw -s 65536 %s\n#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n65536 5000 %.2f %.2f 0.5\n", server, gbps, gbps)
	}
	if c := changesOf(t, between("n2", 390), between("n3", 190)); c != nil {
		t.Errorf("n1 to n2 and n1 to n3 are compared: %+v", c)
	}
	if c := changesOf(t, between("n2", 390), between("n2", 190)); c == nil || !c.Sizes[0].Changed {
		t.Errorf("n1 to n2 twice: %+v, want a change", c)
	}
}

package calibrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// perNIC is a log of ib_write_bw over eight NICs in turn, of which some have another rate in Gb/s.
func perNIC(slow map[int]float64) string {
	var b strings.Builder
	for i := range 8 {
		rate := 393.5 + .3*float64(i)
		if r, ok := slow[i]; ok {
			rate = r
		}
		fmt.Fprintf(&b, "                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : mlx5_%d\n Mtu             : 4096[B]\n Link type       : IB\n", i)
		fmt.Fprintf(&b, " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536      5000             %.2f             %.2f               %.6f\n", rate, rate, rate*1e3/8/65536)
	}
	return b.String()
}

// One NIC of eight at half of its rate is that NIC's fault, by its name, and the others keep their prediction.
func TestOneNICOfManyStandsOut(t *testing.T) {
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	d, err := c.Diagnose(t.Context(), read(t, perNIC(map[int]float64{3: 197}))[0], Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict != Explained || d.Explanations[0].ID != "slow-nic" || !strings.Contains(d.Explanations[0].Label, "mlx5_3") {
		t.Errorf("%s, %s", d.Verdict, firstFew(d))
	}
	if first := d.Explanations[0].Predicted; first[0][0] != d.Predicted[0][0] || first[3][0] < 19*d.Predicted[3][0]/10 {
		t.Errorf("the cause changes mlx5_0 from %v to %v and mlx5_3 from %v to %v", d.Predicted[0][0], first[0][0], d.Predicted[3][0], first[3][0])
	}
}

func TestSlowPeersAreAMinority(t *testing.T) {
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	for _, x := range []struct {
		slow map[int]float64
		want string
	}{
		{nil, ""},
		{map[int]float64{2: 380}, ""}, // 96 %
		{map[int]float64{2: 350, 5: 100}, "mlx5_2, mlx5_5"},
		{map[int]float64{0: 197, 1: 197, 2: 197, 3: 197, 4: 197}, ""}, // then most are slow
	} {
		tasks, _ := c.Tasks(read(t, perNIC(x.slow))[0], Options{})
		var marked []string
		for _, task := range tasks {
			if task.SlowPeers != x.want {
				t.Errorf("%v: the slow ones are %q, want %q", x.slow, task.SlowPeers, x.want)
			}
			if task.isSlowPeer {
				marked = append(marked, device(task.Table))
			}
		}
		if slices.Sort(marked); strings.Join(marked, ", ") != x.want {
			t.Errorf("%v: marked are %v, want %q", x.slow, marked, x.want)
		}
	}
}

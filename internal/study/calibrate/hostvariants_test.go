package calibrate

import (
	"strings"
	"testing"
)

// A median of ib_write_lat of 4.9 us is the host's software: the wires and the NICs take a third of it. One of 1.4 us is
// healthy.
func TestLatencyThatSoftwareAdds(t *testing.T) {
	for us, want := range map[string]string{"4.90": "software", "1.40": ""} {
		log := "                    RDMA_Write Latency Test\n Device         : mlx5_0\n Mtu             : 4096[B]\n Link type       : IB\n" +
			" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\n" +
			" 2       1000          1.30           9.00         " + us + "             " + us + "          0.05            9.00                    9.00\n"
		d, err := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr").Diagnose(t.Context(), read(t, log)[0], Options{Simulate: simulateOnce})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if d.Verdict == Explained {
			got = d.Explanations[0].ID
		}
		if got != want || want == "" && d.Verdict != Healthy {
			t.Errorf("%s us: %s, %s; want %q", us, d.Verdict, firstFew(d), want)
		}
	}
}

// GPU data that is copied through host memory by a call for each message has the call's time at small messages, and the
// copy's rate at large ones: the figures of openucx/ucx issue 9287 with UCX 1.15.
func TestStagingByCallsIsNamed(t *testing.T) {
	log := "# OSU MPI-CUDA Bandwidth Test v7.0\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# Size      Bandwidth (MB/s)\n" +
		"16384 1485.0\n65536 2345.0\n131072 2879.0\n524288 4083.0\n1048576 4031.0\n4194304 3840.0\n"
	d, err := describe(t, "cluster: {nodes: 2, node: {preset: dgx-h100, nics: 1}}\nfabric: infiniband-ndr200").Diagnose(t.Context(), read(t, log)[0], Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatal(err)
	}
	if d.Explanations[0].ID != "gpudirect-off" || d.Verdict == Unexplained || !strings.Contains(d.Explanations[0].Label, "a call of") {
		t.Errorf("%s, %s", d.Verdict, firstFew(d))
	}
}

package report

import (
	"strings"
	"testing"

	"weft/scenario"
)

func TestTheReportNamesTheSettingsOfKernelTCP(t *testing.T) {
	for text, want := range map[string]string{
		"fabrics: [infiniband-ndr, tcp-400g]":                                              "How far tcp-400g is from the others depends on its hosts: the data of 1 socket to a connection (tcp.sockets, tcp.threads: NCCL_SOCKET_NTHREADS and NCCL_NSOCKS_PERTHREAD) is copied by one thread of each rank, 2 copies of",
		"fabrics: [infiniband-ndr, {preset: tcp-400g, tcp: {sockets: 16, threads: 2}}]":    "the data of 16 sockets to a connection (tcp.sockets, tcp.threads: NCCL_SOCKET_NTHREADS and NCCL_NSOCKS_PERTHREAD) is copied by 2 threads at each end, on no more than 14 cores of a rank",
		"fabrics: [infiniband-ndr, roce-v2-400g]":                                          "",
		"fabrics: [infiniband-ndr, tcp-400g]\nworkload: {pattern: incast, sizes: [64KiB]}": "",
	} {
		file, err := scenario.Decode("x.yaml", []byte("cluster: {nodes: 2}\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := file.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		two := []fabricated{threeFabrics[0], threeFabrics[1]}
		for i := range two {
			two[i].name = r.Fabrics[i].Name
		}
		v := judged(fabricate(two, sizesOf()), r)
		if got := strings.Join(v.Setting, " "); !strings.Contains(got, want) || want == "" && strings.Contains(got, "depends on its hosts") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

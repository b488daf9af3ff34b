package report

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/scenario"
)

// kernelSentences state the host settings that a collective's time over the kernel's TCP depends
// on: the number of copying threads at each end, and their rate.
func (v *judgement) kernelSentences() (out []string) {
	if v.sc == nil || v.sc.Workload.Collective == "" || len(v.fabrics) < 2 {
		return nil
	}
	for i := range v.fabrics {
		f := v.spec(i)
		if f == nil || protocol.Of(f.Kind).RDMA() || f.Host.Path != scenario.PathCPU {
			continue
		}
		who := "by one thread of each rank"
		if n := f.TCP.Threads; n > 0 {
			node := &v.sc.Cluster.Node
			who = fmt.Sprintf("by %s at each end, on no more than %s of a rank", plural(n, "thread", "threads"), plural(max(1, node.CPU.Cores/max(1, node.GPUs)), "core", "cores"))
		}
		out = append(out, fmt.Sprintf("How far %s is from the others depends on its hosts: the data of %s to a connection (tcp.sockets, tcp.threads: NCCL_SOCKET_NTHREADS and NCCL_NSOCKS_PERTHREAD) is copied %s, %s of %s each (host).",
			quoted(f.Name), plural(f.TCP.Sockets, "socket", "sockets"), who, plural(max(1, f.Host.Copies), "copy", "copies"), f.Host.CopyRate))
	}
	return out
}

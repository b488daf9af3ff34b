package calibrate

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Variants of faults of the host: of memory, processors and GPUs.

// orderedShares are the fractions that writes without relaxed ordering leave of the rate to host
// memory: 150 of 200 Gb/s, and less over the link between two processors.
var orderedShares = []float64{.75, .5, .25}

// strictOrdering limits the path to memory: to that of GPUs where the data is there, else to that of
// the host.
func strictOrdering(c *Cluster, t *Task) ([]variant, string) {
	if !protocol.Of(t.base.Fabrics[0].Kind).RDMA() {
		return nil, "the kernel's TCP copies the data: no NIC writes to the program's memory"
	}
	if t.base.Fabrics[0].Host.Path == scenario.PathGPUDirectRDMA {
		return peerPath(c, t)
	}
	return memoryPath(t, "strict", "writes without relaxed ordering, "), ""
}

// pinned limits the path to host memory: the process is on the processor without the NIC.
func pinned(_ *Cluster, t *Task) ([]variant, string) {
	if t.base.Fabrics[0].Host.Path == scenario.PathGPUDirectRDMA {
		return nil, "the data is in GPU memory: proxy and software have the posting of the CPU"
	}
	return memoryPath(t, "pinned", "over the link to the other processor, "), ""
}

// memoryPath are smaller rates of the NICs' slots: all data in host memory goes through them.
func memoryPath(t *Task, family, label string) []variant {
	node, link := &t.base.Cluster.Node, t.base.Fabrics[0].Link.Rate()
	slot := node.PCIe.LaneRate
	return graded(family, 1, func(part float64) variant {
		rate := share(link, part)
		lane := share(slot, float64(rate)/float64(node.PCIe.Rate()))
		return one(fmt.Sprintf("%s%s to memory", label, nominal(rate)), "cluster.node.pcie.lane-rate", lane.Exact())
	}, orderedShares...)
}

// slowGPU slows the kernels of NCCL: all ranks wait for the slowest one.
func slowGPU(*Cluster, *Task) ([]variant, string) {
	return graded("clock", 1, func(f float64) variant {
		longer := fmt.Sprintf("%.3g", f)
		v := variant{label: fmt.Sprintf("a GPU's kernels take %s times as long", longer)}
		return v.with("nccl.base", longer, "nccl.step-local", longer, "nccl.turn", longer, "nccl.kernel", fmt.Sprintf("%.3g", 1/f))
	}, 1.25, 1.6, 2.5), ""
}

// smallTest bounds the rate by what the test keeps in flight.
func smallTest(_ *Cluster, t *Task) ([]variant, string) {
	return memoryPath(t, "test", "blocks in flight for "), ""
}

// bondPort uses one port of two: the cluster describes a bond as one link.
func bondPort(c *Cluster, t *Task) ([]variant, string) {
	return thinLinks(c, t, "bond", "flows of %s on a bond of %s", .75, .5), ""
}

// slowSoftware lengthens the software of a message: of NCCL by a factor, of perftest by the time until the program sees a
// completion. A processor wakes from C1E in some 10 us, from C6 in some 100 us (Linux, drivers/idle/intel_idle.c).
func slowSoftware(c *Cluster, t *Task) ([]variant, string) {
	if t.kind == collective {
		return factors("step-network", "a message's software takes", 2, 4, 10, 20)(c, t)
	}
	poll := t.base.Fabrics[0].Host.Poll
	return graded("wakes", 0, func(micros float64) variant {
		more := time(micros)
		return one(fmt.Sprintf("a message takes %v more in the host", more), c.path(".host.poll"), (poll + more).Exact())
	}, .5, 1, 2, 4, 8, 16, 32, 64, 128), ""
}

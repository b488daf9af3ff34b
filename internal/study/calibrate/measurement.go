package calibrate

import (
	"math"
	"slices"
	"strings"

	"weft/internal/sim/protocol"
)

// Measurement is a next step on the cluster that tells causes apart.
type Measurement struct {
	Command string // to run
	Tells   string // which result means what
	// shows are the hypotheses of which it shows a trace; the others leave it as on a healthy cluster.
	shows []string
}

// isFor reports whether the measurement tells something of the diagnosed logs: perftest wants RDMA, iperf3 is for TCP, the
// messages of NCCL and of UCX are of their own programs.
func (m *Measurement) isFor(d *Diagnosis) bool {
	of := func(is func(*Task) bool) bool { return slices.ContainsFunc(d.Tasks, is) }
	switch {
	case strings.Contains(m.Command, "iperf3"):
		return d.onTCP()
	case strings.Contains(m.Command, "ib_") && d.onTCP(), strings.Contains(m.Command, "NCCL_IB_") && d.onTCP():
		return false
	case strings.Contains(m.Command, "NCCL_"), strings.Contains(m.Command, "all_reduce_perf"):
		return of(func(t *Task) bool { return t.kind == collective })
	case strings.Contains(m.Command, "UCX_"):
		return of((*Task).byMPI)
	}
	return true
}

// measurements are what an operator can run in minutes. A cause is among shows if the measurement is
// slow, or prints it, when the cause is there.
var measurements = []Measurement{
	{
		"ib_write_bw between two of the nodes in host memory, once for each NIC: ib_write_bw -d mlx5_X --report_gbits, and -d mlx5_X SERVER", "a NIC, a cable or a path of the fabric is slow if one is",
		[]string{"slow-nic", "slow-node", "link-rate", "loss", "mtu", "pcie", "pause-storm", "pfc-off", "relaxed-ordering", "pinning", "bond-port", "wrong-gid", "uplinks", "congestion-control", "collision", "one-queue-pair"},
	},
	{
		"ib_write_bw --use_cuda=0 beside ib_write_bw in host memory, on one NIC", "the path between GPU and NIC is slow if only the first is",
		[]string{"peer-path", "gpudirect-off"},
	},
	{
		"the test on each node alone: all_reduce_perf -b 8 -e 1G -f 2 -g 8", "the fault is inside that node if it is slow there, else between nodes",
		[]string{"nvlink-off", "nvls-off", "slow-gpu", "pcie", "channels", "algorithm", "protocol"},
	},
	{
		"the test again with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH,TUNING", "the log lists the NICs in use, NET/Socket or NET/IB, GDRDMA, NVLS, algorithm, protocol and channels",
		[]string{"fewer-rails", "tcp", "gpudirect-off", "nvls-off", "algorithm", "protocol", "channels", "nvlink-off", "pxn-off", "wrong-gid"},
	},
	{
		"the test again with UCX_LOG_LEVEL=info", "UCX lists what it uses between the nodes: rc_mlx5/mlx5_0:1, or tcp/eth0",
		[]string{"tcp"},
	},
	{
		"NCCL_ALGO=Ring, then NCCL_ALGO=Tree, with the same test", "the choice of the algorithm is the cause if one of them is as fast as predicted",
		[]string{"algorithm", "nvls-off"},
	},
	{
		"the test pairwise over all nodes, and the counters of their ports before and after: perfquery -x, ethtool -S", "a node, or a port with pauses, waits or errors stands out",
		[]string{"slow-node", "slow-gpu", "pause-storm", "loss", "slow-nic", "ecmp", "uplinks", "reordering"},
	},
	{
		"ib_write_lat between two of the nodes, with the clock of the CPU fixed: cpupower frequency-set -g performance", "the host's software is slow if the median is above some microseconds",
		[]string{"software", "proxy", "tcp", "loss"},
	},
	{
		"ibstat, or ibv_devinfo -v and ethtool ethX, on every node", "a port at a lower rate, width or MTU than planned, or down, stands there",
		[]string{"slow-nic", "slow-node", "link-rate", "mtu", "fewer-rails"},
	},
	{
		"lspci -vvv on every node: LnkSta of NICs and GPUs, ACSCtl of PCIe switches", "a slot that is downgraded, or SrcValid+, stands there",
		[]string{"pcie", "peer-path", "relaxed-ordering"},
	},
	{
		"the test between each of the two nodes and a third one", "routes of this pair of nodes meet in the fabric if both are fast there; else a node, or its part of the fabric, is slow",
		[]string{"slow-node", "slow-nic", "slow-gpu", "pause-storm", "link-rate", "pcie", "peer-path", "gpudirect-off", "fewer-rails"},
	},
	{
		"the test again with more queue pairs: ib_write_bw -q 4, and -q 8", "one queue pair does not fill the link, or one path of the fabric is full, if it is faster",
		[]string{"one-queue-pair", "bond-port", "ecmp", "collision"},
	},
	{
		"iperf3 -P 1, and -P 8, between two of the nodes", "few sockets are the cause if eight flows together carry far more than one; a link, a slot or a processor if they do not",
		[]string{"tcp-sockets", "slow-nic", "slow-node", "link-rate", "pcie", "pinning", "collision"},
	},
	{
		"nvidia-smi topo -m on the node, and the test again with NCCL_P2P_DISABLE=1", "the processors between the GPUs are the cause if the path is PHB, NODE or SYS and shared memory is faster",
		[]string{"peer-cpu", "nvlink-off"},
	},
	{
		"the test again with NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1", "flows collided, or shared one port of a bond, if it is faster",
		[]string{"ecmp", "bond-port"},
	},
	{
		"the counters of the switches before and after the test: show pfc counters, show ecn, show queue counters; on InfiniBand PortXmitWait of perfquery -x", "pauses or waits without marks, or drops in a lossless class, stand there",
		[]string{"pause-storm", "ecn-off", "pfc-off", "congestion-control", "wrong-gid"},
	},
}

// ofFirst is what it is worth, in bits, that a measurement can show the likeliest cause rather than
// exclude it: an assumption.
const ofFirst = .2

// Next is the measurement that divides the candidates best: the one whose result is the hardest to
// foretell by their probabilities. ok is false if there are not two candidates to tell apart, or if
// none divides them.
func (d *Diagnosis) Next() (best Measurement, ok bool) {
	shares := map[string]float64{}
	for _, e := range d.Explanations {
		if e.Posterior >= worthTelling {
			shares[e.ID] = e.Posterior
		}
	}
	all := d.Healthy
	for _, p := range shares {
		all += p
	}
	switch {
	case d.OneFactor(): // the named causes are proved no more than others
		all++
	case len(shares) == 0 || len(shares) == 1 && d.Healthy < worthTelling:
		return best, false
	}
	most := 0.
	for _, m := range measurements {
		if !m.isFor(d) {
			continue
		}
		shown := 0.
		for _, id := range m.shows {
			shown += shares[id]
		}
		x := uncertainty(shown / all)
		if x > 0 && m.Shows(d.Explanations[0].ID) {
			x += ofFirst
		}
		if x > most+1e-9 {
			best, most, ok = m, x, true
		}
	}
	return best, ok
}

// onTCP reports whether the log is of a fabric without RDMA.
func (d *Diagnosis) onTCP() bool {
	return slices.ContainsFunc(d.Tasks, func(t *Task) bool { return t.base != nil && !protocol.Of(t.base.Fabrics[0].Kind).RDMA() })
}

// uncertainty is the entropy in bits of a result that comes with a probability.
func uncertainty(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// Shows reports whether the measurement shows a trace of a hypothesis.
func (m *Measurement) Shows(id string) bool { return slices.Contains(m.shows, id) }

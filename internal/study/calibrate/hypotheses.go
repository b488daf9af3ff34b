package calibrate

import (
	"fmt"
	"slices"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// Hypothesis is a fault that changes the scenario.
type Hypothesis struct {
	ID    string
	Title string
	// Check lists commands to run on the cluster, and their telling output.
	Check []string

	weight   float64 // prior weight, relative to others: rare, occasional or common
	of       []kind  // kinds of tasks that it can affect
	network  bool    // it affects only traffic between nodes
	random   bool    // its effect on a size does not follow from that on others
	chosen   bool    // the user chooses it, by a variable of NCCL
	bursty   bool    // it comes and goes: two measurements of a size differ
	ofOneNIC bool    // it can be of one NIC alone: of those that stand out among their peers
	variants func(*Cluster, *Task) ([]variant, string)
	evidence func(*logfile.Log, *Task) string // evidence in the log itself; may be nil
	// denied is what the log itself says against it, "" for nothing; may be nil.
	denied func(*Cluster, *logfile.Log, *Task) string
}

// variant is a severity of a hypothesis. Tasks share a variant by its label.
type variant struct {
	label string
	over  []scenario.Override
	grade grade
}

// grade is the severity of a variant within its family: variants that differ only in a number.
type grade struct {
	family string
	scale  float64 // the number
	sound  float64 // the number without effect; 0 if there is none
	// at is the variant for another number; nil if there are no others.
	at func(scale float64) variant
	// odds is the prior odds of a number, relative to others; nil if all are equal.
	odds func(scale float64) float64
}

// graded are variants of a family, at the given numbers.
func graded(family string, sound float64, at func(scale float64) variant, scales ...float64) (out []variant) {
	var with func(float64) variant
	with = func(scale float64) variant {
		v := at(scale)
		v.grade = grade{family: family, scale: scale, sound: sound, at: with}
		return v
	}
	for _, s := range scales {
		out = append(out, with(s))
	}
	return out
}

// concerns reports whether a hypothesis can affect a task.
func (h *Hypothesis) concerns(t *Task) bool {
	if h.ofOneNIC && t.SlowPeers != "" && !t.isSlowPeer {
		return false
	}
	return slices.Contains(h.of, t.kind) && (t.Network() || !h.network)
}

var (
	collectives = []kind{collective}
	experts     = []kind{exchange}
	groups      = []kind{collective, exchange} // of ranks
	transfers   = []kind{copies}
	bulk        = []kind{collective, bandwidth, exchange, copies}
	everything  = []kind{collective, bandwidth, oneMessage, exchange, copies}
)

// fewerRailsID is the hypothesis that a log can state by itself: by its list of NICs.
const fewerRailsID = "fewer-rails"

// Hypotheses are all hypotheses of weft, in the order used for equal probabilities.
var Hypotheses = []Hypothesis{
	{
		ID: fewerRailsID, Title: "NICs that are not used: down, or left out by NCCL", weight: common, of: groups, network: true, variants: fewerRails, evidence: signSaid(logfile.SignOneNIC, logfile.SignLinkDown), denied: nicsSaid,
		Check: []string{
			"ibstat, or rdma link: every port Active and LinkUp on every node",
			"NCCL_DEBUG=INFO: the line NET/IB : Using … lists all NICs; echo $NCCL_IB_HCA",
		},
	},
	{
		ID: "slow-nic", Title: "one NIC's cable runs slower than the others", weight: common, of: bulk, network: true, ofOneNIC: true, variants: slowNIC,
		Check: []string{"ibstat, ibportstate, or mlxlink -d mlx5_X: rate and width of each port; iblinkinfo marks links below their speed", "ib_write_bw pairwise over each NIC"},
	},
	{
		ID: "slow-node", Title: "all cables of one node run slower than the others", weight: rare, of: bulk, network: true, variants: slowNode,
		Check: []string{"the same test pairwise over all nodes; the node whose pairs are all slow", "mlxlink on that node; lspci -vv: LnkSta of its NICs"},
	},
	{
		ID: "link-rate", Title: "all links run at a lower rate", weight: occasional, of: bulk, network: true, variants: linkRate,
		Check: []string{"ibstat: Rate; ethtool ethX: Speed", "the switch's port speed and breakout mode"},
	},
	{
		ID: "gpudirect-off", Title: "GPUDirect RDMA is off: data goes through host memory", weight: common, of: everything, network: true, ofOneNIC: true, variants: hostMemory, evidence: bounceSaid, denied: directSaid,
		Check: []string{
			"lsmod | grep nvidia_peermem; NCCL_DEBUG=INFO: via NET/IB/…/GDRDMA on every connection",
			"nvidia-smi topo -m: GPU and NIC at PIX or PXB; lspci -vvv | grep ACSCtl: SrcValid- on PCIe switches",
		},
	},
	{
		ID: "peer-path", Title: "GPU and NIC reach each other by a slower path: ACS or the IOMMU redirects it", weight: occasional, of: everything, network: true, ofOneNIC: true, variants: peerPath, evidence: signSaid(logfile.SignACS),
		Check: []string{
			"lspci -vvv | grep ACSCtl: SrcValid- on PCIe switches; dmesg | grep -i iommu",
			"ib_write_bw --use_cuda beside ib_write_bw in host memory, pair by pair",
		},
	},
	{
		ID: "relaxed-ordering", Title: "PCIe relaxed ordering is off: writes to memory wait for one another", weight: rare, of: everything, network: true, ofOneNIC: true, variants: strictOrdering, evidence: signSaid(logfile.SignRelaxedOff), denied: relaxedSaid,
		Check: []string{
			"perftest's banner: PCIe relax order; without --disable_pcie_relaxed",
			"setpci or lspci -vvv: RlxdOrd+ of the NIC; NCCL_IB_PCI_RELAXED_ORDERING=1, UCX_IB_PCI_RELAXED_ORDERING=on",
		},
	},
	{
		ID: "pinning", Title: "the process runs on the processor without the NIC (NUMA)", weight: rare, of: everything, network: true, ofOneNIC: true, variants: pinned, evidence: signSaid(logfile.SignPinned),
		Check: []string{"numactl --cpunodebind and --membind of the node in /sys/class/infiniband/mlx5_X/device/numa_node", "taskset -cp PID; nvidia-smi topo -m: CPU and NUMA affinity"},
	},
	{
		ID: "bond-port", Title: "flows use one port of a bond", weight: occasional, of: bulk, network: true, ofOneNIC: true, variants: bondPort, evidence: bondSaid, denied: unless(bondSaid, "no device of the log is a bond"),
		Check: []string{"ethtool -S of both ports while it runs", "NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1; xmit_hash_policy of the bond"},
	},
	{
		ID: "slow-gpu", Title: "a GPU runs at a lower clock: power cap, heat", weight: rare, of: groups, variants: slowGPU,
		Check: []string{"nvidia-smi -q -d CLOCK,POWER,PERFORMANCE on every node: Clocks Throttle Reasons", "the test on each node alone; dcgmi diag -r 2"},
	},
	{
		ID: "tcp", Title: "RDMA is off: TCP through the kernel", weight: occasional, of: []kind{collective, exchange, bandwidth, oneMessage}, network: true, variants: kernelTCP, evidence: socketsSaid, denied: verbsSaid,
		Check: []string{"NCCL_DEBUG=INFO: NET/Socket instead of NET/IB; echo $NCCL_IB_DISABLE", "rdma link, ibv_devinfo, inside the container too"},
	},
	{
		ID: fewSocketsID, Title: "few TCP sockets carry a connection: one core, or the slowest flow, sets the pace", weight: occasional, of: collectives, network: true, variants: fewerSockets,
		Check: []string{
			"NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4; their product is 64 at most",
			"iperf3 -P 8 between two nodes: the sum, and the slowest of the flows, since NCCL divides evenly",
		},
	},
	{
		ID: "nvlink-off", Title: "NVLink is off: GPUs of a node talk over PCIe", weight: occasional, of: groups, variants: noNVLink, evidence: peersSaid,
		Check: []string{"nvidia-smi nvlink --status; nvidia-smi topo -m: NV# between all GPUs", "systemctl status nvidia-fabricmanager; echo $NCCL_P2P_DISABLE"},
	},
	{
		ID: "peer-cpu", Title: "GPUs of a node reach each other through the processors, which forward their data slowly", weight: occasional, of: groups, variants: throughProcessors,
		Check: []string{
			"nvidia-smi topo -m: PIX or PXB between GPUs, not PHB, NODE or SYS; lspci -vvv | grep ACSCtl: SrcValid- on PCIe switches",
			"NCCL_P2P_DISABLE=1, or NCCL_P2P_LEVEL=PXB: shared memory is faster than a slow peer-to-peer path",
		},
	},
	{
		ID: "nvls-off", Title: "no reduction in the NVSwitch (NVLS)", weight: rare, of: collectives, variants: noNVLS,
		Check: []string{"NCCL_DEBUG=INFO: NVLS multicast support is available; echo $NCCL_NVLS_ENABLE", "systemctl status nvidia-fabricmanager; nvidia-imex on NVL72"},
	},
	{
		ID: "algorithm", Title: "another algorithm than NCCL's choice", weight: rare, of: collectives, chosen: true, variants: otherAlgorithm, denied: stated("workload.algorithm"),
		Check: []string{"env | grep NCCL_ALGO; /etc/nccl.conf; a tuner plug-in", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: Algo … proto … of each size"},
	},
	{
		ID: "protocol", Title: "another protocol than NCCL's choice", weight: rare, of: collectives, chosen: true, variants: otherProtocol, denied: stated("workload.protocol"),
		Check: []string{"env | grep NCCL_PROTO; /etc/nccl.conf; a tuner plug-in", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: Algo … proto … of each size"},
	},
	{
		ID: "channels", Title: "fewer channels than NCCL's choice", weight: rare, of: collectives, chosen: true, variants: fewerChannels, evidence: forcedSaid("NCCL_MAX_NCHANNELS"), denied: stated("workload.channels"),
		Check: []string{"env | grep NCHANNELS; NCCL_DEBUG=INFO: number of coll channels"},
	},
	{
		ID: "proxy", Title: "NCCL's proxy threads are slow to post: CPU clock, pinning, noise, instrumentation", weight: rare, of: collectives, network: true, variants: factors("proxy", "posting takes", 4, 10, 20, 40), evidence: signSaid(logfile.SignCPUFrequency),
		Check: []string{"cpupower frequency-info; the affinity of the ranks (taskset -cp PID), one core for each rank's proxy", "NCCL_DEBUG of TRACE, profilers and plug-ins off"},
	},
	{
		ID: "software", Title: "every message between nodes takes longer in software: host, virtualisation, power states", weight: rare, of: []kind{collective, oneMessage}, network: true, variants: slowSoftware,
		Check: []string{"ib_write_lat between the nodes; cpupower idle-info; C-states and IOMMU in the BIOS"},
	},
	{
		ID: "mtu", Title: "a smaller MTU", weight: occasional, of: everything, network: true, ofOneNIC: true, variants: smallerMTU, evidence: mtuSaid,
		Check: []string{"ibv_devinfo: active_mtu; ip link: mtu at least 4200 for an RDMA MTU of 4096; the switch's MTU"},
	},
	{
		ID: "loss", Title: "packets are lost and sent again", weight: occasional, of: bulk, network: true, random: true, bursty: true, ofOneNIC: true, variants: packetLoss, evidence: signSaid(logfile.SignRetries),
		Check: []string{
			"rdma statistic, or /sys/class/infiniband/*/ports/1/hw_counters: out_of_sequence, packet_seq_err, local_ack_timeout_err",
			"ibqueryerrors, or mlxlink -c: symbol errors, BER; ethtool -S: rx_discards_phy",
		},
	},
	{
		ID: "pause-storm", Title: "a receiver holds its switch back: a storm of PFC pauses, or late credits", weight: occasional, of: bulk, network: true, bursty: true, ofOneNIC: true, variants: pauseStorm,
		Check: []string{
			"show pfc counters, or ethtool -S: rx_prio3_pause and tx_prio3_pause of every port, twice; the port whose NIC sends most pauses",
			"on InfiniBand perfquery -x: PortXmitWait of every port, twice",
		},
	},
	{
		ID: "ecn-off", Title: "congestion control is off: PFC alone holds senders back", weight: rare, of: bulk, network: true, variants: noCongestionControl,
		Check: []string{"show ecn on the switches; np_cnp_sent and rp_cnp_handled of hw_counters stay 0 while queues grow", "cat /sys/class/net/ethX/ecn/roce_rp/enable/3"},
	},
	{
		ID: "wrong-gid", Title: "a wrong GID index: RoCE runs in the default class", weight: rare, of: bulk, network: true, random: true, variants: defaultClass, evidence: gidSaid, denied: noGID,
		Check: []string{"show_gids: the index of RoCE v2 with the IPv4 address; NCCL_IB_GID_INDEX, UCX_IB_GID_INDEX, -x of perftest", "ethtool -S: rx_prio0_bytes grows instead of rx_prio3_bytes"},
	},
	{
		ID: "reordering", Title: "packets arrive out of order, and the NICs take that for loss", weight: rare, of: bulk, network: true, bursty: true, variants: reordered,
		Check: []string{"out_of_sequence and packet_seq_err of hw_counters grow without drops at any port", "adaptive routing or spraying of the switches off, or a NIC that takes packets out of order"},
	},
	{
		ID: "pxn-off", Title: "PXN is off: GPUs send over the rails of their peers", weight: rare, of: collectives, network: true, chosen: true, variants: noPXN, evidence: forcedSaid("NCCL_PXN_DISABLE"), denied: stated("nccl.pxn"),
		Check: []string{"env | grep NCCL_PXN_DISABLE; NCCL_DEBUG=INFO: via P2P/CUMEM to the GPU beside the NIC"},
	},
	{
		ID: "pfc-off", Title: "the fabric drops what should be lossless: PFC is off", weight: rare, of: bulk, network: true, variants: noPFC,
		Check: []string{"mlnx_qos -i ethX, and show pfc priority on the switch: the priority of RoCE is on at both ends", "ethtool -S: rx_prio3_pause; weft roce lint"},
	},
	{
		ID: "congestion-control", Title: "congestion control that throttles too much", weight: rare, of: bulk, network: true, variants: otherCC,
		Check: []string{"mlxconfig -d … query | grep -i dcqcn; np_cnp_sent, rp_cnp_handled of hw_counters", "ECN thresholds of the switch"},
	},
	{
		ID: "ecmp", Title: "flows collide: ECMP puts them on the same links", weight: occasional, of: bulk, network: true, ofOneNIC: true, variants: collisions,
		Check: []string{"load of the uplinks while it runs (weft explain shows which flows met)", "adaptive routing or packet spraying of the switches; NCCL_IB_QPS_PER_CONNECTION, NCCL_IB_SPLIT_DATA_ON_QPS"},
	},
	{
		ID: "collision", Title: "routes of these nodes meet on a link between switches", weight: rare, of: []kind{collective, exchange, copies}, network: true, variants: hiddenCollision,
		Check: []string{
			"the same test of each of the nodes with a third one: both are fast there",
			"load of the uplinks while it runs; ibtracert between the two ports of each rail; adaptive routing of the switches",
		},
	},
	{
		ID: "one-queue-pair", Title: "one queue pair does not fill the link", weight: rare, of: []kind{bandwidth}, network: true, variants: oneQueuePair,
		Check: []string{"ib_write_bw -q 4, -q 8; larger messages (-s 1048576) and --tx-depth", "cpupower frequency-info: one core posts and polls for one queue pair"},
	},
	{
		ID: "uplinks", Title: "uplinks are missing: more oversubscription than planned", weight: rare, of: bulk, network: true, variants: missingUplinks,
		Check: []string{"weft fabric inspect on ibnetdiscover's output; show interface status on the leaves: uplinks that are down"},
	},
	{
		ID: "nvlink-unused", Title: "the kernels of the experts do not use NVLink: tokens inside a node go through NICs", weight: common, of: experts, variants: throughNICs,
		Check: []string{"allow_nvlink_for_low_latency_mode of the buffer; --disable-nvlink of the test; NVSHMEM_DISABLE_P2P", "nvidia-smi topo -m: NV# between all GPUs"},
	},
	{
		ID: "cpu-posting", Title: "a thread of the CPU posts the kernels' requests: IBGDA is off", weight: occasional, of: experts, network: true, variants: proxied,
		Check: []string{"NVSHMEM_IB_ENABLE_IBGDA=1, NVSHMEM_IBGDA_NIC_HANDLER=gpu; NVSHMEM_INFO=1 says the transport", "modinfo nvidia: NVreg_EnableStreamMemOPs=1, PeerMappingOverride=1; dmesg"},
	},
	{
		ID: "hot-experts", Title: "some experts get more tokens than others", weight: occasional, of: experts, variants: hotExperts,
		Check: []string{"counts of tokens of each expert (cumulative_local_expert_recv_stats); replicas of the busiest (EPLB)"},
	},
	{
		ID: "idle-nic", Title: "NICs that the transfers should use are idle", weight: common, of: transfers, network: true, variants: idleNICs,
		Check: []string{
			"port_xmit_data of each NIC (/sys/class/infiniband/*/ports/1/counters) while it runs",
			"UCX_NET_DEVICES and UCX_MAX_RNDV_RAILS; --device_name or the NIC priority matrix of Mooncake; nvidia-smi topo -m",
		},
	},
	{
		ID: "test-parameters", Title: "the test itself: its blocks, batches and threads are too few to fill the link", weight: common, of: transfers, network: true, variants: smallTest, denied: unless(parametersSaid, "the command line is not in the log, or gives the block or the threads"),
		Check: []string{"the test again with larger blocks, a larger batch and more threads: --block_size, --batch_size, --threads"},
	},
	{
		ID: "cross-rail", Title: "blocks go between NICs of different rails", weight: occasional, of: transfers, network: true, variants: crossRails,
		Check: []string{"the pairs of NICs in the library's log (MC_LOG_LEVEL=TRACE, UCX_LOG_LEVEL=info); load of the spines while it runs"},
	},
	{
		ID: "pcie", Title: "PCIe slots run narrower or slower", weight: occasional, of: everything, ofOneNIC: true, variants: slowPCIe,
		Check: []string{"lspci -vv -s DEVICE | grep LnkSta: speed and width, (downgraded)", "nvidia-smi -q -d PCIE: generation and width, current and max"},
	},
}

// one is a variant with one change.
func one(label, path, value string) variant {
	return variant{label: label, over: []scenario.Override{{Path: path, Value: value, Origin: label}}}
}

// factors are variants that multiply one of NCCL's figures.
func factors(field, label string, by ...float64) func(*Cluster, *Task) ([]variant, string) {
	return func(*Cluster, *Task) ([]variant, string) {
		return graded(field, 1, func(f float64) variant {
			return one(fmt.Sprintf("%s %.3g times as long", label, f), "nccl."+field, fmt.Sprintf("%.3g", f))
		}, by...), ""
	}
}

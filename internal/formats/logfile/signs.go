package logfile

import (
	"regexp"
	"slices"
	"strings"
)

// signs collects lines that say themselves what is slow. Each phrase is that of a real program.
type signs struct{ b *builder }

// phrase is what a line contains if it is a sign. Word is searched first, since most lines are none; no excludes it.
type phrase struct {
	word string
	kind SignKind
	also *regexp.Regexp // nil: the word suffices
	no   string         // "": nothing excludes it
}

// phrases are the signs' words, with the file of the program that prints them.
var phrases = []phrase{
	// NVIDIA/nccl@5067397c
	{word: "falling back to simple order", kind: SignOneNIC}, // src/graph/search.cc
	{word: "NET/Socket : Using", kind: SignTCP},              // src/transport/net_socket.cc
	{word: "Using network Socket", kind: SignTCP},            // src/init.cc
	{word: "NET/IB : No device found", kind: SignNoDevice},   // src/transport/net_ib/init.cc
	{word: "No IP interface found", kind: SignNoDevice},
	{word: "Failed to open libibverbs", kind: SignNoDevice},                                          // src/misc/ibvsymbols.cc
	{word: "GPU Direct RDMA Disabled for HCA", kind: SignNoGPUDirect},                                // src/graph/topo.cc
	{word: "P2P is disabled between", kind: SignPeerToPeer},                                          // src/graph/paths.cc
	{word: "P2P not supported between GPU", kind: SignPeerToPeer},                                    // src/allocator.cc
	{word: " via SHM/", kind: SignPeerToPeer},                                                        // src/transport/shm.cc
	{word: "Could not open XML topology file", kind: SignTopologyFile},                               // src/graph/xml.cc
	{word: "Got completion", kind: SignRetries, also: regexp.MustCompile(`with (?:status=|error )`)}, // src/transport/net_ib/p2p.cc
	{word: "async", kind: SignLinkDown, also: regexp.MustCompile(`async (?:fatal )?event ?:.*(?:port error|device fatal|catastrophic)`)},
	{word: "speed change detected", kind: SignLinkSpeed},
	{word: "error occurs when ACS is enabled", kind: SignACS},  // src/transport/net_ib/common.h
	{word: "the incorrect GID index is forced", kind: SignGID}, // src/misc/ibvwrap.cc
	{word: "when NICs are not cross-rail connected", kind: SignCrossRail},
	{word: "NVLS multicast support is not available", kind: SignNoNVLS}, // src/transport/nvls.cc
	{word: "PXN Disabled", kind: SignNoPXN},                             // src/graph/paths.cc
	// ROCm/rccl, src/init.cc
	{word: "NUMA auto balancing enabled", kind: SignNUMA},
	{word: `Missing "iommu=pt"`, kind: SignACS},
	{word: "GDRDMA not enabled", kind: SignNoGPUDirect},                                                                // src/transport/net_ib.cc
	{word: "elected provider is", kind: SignTCP, also: regexp.MustCompile(`(?i)selected provider is (?:tcp|sockets)`)}, // aws/aws-ofi-nccl
	// linux-rdma/perftest@00b55b66
	{word: "CPU Frequency is not max", kind: SignCPUFrequency},                                              // src/get_clock.c
	{word: "relax", kind: SignRelaxedOff, also: regexp.MustCompile(`PCIe[ _]relax[ _]order"?\s*:\s*"?OFF`)}, // src/perftest_parameters.c
	{word: "Completion with error at", kind: SignRetries},                                                   // src/perftest_resources.h
	{word: "transport retry counter exceeded", kind: SignRetries},                                           // libibverbs, ibv_wc_status_str
	// openucx/ucx@9466d104
	{word: "ransport retry count exceeded", kind: SignRetries}, // src/uct/ib/mlx5/ib_mlx5_log.c
	{word: "is not available, please use", kind: SignNoDevice}, // src/ucp/core/ucp_context.c
	{word: "tcp/", kind: SignMPITCP, also: regexp.MustCompile(`UCX +(?:TRACE|DEBUG|INFO).*(?:\blane\[\d+\]|\b(?:tag|am|rma|stream)\(|copy-in|copy-out)`), no: "/mlx5_"}, // proto_common.c, ucp_worker.c
	{word: "error initializing an OpenFabrics device", kind: SignNoDevice},                                                                                              //nolint:misspell // the words of Open MPI, help-mpi-btl-openib.txt
	// Linux, drivers/pci/pci.c and mellanox/mlx5/core; pciutils; nvidia-smi -q -d PERFORMANCE
	{word: "available PCIe bandwidth, limited by", kind: SignPCIeWidth},
	{word: "mlx5_core", kind: SignLinkDown, also: regexp.MustCompile(`Link down|Cable (?:unplugged|error)`)},
	{word: "ACSCtl:", kind: SignACS, also: regexp.MustCompile(`ACSCtl:\s+SrcValid\+`)},
	{word: ": Active", kind: SignThrottled, also: regexp.MustCompile(`(?:SW Power Cap(?:ping)?|HW Slowdown|[HS]W Thermal Slowdown|HW Power Brake Slowdown)\s+: Active`), no: "Not Active"},
}

func (r *signs) line(n int, text string) {
	for i := range phrases {
		p := &phrases[i]
		if !strings.Contains(text, p.word) || p.also != nil && !p.also.MatchString(text) || p.no != "" && strings.Contains(text, p.no) {
			continue
		}
		r.b.Said.sign(n, p.kind, wordsOf(text))
		return
	}
}

// wordsOf is the message of a line, without the place of the process that a library puts before it.
func wordsOf(text string) string {
	for _, mark := range []string{"NCCL INFO ", "NCCL WARN "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			return abridged(rest)
		}
	}
	return abridged(strings.TrimSpace(text))
}

// maxOfKind bounds the signs of a kind: each GPU of each node may say the same of itself.
const maxOfKind = 8

// sign adds a sign that is not there yet.
func (s *Said) sign(line int, kind SignKind, text string) {
	of := 0
	for _, sign := range s.Signs {
		if sign.Kind != kind {
			continue
		}
		if of++; of == maxOfKind || sign.Text == text || inSHM(text) {
			return
		}
	}
	s.Signs = append(s.Signs, Sign{Line: line, Kind: kind, Text: text})
}

// inSHM reports whether a sign is one of many connections between GPUs: the first says it.
func inSHM(text string) bool { return strings.Contains(text, " via SHM/") }

// chosen are signs that a setting is.
var chosen = []struct {
	name   string
	values []string // in small letters; nil: any
	kind   SignKind
}{
	{"NCCL_IB_PCI_RELAXED_ORDERING", []string{"0"}, SignRelaxedOff},
	{"UCX_IB_PCI_RELAXED_ORDERING", []string{"n", "no", "off", "0"}, SignRelaxedOff},
	{"--disable_pcie_relaxed", nil, SignRelaxedOff},
	{"NCCL_IB_DISABLE", []string{"1"}, SignTCP},
	{"NCCL_NET", []string{"socket"}, SignTCP},
	{"--protocol", []string{"tcp"}, SignTCP},
	{"NCCL_P2P_DISABLE", []string{"1"}, SignPeerToPeer},
	{"NCCL_P2P_LEVEL", []string{"loc", "0"}, SignPeerToPeer},
	{"NCCL_NET_GDR_LEVEL", []string{"loc", "0"}, SignNoGPUDirect},
	{"NCCL_TOPO_FILE", nil, SignTopologyFile},
	{"NCCL_PXN_DISABLE", []string{"1"}, SignNoPXN},
	{"NCCL_NVLS_ENABLE", []string{"0"}, SignNoNVLS},
}

// inHost are the transports of UCX and Open MPI that leave no node.
var inHost = []string{"self", "sm", "shm", "vader", "posix", "sysv", "cma", "knem", "xpmem", "cuda", "cuda_copy", "cuda_ipc", "gdr_copy", "rocm", "rocm_copy", "rocm_ipc"}

// kernelOnly reports whether a setting leaves MPI or UCX the kernel's TCP alone between nodes: by a list of transports, or
// by one of interfaces, since an RDMA device has a port (mlx5_0:1).
func kernelOnly(name, value string) bool {
	parts := strings.Split(strings.ToLower(value), ",")
	switch name {
	case "UCX_TLS", "OMPI_MCA_btl":
		return slices.Contains(parts, "tcp") && !slices.ContainsFunc(parts, func(p string) bool { return p != "tcp" && !slices.Contains(inHost, p) })
	case "UCX_NET_DEVICES":
		return !slices.ContainsFunc(parts, func(p string) bool { return p == "" || p == "all" || strings.ContainsAny(p, ":^") })
	}
	return false
}

// choose adds the sign that a setting is, if it is one. Words are the log's.
func (s *Said) choose(line int, name, value, words string) {
	if kernelOnly(name, value) {
		s.sign(line, SignMPITCP, abridged(words))
	}
	for _, c := range chosen {
		if !strings.EqualFold(c.name, name) || c.values != nil && !slices.Contains(c.values, strings.ToLower(value)) {
			continue
		}
		if !slices.ContainsFunc(s.Signs, func(o Sign) bool { return o.Kind == c.kind && strings.Contains(o.Text, name) }) {
			s.sign(line, c.kind, abridged(words))
		}
	}
}

func (r *signs) end(bool) {}

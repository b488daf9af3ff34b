package logfile

import "strings"

// Setting is a choice that the log states: a variable of NCCL, UCX or MPI, or a parameter of the
// test.
type Setting struct {
	Line  int    `json:"line"`
	Name  string `json:"name"` // of the variable or the parameter, as its program spells it: NCCL_ALGO
	Value string `json:"value"`
}

// Setting is the last setting of a name, and whether there is one.
func (s *Said) Setting(name string) (Setting, bool) { return lastOf(s.Settings, name) }

// Setting is the table's own last setting of a name, and whether there is one.
func (t *Table) Setting(name string) (Setting, bool) { return lastOf(t.Settings, name) }

// set adds a setting that is not there yet.
func (s *Said) set(line int, name, value string) {
	if last, ok := s.Setting(name); (!ok || last.Value != value) && len(s.Settings) < maxNames {
		s.Settings = append(s.Settings, Setting{line, name, value})
	}
}

func lastOf(all []Setting, name string) (last Setting, ok bool) {
	for _, s := range all {
		if strings.EqualFold(s.Name, name) {
			last, ok = s, true
		}
	}
	return last, ok
}

// Sign is a line of the log that says itself what is slow: a warning of a program, or a state that
// it prints.
type Sign struct {
	Line int      `json:"line"`
	Kind SignKind `json:"kind"`
	Text string   `json:"text"` // the words of the log
}

// SignKind is what a sign says.
type SignKind string

// The signs.
const (
	SignRelaxedOff   SignKind = "relaxed-ordering-off" // perftest: PCIe relax order: OFF
	SignCPUFrequency SignKind = "cpu-frequency"        // perftest: CPU Frequency is not max
	SignTCP          SignKind = "tcp"                  // UCX or NCCL moves the data over TCP
	SignOneNIC       SignKind = "one-nic"              // NCCL found no path for a pattern, and uses a simple order
	SignPinned       SignKind = "pinned"               // the command pins the process to one core
	SignPeerToPeer   SignKind = "no-peer-to-peer"      // GPUs of a node do not reach each other directly
	SignTopologyFile SignKind = "topology-file"        // NCCL_TOPO_FILE, or NCCL cannot use it
	SignNoGPUDirect  SignKind = "no-gpudirect"         // a program says that GPUDirect RDMA is not available
	SignACS          SignKind = "acs-iommu"            // ACS or the IOMMU is on
	SignLinkDown     SignKind = "link-down"            // a port went down, or is not active
	SignRetries      SignKind = "retries"              // retransmissions, timeouts, or a completion with an error
)

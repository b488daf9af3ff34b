package logfile

import (
	"fmt"
	"strings"
)

// Setting is a choice that the log states: a variable of NCCL, UCX or MPI, or a parameter of the
// test.
//
// Names are those of the program, in their long form: NCCL_ALGO, --minbytes of nccl-tests' -b, --qp of perftest's -q,
// Mtu of perftest's banner. "program" is the test that a command line starts, "server" the
// host that it connects to, and "client" its own, if ssh or the prompt says it. Open MPI's --mca NAME is OMPI_MCA_NAME.
// An option without a value has the value "on".
type Setting struct {
	File  string `json:"file,omitempty"` // of several; "" if the log is one file
	Line  int    `json:"line"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Place is a line of a log in words; the name of its file stands there if the log is of several. Line 0 is
// the whole file.
func Place(file string, line int) string {
	switch {
	case file == "":
		return fmt.Sprintf("line %d", line)
	case line == 0:
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Environment reports whether the setting is a variable of the environment, rather than an option of a command or a line of
// a banner.
func (s Setting) Environment() bool { return assignment.MatchString(s.Name + "=") }

// Setting is the last setting of a name, and whether there is one.
func (s *Said) Setting(name string) (Setting, bool) { return lastOf(s.Settings, name) }

// Setting is the table's own last setting of a name, and whether there is one.
func (t *Table) Setting(name string) (Setting, bool) { return lastOf(t.Settings, name) }

// Unset reports whether the table's command line is in the log and does not have the option: the program's default
// holds.
func (t *Table) Unset(option string) bool {
	_, commanded := t.Setting(settingProgram)
	_, given := t.Setting(option)
	return commanded && !given
}

// Names of settings that are no option: the test that a command line starts, the host that runs it, and the one that it
// connects to.
const (
	settingProgram = "program"
	settingClient  = "client"
	settingServer  = "server"
)

// flagSet is the value of an option that has none.
const flagSet = "on"

// set adds a setting that is not there yet.
func (s *Said) set(line int, name, value string) { s.Settings = setIn(s.Settings, line, name, value) }

// setIn adds a setting to a list, unless it is the last one of its name there.
func setIn(all []Setting, line int, name, value string) []Setting {
	if len(all) >= maxSettings {
		return all
	}
	if last, ok := lastOf(all, name); !ok || last.Value != value {
		all = append(all, Setting{Line: line, Name: name, Value: value})
	}
	return all
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
	File string   `json:"file,omitempty"` // of several; "" if the log is one file
	Line int      `json:"line"`
	Kind SignKind `json:"kind"`
	Text string   `json:"text"` // the words of the log
}

// Sign is the first sign of a kind, and whether there is one.
func (s *Said) Sign(kind SignKind) (Sign, bool) {
	for _, sign := range s.Signs {
		if sign.Kind == kind {
			return sign, true
		}
	}
	return Sign{}, false
}

// SignKind is what a sign says.
type SignKind string

// The signs.
const (
	SignRelaxedOff   SignKind = "relaxed-ordering-off" // perftest: PCIe relax order: OFF
	SignCPUFrequency SignKind = "cpu-frequency"        // perftest: CPU Frequency is not max
	SignTCP          SignKind = "tcp"                  // NCCL, or a test of transfers, moves the data over TCP
	SignMPITCP       SignKind = "mpi-tcp"              // MPI or UCX does: of NCCL's ranks it is the start alone
	SignOneNIC       SignKind = "one-nic"              // NCCL found no path for a pattern, and uses a simple order
	SignPinned       SignKind = "pinned"               // the command pins the process to one core
	SignPeerToPeer   SignKind = "no-peer-to-peer"      // GPUs of a node do not reach each other directly
	SignTopologyFile SignKind = "topology-file"        // NCCL_TOPO_FILE, or NCCL cannot use it
	SignNoGPUDirect  SignKind = "no-gpudirect"         // a program says that GPUDirect RDMA is not available
	SignACS          SignKind = "acs-iommu"            // ACS or the IOMMU is on
	SignLinkDown     SignKind = "link-down"            // a port went down, or is not active
	SignRetries      SignKind = "retries"              // retransmissions, timeouts, or a completion with an error

	SignNoDevice  SignKind = "no-device"      // a program does not find the RDMA device that it should use
	SignNoNVLS    SignKind = "no-nvls"        // NVSwitch multicast is not available: as it should be before Hopper
	SignNoPXN     SignKind = "no-pxn"         // NCCL does not send over another GPU's NIC
	SignGID       SignKind = "gid-index"      // NCCL suspects the index of the GID
	SignCrossRail SignKind = "cross-rail"     // NCCL suspects that NICs of different rails do not reach each other
	SignNUMA      SignKind = "numa-balancing" // the kernel moves pages between NUMA nodes
	SignLinkSpeed SignKind = "link-speed"     // a port changed its speed
	SignPCIeWidth SignKind = "pcie-width"     // the kernel says that a slot has less than its card can use
	SignThrottled SignKind = "throttled"      // a GPU's clock is held down by power or heat
)

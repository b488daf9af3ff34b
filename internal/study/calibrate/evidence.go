package calibrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/formats/logfile"
	"weft/internal/sim/protocol"
	"weft/units"
)

// The log's own evidence for a hypothesis, "" for none. These are facts of the log; they do not
// enter the match.

// signSaid is the first line of the log with one of the signs.
func signSaid(kinds ...logfile.SignKind) func(*logfile.Log, *Task) string {
	return func(log *logfile.Log, _ *Task) string {
		for _, s := range log.Said.Signs {
			if slices.Contains(kinds, s.Kind) {
				return fmt.Sprintf("%s (%s)", s.Text, logfile.Place(s.File, s.Line))
			}
		}
		return ""
	}
}

func bounceSaid(log *logfile.Log, t *Task) string {
	if n := log.Said.Bounced; n > 0 {
		return fmt.Sprintf("%d of %d connections between nodes are not marked GDRDMA", n, n+log.Said.Direct)
	}
	return signSaid(logfile.SignNoGPUDirect)(log, t)
}

func socketsSaid(log *logfile.Log, t *Task) string {
	if n := log.Said.Sockets; n > 0 {
		return fmt.Sprintf("%d connections between nodes go via NET/Socket", n)
	}
	if text := cmp.Or(setTo(log, "NCCL_IB_DISABLE", "1"), setTo(log, "NCCL_NET", "socket")); text != "" {
		return text
	}
	if t.byMPI() {
		return signSaid(logfile.SignTCP, logfile.SignMPITCP)(log, t)
	}
	return signSaid(logfile.SignTCP)(log, t)
}

// peersSaid is a line that says why GPUs of a node do not use NVLink.
func peersSaid(log *logfile.Log, t *Task) string {
	if text := cmp.Or(setTo(log, "NCCL_P2P_DISABLE", "1"), setTo(log, "NCCL_P2P_LEVEL", "0", "loc")); text != "" {
		return text
	}
	return signSaid(logfile.SignPeerToPeer, logfile.SignTopologyFile)(log, t)
}

// bondSaid is a device of the log that is a bond.
func bondSaid(log *logfile.Log, t *Task) string {
	for _, name := range log.Said.Devices {
		if strings.Contains(name, "bond") {
			return "NCCL uses " + name
		}
	}
	for _, set := range slices.Concat(log.Said.Settings, t.Table.Settings) {
		if strings.Contains(set.Value, "_bond") {
			return setting(set)
		}
	}
	return ""
}

// usualGID is the index of RoCE v2 with an IPv4 address on ConnectX (show_gids): lower ones are RoCE
// v1 or link-local addresses.
const usualGID = "3"

// gidSaid is a GID index below the usual one that a variable sets, or 0 in perftest's banner: perftest takes the first index
// of RoCE v2 that it finds, whatever its number.
func gidSaid(log *logfile.Log, t *Task) string {
	for _, set := range slices.Concat(log.Said.Settings, t.Table.Settings) {
		isVariable := strings.HasSuffix(strings.ToUpper(set.Name), "GID_INDEX")
		if isVariable && set.Value < usualGID && len(set.Value) == 1 || set.Name == "GID index" && set.Value == "0" {
			return setting(set)
		}
	}
	return ""
}

// parametersSaid is a command line of a test that leaves its size at the program's small default.
func parametersSaid(_ *logfile.Log, t *Task) string {
	if t.Table.Unset("--block_size") && t.Table.Unset("--threads") {
		return "the command line has neither --block_size nor --threads: the program's own hold"
	}
	return ""
}

func mtuSaid(_ *logfile.Log, t *Task) string {
	if mtu := t.base.Fabrics[0].MTU; t.Table.MTU > 0 && units.Bytes(t.Table.MTU) != mtu {
		return fmt.Sprintf("perftest ran with an MTU of %s, the fabric has %s", units.Bytes(t.Table.MTU), mtu)
	}
	return ""
}

// forcedSaid is an environment setting that the log names.
func forcedSaid(name string) func(*logfile.Log, *Task) string {
	return func(log *logfile.Log, _ *Task) string {
		if set, ok := log.Said.Setting(name); ok && set.Value != "0" {
			return setting(set)
		}
		return ""
	}
}

// setTo is a setting of the log if it has one of the values, in any case of letters.
func setTo(log *logfile.Log, name string, values ...string) string {
	if set, ok := log.Said.Setting(name); ok && slices.Contains(values, strings.ToLower(set.Value)) {
		return setting(set)
	}
	return ""
}

// setting is a setting with its line.
func setting(s logfile.Setting) string {
	return fmt.Sprintf("%s=%s (%s)", s.Name, s.Value, logfile.Place(s.File, s.Line))
}

// What the log itself says against a hypothesis, "" for nothing.

// stated denies what the prediction already has: the log states the field.
func stated(path string) func(*Cluster, *logfile.Log, *Task) string {
	return func(_ *Cluster, _ *logfile.Log, t *Task) string {
		if text, ok := t.states(path); ok {
			return "the log states it: " + text
		}
		return ""
	}
}

func nicsSaid(c *Cluster, log *logfile.Log, t *Task) string {
	if n := len(log.Said.Devices); n > 0 && n >= t.base.Cluster.Node.NICs {
		return fmt.Sprintf("the log says which NICs are used: %s", strings.Join(log.Said.Devices, ", "))
	}
	return stated("cluster.node.nics")(c, log, t)
}

func directSaid(_ *Cluster, log *logfile.Log, _ *Task) string {
	if said := &log.Said; said.Direct > 0 && said.Bounced == 0 {
		return fmt.Sprintf("the log has GDRDMA on all of %d connections between nodes", said.Direct)
	}
	return ""
}

func verbsSaid(_ *Cluster, log *logfile.Log, t *Task) string {
	if t.kind != collective && t.kind != exchange && !t.byMPI() {
		return "the test posts verbs itself"
	}
	if said := &log.Said; said.Direct+said.Bounced > 0 && said.Sockets == 0 {
		return "the log has no connection via NET/Socket"
	}
	return ""
}

// byMPI reports whether MPI or UCX chooses the transport of the measured messages.
func (t *Task) byMPI() bool {
	return t.Table.Format == logfile.OSU || t.Table.Format == logfile.UCXPerf
}

func relaxedSaid(_ *Cluster, _ *logfile.Log, t *Task) string {
	if set, ok := t.Table.Setting("PCIe relax order"); ok && strings.EqualFold(set.Value, "ON") {
		return "the log has " + setting(set)
	}
	return ""
}

// unless denies what the log has no evidence for.
func unless(said func(*logfile.Log, *Task) string, why string) func(*Cluster, *logfile.Log, *Task) string {
	return func(_ *Cluster, log *logfile.Log, t *Task) string {
		if said(log, t) == "" {
			return why
		}
		return ""
	}
}

func noGID(_ *Cluster, log *logfile.Log, t *Task) string {
	switch {
	case !protocol.Of(t.base.Fabrics[0].Kind).Ethernet():
		return "InfiniBand has no classes by GID"
	case gidSaid(log, t) == "":
		return "the log names no GID index below " + usualGID
	}
	return ""
}

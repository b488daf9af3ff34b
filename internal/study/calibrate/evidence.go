package calibrate

import (
	"fmt"
	"strings"

	"weft/internal/formats/logfile"
	"weft/units"
)

// The log's own evidence for a hypothesis, "" for none. These are facts of the log; they do not
// enter the match.

func devicesSaid(log *logfile.Log, t *Task) string {
	if n := len(log.Said.Devices); n > 0 && n < t.base.Cluster.Node.NICs {
		return fmt.Sprintf("NCCL uses %d network devices (%s), the cluster's nodes have %d NICs", n, strings.Join(log.Said.Devices, ", "), t.base.Cluster.Node.NICs)
	}
	return ""
}

func bounceSaid(log *logfile.Log, _ *Task) string {
	if n := log.Said.Bounced; n > 0 {
		return fmt.Sprintf("%d of %d connections between nodes are not marked GDRDMA", n, n+log.Said.Direct)
	}
	return ""
}

func socketsSaid(log *logfile.Log, _ *Task) string {
	if n := log.Said.Sockets; n > 0 {
		return fmt.Sprintf("%d connections between nodes go via NET/Socket", n)
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
		if set, ok := log.Said.Setting(name); ok {
			return fmt.Sprintf("%s=%s is set (line %d)", name, set.Value, set.Line)
		}
		return ""
	}
}

package calibrate

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/formats/logfile"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// fewSocketsID is the hypothesis that a log of TCP states by itself: by its settings of sockets.
const fewSocketsID = "tcp-sockets"

// The threads of a connection, and the sockets of each, that NCCL's user guide names for networks of 100 Gb/s
// ("Environment Variables", NCCL_SOCKET_NTHREADS and NCCL_NSOCKS_PERTHREAD), and the most sockets that NCCL opens
// (src/transport/net_socket.cc, MAX_SOCKETS).
const (
	guideThreads   = 4
	guideSockets   = 4
	maxNCCLSockets = 64
)

// fewSocketsOf is the log's own number of sockets of a connection on a fabric of TCP. If they are fewer than the user
// guide's, the others are hardware that the setting leaves unused: each socket is one flow, and a core carries a few.
func fewSocketsOf(t *Task, c *Cluster, whole *scenario.Resolved, said *logfile.Said) []Stated {
	threads, isThreads := setFor(t, said, "NCCL_SOCKET_NTHREADS")
	each, isEach := setFor(t, said, "NCCL_NSOCKS_PERTHREAD")
	if !t.Network() || protocol.Of(whole.Fabrics[0].Kind).RDMA() || !isThreads && !isEach {
		return nil
	}
	tcp := &whole.Fabrics[0].TCP
	n, per := tcp.Threads, max(1, tcp.Sockets/max(1, tcp.Threads))
	first, words := threads, []string{}
	if !isThreads {
		first = each
	}
	for _, x := range []struct {
		given bool
		set   logfile.Setting
		to    *int
	}{{isThreads, threads, &n}, {isEach, each, &per}} {
		if !x.given {
			continue
		}
		v, err := strconv.Atoi(x.set.Value)
		if err != nil || v < 0 {
			return nil // NCCL takes its own choice
		}
		*x.to, words = v, append(words, x.set.Name+"="+x.set.Value)
	}
	sockets := min(max(1, n*per), maxNCCLSockets)
	n = min(n, sockets)
	if n > 0 {
		sockets -= sockets % n
	}
	s := Stated{File: first.File, Line: first.Line, Text: strings.Join(words, " ")}
	label := fmt.Sprintf("%s of %s for a connection", wording.Counted(sockets, "socket", "sockets"), threadsText(n))
	s.over = []scenario.Override{{Path: c.path(".tcp"), Value: tcpOf(sockets, n), Origin: label}}
	if sockets < guideThreads*guideSockets/2 {
		s.cause = fewSocketsID
		s.Unused = fmt.Sprintf("a connection has %s of %s, where NCCL's guide for 100 Gb/s has %d of %d threads", wording.Counted(sockets, "socket", "sockets"), threadsText(n), guideThreads*guideSockets, guideThreads)
		s.full = []scenario.Override{{Path: c.path(".tcp"), Value: tcpOf(guideThreads*guideSockets, guideThreads), Origin: "the sockets of NCCL's guide"}}
	}
	return []Stated{s}
}

// threadsText is the threads of a connection; none is the one thread of all connections.
func threadsText(n int) string {
	if n == 0 {
		return "the proxy's thread"
	}
	return wording.Counted(n, "thread", "threads")
}

func tcpOf(sockets, threads int) string {
	return fmt.Sprintf("{sockets: %d, threads: %d}", sockets, threads)
}

// fewerSockets are fewer sockets than the described cluster has, if the log does not state them.
func fewerSockets(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	text, stated := t.states(c.path(".tcp"))
	switch {
	case protocol.Of(f.Kind).RDMA():
		return nil, "the fabric is not TCP"
	case stated:
		return nil, "the log states them: " + text
	case f.TCP.Sockets == 1 && f.TCP.Threads == 0:
		return nil, "the cluster as described has one socket and no thread for it, as NCCL has by default"
	}
	for _, threads := range []int{0, 1} {
		if f.TCP.Sockets > 1 || threads < f.TCP.Threads {
			out = append(out, one(fmt.Sprintf("one socket of %s for a connection", threadsText(threads)), c.path(".tcp"), tcpOf(1, threads)))
		}
	}
	return out, ""
}

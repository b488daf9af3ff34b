package fabric_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/units"
	"weft/wire"
)

// flows is an application that sends one message on each of its queue pairs.
type flows struct {
	done []units.Time // by message
}

func (f *flows) Complete(p *fabric.Partition, _ int32, c *transport.Completion) {
	if !c.Recv && c.Status == transport.Success {
		f.done[c.ID] = p.Now()
	}
}

func (*flows) Timer(*fabric.Partition, uint32) {}

func ethernetNIC() *fabric.NIC {
	s := &fabric.NIC{Pipeline: 300 * units.Nanosecond, PayloadPad: 4, MinFrame: 84, RepliesFirst: true, Transport: config()}
	for op := range s.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			s.Overhead[op] = uint16(wire.RoCEv2Bytes(o, 64, wire.EthernetFraming{}) - 64)
		}
	}
	s.PFC = fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: 100 * units.Nanosecond}
	return s
}

func infinibandNIC() *fabric.NIC {
	s := &fabric.NIC{Pipeline: 300 * units.Nanosecond, PayloadPad: 4, RepliesFirst: true, Transport: config(), Credits: credits()}
	for op := range s.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			s.Overhead[op] = uint16(wire.InfiniBandBytes(o, 64, false) - 64)
		}
	}
	return s
}

func config() *transport.Config {
	return &transport.Config{PathMTU: 4096, AckEvery: 1, RetryTimeout: 67 * units.Millisecond, RetryCount: 7, ImplicitRecv: true}
}

func credits() fabric.Credits {
	c := fabric.Credits{Period: 100 * units.Nanosecond, Latency: 50 * units.Nanosecond, FrameBytes: 6}
	for i := range c.Blocks {
		c.Blocks[i] = 2048
	}
	return c
}

func ethernetSwitch() *fabric.EthernetSwitch {
	s := &fabric.EthernetSwitch{
		Pipeline: 500 * units.Nanosecond, CutThrough: true,
		Shared: 20 << 20, Reserve: 4096, Headroom: 200 << 10, AlphaNum: 1, AlphaDen: 8, XonOffset: 18 << 10,
	}
	s.PFC = fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: 100 * units.Nanosecond, Quanta: 65535}
	s.ECN[0] = fabric.ECN{KMin: 1600 << 10, KMax: 6400 << 10, PMax: 1 << 30}
	return s
}

// build makes a network of a graph, all of whose cables are alike.
func build(g *topology.Graph, name string, part []int32, app fabric.App) (*fabric.Network, error) {
	t, err := routing.Build(g)
	if err != nil {
		return nil, err
	}
	b := fabric.Builder{Classes: 1, Seed: 1, Tables: t, App: app}
	ib := name == "infiniband"
	nic, sw, isw := ethernetNIC(), ethernetSwitch(), &fabric.InfiniBandSwitch{Pipeline: 200 * units.Nanosecond, Credits: credits(), ReadPorts: 2}
	if ib {
		nic = infinibandNIC()
	}
	for i, nd := range g.Nodes {
		switch {
		case i < g.Endpoints:
			b.NIC(nd.Name, len(nd.Cables), nic)
		case ib:
			b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.Static, isw)
		default:
			b.EthernetSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.ECMP, sw)
		}
	}
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, (400 * units.Gbps).PerByte(), 100*units.Nanosecond)
	}
	return b.Build(part)
}

// send connects two endpoints and posts one message when the run begins.
func (f *flows) send(n *fabric.Network, from, to int32, size uint32) error {
	id := uint64(len(f.done))
	f.done = append(f.done, units.Forever)
	c := fabric.Connection{Entropy: uint32(id)}
	qp, _, err := n.Connect(from, to, c, c)
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, transport.WorkRequest{ID: id, Op: transport.OpWrite, Length: size})
}

// permutation sends from every host to another, as one random cycle.
func permutation(hosts int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		order := rand.New(rand.NewPCG(1, 2)).Perm(hosts)
		for i, from := range order {
			if err := f.send(n, int32(from), int32(order[(i+1)%hosts]), size); err != nil {
				return err
			}
		}
		return nil
	}
}

func incast(fan int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for i := range fan {
			if err := f.send(n, int32(i+1), 0, size); err != nil {
				return err
			}
		}
		return nil
	}
}

func alltoall(hosts int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for d := 1; d < hosts; d++ {
			for i := range hosts {
				if err := f.send(n, int32(i), int32((i+d)%hosts), size); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// BenchmarkFabric measures packet-hops per CPU-second of one partition, set-up
// excluded: every data packet is acknowledged, flow control and invariants are
// on.
func BenchmarkFabric(b *testing.B) {
	patterns := []struct {
		name  string
		radix int
		load  func(*flows, *fabric.Network) error
	}{
		{"permutation/128", 8, permutation(128, 2<<20)},
		{"permutation/1024", 16, permutation(1024, 2<<20)},
		{"permsmall/128", 8, permutation(128, 64<<10)},
		{"shift/128", 8, shift(128, 64, 2<<20)},
		{"shift/1024", 16, shift(1024, 512, 2<<20)},
		{"incast32/128", 8, incast(32, 2<<20)},
		{"alltoall/128", 8, alltoall(128, 64<<10)},
	}
	for _, name := range []string{"infiniband", "roce"} {
		for _, pat := range patterns {
			b.Run(name+"/"+pat.name, func(b *testing.B) {
				g, err := topology.KAry{K: pat.radix}.Build()
				if err != nil {
					b.Fatal(err)
				}
				var spent time.Duration
				var s fabric.Stats
				var mallocs uint64
				for b.Loop() {
					f := &flows{}
					n, err := build(g, name, nil, f)
					if err != nil {
						b.Fatal(err)
					}
					if err := pat.load(f, n); err != nil {
						b.Fatal(err)
					}
					runtime.GC()
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					start := cpuTime(b)
					if err := n.Run(units.Second, 1, nil); err != nil {
						b.Fatal(err)
					}
					spent += cpuTime(b) - start
					runtime.ReadMemStats(&after)
					mallocs += after.Mallocs - before.Mallocs
					for id, t := range f.done {
						if t == units.Forever {
							b.Fatalf("message %d never completed", id)
						}
					}
					st := n.Stats()
					s.Hops += st.Hops
					s.Events += st.Events
				}
				b.ReportMetric(float64(s.Hops)/spent.Seconds(), "pkthops/s")
				b.ReportMetric(float64(s.Events)/spent.Seconds(), "events/s")
				b.ReportMetric(float64(mallocs)/float64(s.Hops), "mallocs/hop")
				b.ReportMetric(peakMB(), "peak-MB")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// cpuTime is what the process has used of all cores.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMB is the most memory that the process has held.
func peakMB() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1000
		}
	}
	return 0
}

func shift(hosts, by int, size uint32) func(*flows, *fabric.Network) error {
	return func(f *flows, n *fabric.Network) error {
		for i := range hosts {
			if err := f.send(n, int32(i), int32((i+by)%hosts), size); err != nil {
				return err
			}
		}
		return nil
	}
}

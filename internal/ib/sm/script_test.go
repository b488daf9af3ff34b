package sm_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/golden"
	"weft/units"
	"weft/wire/mad"
)

// TestTranscripts plays testdata/*.txt: commands, and the datagrams and events that
// follow from them.
//
//	star 3                    a fabric of one switch and 3 adapters, node 0 to 2
//	tree 8 4                  two levels: 8 adapters on switches of 4 ports
//	manager A 0 [priority=…] [mkey=…]
//	                          a manager on node 0, not started
//	start A
//	trace all|events          shows all, or events only
//	run 5s                    time passes
//	down 4[2], up 4[2]        the cable at port 2 of node 4
//	restart 4                 node 4 loses its settings
//	twin 1 2                  node 2 gets the GUID of node 1, before any manager
//	lose 3 5                  the third and fifth datagrams from now on are lost
//	kill A                    the manager receives and sends nothing more
//	path A 1 2                the port of A asks for the path from node 1 to 2
//	show                      states and LIDs of all ports
func TestTranscripts(t *testing.T) {
	golden.Transcripts(t, "testdata/*.txt", func(t *testing.T) golden.Player { return &script{t: t} })
}

type script struct {
	t      *testing.T
	w      *world
	subnet *subnet.Subnet
	out    strings.Builder
	events bool // only these are shown
}

func (s *script) Trace() string {
	defer s.out.Reset()
	return s.out.String()
}

func (s *script) Command(words []string) error {
	switch words[0] {
	case "star":
		s.subnet = build(s.t, topology.SingleSwitch{Endpoints: s.number(words[1])})
	case "tree":
		s.subnet = build(s.t, topology.TwoLevel{Endpoints: s.number(words[1]), Radix: s.number(words[2])})
	case "twin":
		a, b := &s.subnet.Nodes[s.number(words[1])], &s.subnet.Nodes[s.number(words[2])]
		b.GUID, b.Ports[b.Base()].GUID = a.GUID, a.Ports[a.Base()].GUID
	case "manager":
		s.manager(words[1:])
	case "trace":
		s.events = words[1] == "events"
	case "start":
		s.w.start(s.host(words[1]))
	case "kill":
		h := s.host(words[1])
		h.dead = true
		s.w.fabric.SetManager(h.at, false)
	case "run":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			return err
		}
		s.w.run(units.Time(d.Nanoseconds()) * units.Nanosecond)
	case "down", "up":
		s.w.change(func(f *sma.Fabric) { f.SetLink(s.end(words[1]), words[0] == "up") })
	case "restart":
		s.w.change(func(f *sma.Fabric) { f.Restart(int32(s.number(words[1]))) })
	case "lose":
		var lost []int
		for _, n := range words[1:] {
			lost = append(lost, s.w.carried+s.number(n))
		}
		s.w.lose = func(n int) bool { return slices.Contains(lost, n) }
	case "path":
		s.path(words[1:])
	case "show":
		s.show()
	default:
		return errors.New("unknown command")
	}
	return nil
}

func (s *script) manager(words []string) {
	if s.w == nil {
		s.w = newWorld(s.t, s.subnet)
		s.w.seen = func(line string) {
			if datagram := strings.Contains(line, " > ") || strings.Contains(line, " < ") || strings.HasSuffix(line, "  lost"); !datagram || !s.events {
				s.out.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	cfg := sm.Config{}
	for _, option := range words[2:] {
		key, value, _ := strings.Cut(option, "=")
		switch n := s.number(value); key {
		case "priority":
			cfg.Priority = uint8(n)
		case "mkey":
			cfg.MKey = sm.MKey{Key: uint64(n), Level: 1}
		default:
			s.t.Fatalf("unknown option %q", option)
		}
	}
	s.w.manager(words[0], s.number(words[1]), cfg)
}

func (s *script) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) host(name string) *host {
	for _, h := range s.w.hosts {
		if h.name == name {
			return h
		}
	}
	s.t.Fatalf("no manager %q", name)
	return nil
}

// end reads a port, as in 4[2].
func (s *script) end(text string) subnet.End {
	node, port, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	return subnet.End{Node: int32(s.number(node)), Port: uint16(s.number(port))}
}

func (s *script) path(words []string) {
	gid := func(word string) mad.GID {
		n := &s.subnet.Nodes[s.number(word)]
		return mad.GID{Prefix: mad.DefaultPrefix, GUID: n.Ports[n.Base()].GUID}
	}
	h := s.host(words[0])
	m := mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 7)
	m.SetComponentMask(mad.PathSGID | mad.PathDGID)
	r := mad.PathRecord{SGID: gid(words[1]), DGID: gid(words[2])}
	mad.Append(m.SAData()[:0], &r)
	h.answers = nil
	s.w.query(h, s.w.fabric.LID(h.at), m)
	s.w.run(units.Millisecond)
	for i := range h.answers {
		_ = mad.Parse(h.answers[i].SAData(), &r)
		fmt.Fprintf(&s.out, "status %#04x: from LID %d to %d, SL %d, MTU %d, rate %d, key %#04x\n", uint16(h.answers[i].Status()), r.SLID, r.DLID, r.SL, r.MTU, r.Rate, uint16(r.PKey))
	}
}

func (s *script) show() {
	for i := range s.subnet.Nodes {
		fmt.Fprintf(&s.out, "%d %s:", i, s.subnet.Nodes[i].Name)
		for p := range s.subnet.Nodes[i].Ports {
			if p == 0 && s.subnet.Nodes[i].Kind != subnet.Switch {
				continue
			}
			info := s.w.fabric.Info(subnet.End{Node: int32(i), Port: uint16(p)})
			fmt.Fprintf(&s.out, " %d %v", p, info.State)
			if info.LID != 0 {
				fmt.Fprintf(&s.out, " LID %d", info.LID)
			}
		}
		s.out.WriteString("\n")
	}
}

package ibsim

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
	"weft/wire/mad"
)

// consoleOf is a console over a chain of switches with an adapter at each end.
func consoleOf(t *testing.T, switches int) (*Console, *bytes.Buffer, *sma.Fabric) {
	t.Helper()
	f, err := sma.New(chain(switches))
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{base: "console", fabric: f, names: names(f.Subnet()), clients: map[uint32]*client{}}
	out := &bytes.Buffer{}
	return NewConsole(s, out, os.ReadFile), out, f
}

// says carries out lines and returns their output.
func says(t *testing.T, c *Console, out *bytes.Buffer, lines ...string) string {
	t.Helper()
	out.Reset()
	if err := c.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheConsoleRecablesTheFabric(t *testing.T) {
	c, out, f := consoleOf(t, 3)
	s := f.Subnet()
	a, b := nodeID(&s.Nodes[0]), nodeID(&s.Nodes[1])
	var at subnet.End // a cabled port of the first node
	for p := range s.Nodes[0].Ports {
		if s.Nodes[0].Ports[p].Peer.Exists() {
			at = subnet.End{Node: 0, Port: uint16(p)}
		}
	}
	peer := s.Peer(at)
	place := func(e subnet.End) string {
		return `"` + nodeID(&s.Nodes[e.Node]) + `"[` + string(rune('0'+e.Port)) + `]`
	}
	if says(t, c, out, "Unlink "+place(at)); s.Peer(at).Exists() || s.Peer(peer).Exists() || f.Info(peer).State != mad.PortDown {
		t.Fatalf("after Unlink the peer of %v is %v, its state %v", at, s.Peer(at), f.Info(peer).State)
	}
	if text := says(t, c, out, "unl "+place(at)); !strings.Contains(text, "has no cable") {
		t.Errorf("a second Unlink says %q", text)
	}
	if says(t, c, out, "ReLink "+place(peer)); s.Peer(at) != peer || f.Info(at).State != mad.PortInit {
		t.Errorf("after ReLink the peer is %v, want %v; state %v", s.Peer(at), peer, f.Info(at).State)
	}
	if text := says(t, c, out, "ReLink "+place(at)); !strings.Contains(text, "no cable was taken") {
		t.Errorf("a second ReLink says %q", text)
	}
	says(t, c, out, `Unlink "`+a+`"`, `Unlink "`+b+`"`, "Link "+place(at)+" "+place(peer))
	if s.Peer(at) != peer || f.Info(at).State != mad.PortInit {
		t.Errorf("after Link the peer is %v, want %v; state %v", s.Peer(at), peer, f.Info(at).State)
	}
	if text := says(t, c, out, "Link "+place(at)+" "+place(peer)); !strings.Contains(text, "has a cable already") {
		t.Errorf("a Link of ports with a cable says %q", text)
	}
}

func TestTheConsoleSetsWhatTheAgentsAnswer(t *testing.T) {
	c, out, f := consoleOf(t, 1)
	s := f.Subnet()
	id := `"` + nodeID(&s.Nodes[0]) + `"`
	at := subnet.End{Node: 0, Port: 1}
	says(t, c, out, "Baselid "+id+"[0] 9 1", "Guid "+id+" 0xabc")
	if f.LID(at) != 9 || f.Info(subnet.End{Node: 0}).LMC != 1 || f.NodeInfo(at).NodeGUID != 0xabc {
		t.Errorf("LID %d, LMC %d, GUID %v; want 9, 1, 0xabc", f.LID(at), f.Info(subnet.End{Node: 0}).LMC, f.NodeInfo(at).NodeGUID)
	}
	for line, want := range map[string]string{
		"PerformanceSet " + id + "[1] PortCounters.symbolerrorcounter=70000": "",
		"PerformanceSet " + id + "[1] PortXmitDiscardDetails.Nothing=1":      "has no field",
		"PerformanceSet " + id + "[1] Nothing.Nothing=1":                     "there is no attribute",
		"PerformanceSet " + id + "[1] PortCounters.SymbolErrorCounter":       "want PerformanceSet",
		"Error " + id + "[1] 101":                                            "0 to 100",
		"Baselid " + id + "[1] 0":                                            "is no LID",
		"Baselid " + id + " 4":                                               "want Baselid",
		"Guid " + id + " x":                                                  "is no GUID",
		"Dump nobody":                                                        "there is no node",
		"Dump " + id + "[9]":                                                 "has no port 9",
		"Route 1 77777":                                                      "is no LID",
		"Wait soon":                                                          "is no time",
		"X 5":                                                                "there is no client",
		"frobnicate":                                                         "there is no command",
		`Dump "unclosed`:                                                     "second quotation mark",
		"!/nowhere/at/all":                                                   "no such file",
	} {
		text := says(t, c, out, line)
		if want == "" && strings.HasPrefix(text, "#") || !strings.Contains(text, want) {
			t.Errorf("%s says %q, want %q", line, text, want)
		}
	}
	if err := c.Run(t.Context(), strings.NewReader("quit\nfrobnicate\n")); !errors.Is(err, ErrQuit) {
		t.Errorf("quit ends with %v", err)
	}
}

// Lines of scripts for ibsim may have tabs and remarks.
func TestTheConsoleTakesTabsAndRemarks(t *testing.T) {
	c, out, f := consoleOf(t, 2)
	s := f.Subnet()
	id := `"` + nodeID(&s.Nodes[0]) + `"`
	says(t, c, out, "Unlink\t"+id+"[1]  # the cable of host 0")
	if at := (subnet.End{Node: 0, Port: 1}); s.Peer(at).Exists() {
		t.Errorf("the cable is still there: %s", out)
	}
}

// Two nodes may have one name, or long names that are equal in the part that fits into a
// message.
func TestANodesOwnNameGoesBeforeDescriptions(t *testing.T) {
	s := chain(3)
	long := strings.Repeat("x", nodeIDSize)
	s.Nodes[0].Name, s.Nodes[2].ID = "leaf", "leaf"
	s.Nodes[3].Name, s.Nodes[4].Name = long+"a", long+"b"
	all := names(s)
	for name, want := range map[string]int32{"leaf": 2, long + "a": 3, long + "b": 4, long[:nodeIDSize-1]: 3} {
		if at, known := all[name]; !known || at.Node != want {
			t.Errorf("%s is node %d, want %d", name, at.Node, want)
		}
	}
}

// A console whose reader has stopped reading blocks only itself.
func TestAConsoleThatIsNotReadHoldsUpNobody(t *testing.T) {
	c, _, f := consoleOf(t, 1)
	c.server.clients[1] = &client{id: 1, at: subnet.End{Node: 1, Port: 1}}
	asked := false
	c.out = writer(func(p []byte) (int, error) {
		asked = c.server.mu.TryLock()
		if asked {
			c.server.mu.Unlock()
		}
		return len(p), nil
	})
	for _, line := range []string{"Attached", "Dump", "Route 1 2", "Help"} {
		asked = true
		if f.SetLID(subnet.End{Node: 1, Port: 1}, 1, 0); c.Do(t.Context(), line) != nil && line != "Route 1 2" || !asked {
			t.Errorf("%s is printed under the lock of the agents", line)
		}
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestFilesOfCommandsThatNameEachOtherEnd(t *testing.T) {
	c, out, _ := consoleOf(t, 1)
	c.read = func(string) ([]byte, error) { return []byte("!again\n"), nil }
	if text := says(t, c, out, "!first"); !strings.Contains(text, "files name each other") {
		t.Errorf("the console says %q", text)
	}
}

// The real tools show the counters and congestion control settings that the console and a
// manager wrote.
func TestTheRealToolsReadDetailsAndCongestionControl(t *testing.T) {
	b := serve(t, chain(2))
	c := NewConsole(b.server, &bytes.Buffer{}, os.ReadFile)
	s := b.subnet
	id := nodeID(&s.Nodes[1]) // an adapter, which asks itself: no tables are written here
	for i, line := range []string{
		`PerformanceSet "` + id + `"[1] PortXmitDiscardDetails.PortNeighborMTUDiscards=77`,
		`PerformanceSet "` + id + `"[1] PortVLXmitFlowCtlUpdateErrors.PortVLXmitFlowCtlUpdateErrors5=9`,
		`PerformanceSet "` + id + `"[1] PortVLXmitWaitCounters.PortVLXmitWaitCounters3 = 7`, // ibsim's name
		`Baselid "` + id + `"[1] 4`,
	} {
		if err := c.Do(context.Background(), line); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
	}
	for _, k := range []struct{ program, arguments, want string }{
		{"perfquery", "-D 4 1", "PortNeighborMTUDiscards:.........77"},
		{"perfquery", "--vlxmitflowctlerrors 4 1", "PortVLXmitFlowCtlUpdateErrors5:..3"}, // two bits
		{"ibccquery", "CongestionInfo 4", "ControlTableCap:.................2"},
		{"ibccquery", "CongestionLog 4", "LogType:.........................2"},
		{"perfquery", "--vlxmitcounters 4 1", "PortVLXmitWait3:.................7"},
		{"smpquery", "vlarb -D 0 1", "WEIGHT: |0x0 |0x4 |0x4"},
	} {
		if got := ibsimtest.Run(t, t.TempDir(), b.socket, id, k.program, strings.Fields(k.arguments)...); !strings.Contains(got, k.want) {
			t.Errorf("%s %s lacks %q:\n%s", k.program, k.arguments, k.want, got)
		}
	}
}

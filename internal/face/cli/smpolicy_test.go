package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/face/cli/exit"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

const qosConf = `qos TRUE
qos_max_vls 4
qos_high_limit 10
qos_vlarb_high 0:64,1:32,2:0
qos_vlarb_low 0:1,1:2,2:4,3:8
qos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3
qos_swe_max_vls 8
qos_swe_vlarb_high 0:8,1:8,2:8
qos_swe_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7
`

// partitionsOfHosts has a partition of each kind, for the ports of hosts and routers by their GUIDs.
func partitionsOfHosts(s *subnet.Subnet) string {
	var guids []string
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Kind != subnet.Switch && s.Nodes[i].Ports[p].Peer.Exists() {
				guids = append(guids, s.Nodes[i].Ports[p].GUID.String())
			}
		}
	}
	guids = slices.Repeat(guids, 8) // of two hosts, too
	return fmt.Sprintf(`Default=0x7fff, ipoib, defmember=limited : ALL_SWITCHES=full, SELF=full, ALL;
tenantA=0x0001, defmember=full : %s, %s, %s;
tenantB=0x8002, indx0, defmember=limited : %s, %s=full, %s;
storage=0x0003 : ALL_CAS=limited, %s=full;
`, guids[0], guids[1], guids[2], guids[3], guids[4], guids[5], guids[7])
}

// The same fabric twice: one managed by the real OpenSM, one by weft, with the
// same partitions.conf and the same QoS keys. Every port of every node ends with
// the same PortInfo and SwitchInfo, partition keys, lanes and arbitration.
func TestPartitionsAndQoSAreWrittenAsByOpenSM(t *testing.T) {
	t.Run("two levels", func(t *testing.T) {
		writtenAsByOpenSM(t, shuffled(t, topology.TwoLevel{Endpoints: 16, Radix: 8}))
	})
	for seed := range uint64(16) {
		t.Run(fmt.Sprintf("odd fabric %d", seed), func(t *testing.T) { writtenAsByOpenSM(t, routetest.Odd(seed)) })
	}
}

// wholeConf is keys of an opensm.conf besides those of quality of service.
const wholeConf = `routing_engine updn,minhop
root_guid_file (null)
lmc 1
sm_priority 3
subnet_timeout 17
packet_life_time 0x10
head_of_queue_lifetime 0x11
leaf_head_of_queue_lifetime 0x0f
vl_stall_count 0x03
leaf_vl_stall_count 0x02
max_op_vls 3
force_link_width 1
force_link_speed 3
force_link_speed_ext 3
part_enforce in
log_file /var/log/opensm.log
`

// The whole opensm.conf has the effect that it has with OpenSM.
func TestAWholeConfigurationIsTakenAsByOpenSM(t *testing.T) {
	for _, spec := range []topology.Spec{topology.TwoLevel{Endpoints: 16, Radix: 8}, topology.SingleSwitch{Endpoints: 8}} {
		dir := t.TempDir()
		s := shuffled(t, spec)
		net, hosts := netOf(t, dir, s)
		parts, conf := filepath.Join(dir, "partitions.conf"), filepath.Join(dir, "opensm.conf")
		for path, text := range map[string]string{parts: partitionsOfHosts(s), conf: qosConf + wholeConf + "partition_config_file " + parts + "\n"} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		compareWithOpenSM(t, dir, net, hosts[0], s, []string{"-F", conf}, []string{"--config", conf})
	}
}

// Flags come before the file, wrong values are refused with their lines, and keys without effect
// are told once.
func TestAConfigurationIsReadStrictly(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"a wrong number":        {"lmc 9\n", "opensm.conf:1: lmc: expected a number from 0 to 7"},
		"an unknown engine":     {"\nrouting_engine ftree,nonsense\n", `opensm.conf:2: routing_engine: "nonsense" is no routing engine of weft`},
		"no truth value":        {"reassign_lids maybe\n", "opensm.conf:1: reassign_lids: expected TRUE or FALSE"},
		"a file that is absent": {"root_guid_file absent\n", "absent"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "opensm.conf"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		out := &liveOutput{}
		e := environment([]string{"sm", "run", "--ibsim", "--socket", "nobody", "--config", "opensm.conf"})
		e.Dir, e.Stdout, e.Stderr = dir, out, out
		if code := Main(t.Context(), e); code != exit.BadInput || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", name, code, exit.BadInput, c.want, out)
		}
	}
	for name, c := range map[string]struct{ flag, text, want string }{
		"a key without effect":  {"--config", "use_mfttop FALSE\nlog_flags 0x03\nlmc 0\n", "opensm.conf:1: use_mfttop FALSE\n"},
		"a key of another kind": {"--qos", "qos TRUE\nrouting_engine ftree\n", "opensm.conf:2: routing_engine ftree\n"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "opensm.conf"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		out := &liveOutput{}
		e := environment([]string{"sm", "run", "--ibsim", "--socket", "nobody", c.flag, "opensm.conf"})
		e.Dir, e.Stdout, e.Stderr = dir, out, out
		if code := Main(t.Context(), e); code != exit.Failed || strings.Count(out.String(), c.want) != 1 || strings.Count(out.String(), "opensm.conf:") != 1 {
			t.Errorf("%s: exit code %d, want %d and once %q:\n%s", name, code, exit.Failed, c.want, out)
		}
	}
}

func writtenAsByOpenSM(t *testing.T, s *subnet.Subnet) {
	t.Helper()
	dir := t.TempDir()
	net, hosts := netOf(t, dir, s)
	parts, qos := filepath.Join(dir, "partitions.conf"), filepath.Join(dir, "qos.conf")
	for path, text := range map[string]string{parts: partitionsOfHosts(s), qos: qosConf} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compareWithOpenSM(t, dir, net, hosts[0], s, []string{"-Q", "-P", parts, "-F", qos}, []string{"--partitions", parts, "--qos", qos})
}

// compareWithOpenSM manages a fabric with the real OpenSM and its twin with weft, and compares all
// ports.
func compareWithOpenSM(t *testing.T, dir, net, host string, s *subnet.Subnet, theirArgs, ourArgs []string) {
	t.Helper()
	theirs, ours := realIbsim(t, net), realIbsim(t, net)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	opensm := ibsimtest.Command(ctx, t, dir, theirs, host, "opensm", append(theirArgs, "-o", "-r", "-f", filepath.Join(dir, "osm.log"))...)
	if out, err := opensm.CombinedOutput(); err != nil {
		t.Fatalf("opensm: %v\n%s", err, out)
	}
	out := running(t, dir, append([]string{"sm", "run", "--ibsim", "--socket", ours, "--host", host, "--once"}, ourArgs...)...)
	ibsimtest.WaitFor(t, "subnet up", func() bool { return strings.Contains(out.String(), "subnet up") })
	if strings.Contains(out.String(), "without effect") {
		t.Errorf("keys are not taken:\n%s", out)
	}

	want, got := portTables(t, theirs, host, s), portTables(t, ours, host, s)
	for i := range want {
		ours, theirs := strings.Fields(got[i]), strings.Fields(want[i])
		for k := range theirs { // both lines have the same fields
			if ours[k] != theirs[k] {
				t.Errorf("%s: OpenSM %s, weft %s", strings.Join(theirs[:4], " "), theirs[k], ours[k])
			}
		}
	}
	if !slices.ContainsFunc(want, func(line string) bool { return strings.Contains(line, "8001") }) {
		t.Error("no port is a full member of partition 1: the comparison covers no partition")
	}
}

// portTables are the tables of all ports of a fabric, a line each, read from a
// host.
func portTables(t *testing.T, socket, host string, s *subnet.Subnet) []string {
	t.Helper()
	c, err := ibsim.Dial(socket, host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := reader{t: t, c: c}
	var lines []string
	origin := int32(slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return "H-"+n.GUID.Digits() == host }))
	paths := pathsFrom(s, origin)
	for n := range s.Nodes {
		node := &s.Nodes[n]
		for p := range node.Ports {
			if p == 0 && node.Kind != subnet.Switch || p > 0 && !node.Ports[p].Peer.Exists() {
				continue
			}
			at, inPort, agent := uint32(p), uint32(p)<<16, subnet.End{Node: int32(n)}
			if node.Kind != subnet.Switch {
				inPort, agent.Port = 0, uint16(p)
			}
			path := paths[agent]
			var info mad.PortInfo
			_ = mad.Parse(r.get(path, mad.AttrPortInfo, at), &info)
			info.CapabilityMask &^= mad.CapIsSM // weft's manager is still there
			line := fmt.Sprintf("%s port %d: %+v keys %x", node.Name, p, info, r.get(path, mad.AttrPKeyTable, inPort)[:16])
			if p == 0 {
				var sw mad.SwitchInfo
				_ = mad.Parse(r.get(path, mad.AttrSwitchInfo, 0), &sw)
				sw.PortStateChange = false // OpenSM, which has ended, may have left it
				line += fmt.Sprintf(" %+v", sw)
			}
			if p > 0 {
				line += fmt.Sprintf(" low %x high %x", r.get(path, mad.AttrVLArb, 1<<16|at)[:16], r.get(path, mad.AttrVLArb, 3<<16|at)[:16])
				sl := uint32(0)
				if node.Kind == subnet.Switch {
					sl = at<<8 | at // weft writes no lanes from ports without a cable
				}
				line += fmt.Sprintf(" lanes of levels %x", r.get(path, mad.AttrSLToVL, sl)[:8])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// pathsFrom are directed routes from an adapter's first port to all agents: port 0 of each switch, and
// each port of other nodes.
func pathsFrom(s *subnet.Subnet, origin int32) map[subnet.End][]uint8 {
	first := subnet.End{Node: origin, Port: 1}
	paths := map[subnet.End][]uint8{first: {}}
	for queue := []subnet.End{first}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for p := range s.Nodes[at.Node].Ports {
			peer := s.Nodes[at.Node].Ports[p].Peer
			if !peer.Exists() || s.Nodes[at.Node].Kind != subnet.Switch && (subnet.End{Node: at.Node, Port: uint16(p)}) != first {
				continue
			}
			if s.Nodes[peer.Node].Kind == subnet.Switch {
				peer.Port = 0
			}
			if _, met := paths[peer]; !met {
				paths[peer] = slices.Concat(paths[at], []uint8{uint8(p)})
				queue = append(queue, peer)
			}
		}
	}
	return paths
}

// reader reads attributes from a simulator.
type reader struct {
	t   *testing.T
	c   *ibsim.Client
	tid uint64
}

func (r *reader) get(path []uint8, attr mad.Attribute, modifier uint32) []byte {
	r.t.Helper()
	r.tid++
	if err := r.c.Send(&ibsim.Datagram{DLID: units.PermissiveLID, SLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, attr, modifier, r.tid, path)}); err != nil {
		r.t.Fatal(err)
	}
	_ = r.c.SetReceiveDeadline(time.Now().Add(10 * time.Second))
	d, err := r.c.Receive()
	if err != nil || d.TimedOut || d.MAD.Status() != mad.OK || d.MAD.TID()&0xFFFF_FFFF != r.tid {
		r.t.Fatalf("attribute %#x of %v: %v, %+v", uint16(attr), path, err, d)
	}
	return d.MAD.SMPData()
}

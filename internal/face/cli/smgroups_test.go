package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/test/ibsimtest"
)

// groupFiles are partitions with multicast groups. A, B and C are port GUIDs of hosts; the groups are
// read from B.
var groupFiles = map[string]string{
	"the default partition":      "Default=0x7fff, ipoib : ALL=full ;",
	"no group":                   "Default=0x7fff : ALL=full ;",
	"rate and MTU":               "Default=0x7fff, ipoib, rate=7, mtu=5 : ALL=full ;\nt=0x2, ipoib, rate=16, mtu=5, sl=3 : B=full, C=full ;",
	"a partition of others":      "Default=0x7fff, ipoib : ALL=full ;\nt=0x2, ipoib : C=full ;\nu=0x3, ipoib : B=limited ;",
	"a partition without a port": "gone=0x9, ipoib : 0x99=full ;\nDefault=0x7fff, ipoib : ALL=full ;",
	"keys and labels":            "Default=0x7fff, ipoib, Q_Key=0x1234, TClass=7, FlowLabel=99 : ALL=full ;",
	"groups by address": `Default=0x7fff, ipoib, scope=5, rate=6 : ALL=full, mgid=ff12:401b::16,rate=6,TClass=3
 mgid=ff12:401b::17,rate=5
 mgid=ff12:401b:1234::18
 mgid=ff15:dead::1,sl=2,Q_Key=0x77,mtu=3,scope=8 ;`,
	"no key, and one name twice": "auto, ipoib, mtu=5 : ALL=full ;\nother, ipoib : B=full ;\nauto, rate=7 : C=limited ;",
	"both memberships":           "x=0x8010, ipoib : B=both, ALL=limited, mgid=ff18::5,scope=8 ;",
}

// The groups that a host sees are those of OpenSM: saquery reads every one by its multicast LID,
// and the list.
func TestMulticastGroupsOfPartitionsAreThoseOfOpenSM(t *testing.T) {
	for name, text := range groupFiles {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := shuffled(t, topology.SingleSwitch{Endpoints: 4})
			net, hosts := netOf(t, dir, s)
			for i, letter := range []string{"A", "B", "C"} {
				text = strings.ReplaceAll(text, letter+"=", s.Nodes[i].Ports[1].GUID.String()+"=")
			}
			file := filepath.Join(dir, "partitions.conf")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			theirs, ours := twinOf(t, dir, net), twinOf(t, dir, net)
			managedByOpenSM(t, dir, theirs, hosts[3], "-P", file)
			out := running(t, dir, "sm", "run", "--ibsim", "--socket", ours, "--host", hosts[3], "--partitions", file)
			ibsimtest.WaitFor(t, "subnet up", func() bool { return strings.Contains(out.String(), "subnet up") })
			for _, args := range [][]string{{"-g"}, {"--smkey", "1", "-g"}, {"--mlid", "0xc000", "MCMR"}, {"--mlid", "0xc001", "MCMR"}, {"--mlid", "0xc002", "MCMR"}, {"--mlid", "0xc003", "MCMR"}} {
				want := ibsimtest.Run(t, dir, theirs, hosts[1], "saquery", args...)
				got := ibsimtest.Run(t, dir, ours, hosts[1], "saquery", args...)
				if got != want {
					t.Errorf("saquery %s, OpenSM:\n%s\nweft:\n%s", strings.Join(args, " "), want, got)
				}
			}
		})
	}
}

// twinOf serves a net by weft ibsim until the test ends.
func twinOf(t *testing.T, dir, net string) (socket string) {
	t.Helper()
	socket = ibsimtest.SocketName()
	out := running(t, dir, "ibsim", net, "--socket", socket)
	ibsimtest.WaitFor(t, "weft ibsim", func() bool { return strings.Contains(out.String(), "ready") })
	return socket
}

// managedByOpenSM runs the real OpenSM until the test ends, and waits until its subnet is up.
func managedByOpenSM(t *testing.T, dir, socket, host string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := filepath.Join(dir, "osm.log")
	c := ibsimtest.Command(ctx, t, dir, socket, host, "opensm", append([]string{"-r", "-s", "0", "-D", "0x43", "-d", "2", "-f", log}, args...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = c.Wait() // killed
	})
	ibsimtest.WaitFor(t, "OpenSM's SUBNET UP", func() bool {
		text, _ := os.ReadFile(log) // not there yet at first
		return strings.Contains(string(text), "SUBNET UP")
	})
}

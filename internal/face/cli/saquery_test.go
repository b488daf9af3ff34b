package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/ibsim"
	"weft/internal/test/ibsimtest"
	"weft/wire/mad"
)

// The same fabric twice, one managed by the real OpenSM and one by weft: saquery gets
// the same answers about tables, keys, lanes and managers. With partitions OpenSM
// answers no query about switches.
func TestSaqueryGetsTheSameAnswersAsFromOpenSM(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  bool
		queries []string // of LEAF and HOST
	}{
		{"plain", false, []string{"SWIR LEAF", "LFTR LEAF/0", "GIR HOST/0", "GIR LEAF/0", "SMIR", "IIR", "LR LEAF", "NR HOST"}},
		{"partitions and QoS", true, []string{"SL2VL HOST", "VLAR HOST/1/1", "VLAR HOST/1/3", "--smkey 1 PKTR HOST/1/0", "SMIR"}},
	} {
		t.Run(c.name, func(t *testing.T) { askBoth(t, c.policy, c.queries) })
	}
}

func askBoth(t *testing.T, policy bool, queries []string) {
	dir := t.TempDir()
	s := shuffled(t, topology.TwoLevel{Endpoints: 16, Radix: 8})
	net, hosts := netOf(t, dir, s)
	parts, qos := filepath.Join(dir, "partitions.conf"), filepath.Join(dir, "qos.conf")
	for path, text := range map[string]string{parts: partitionsOfHosts(s), qos: qosConf} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	theirs, ours := realIbsim(t, net), realIbsim(t, net)
	log := filepath.Join(dir, "osm.log")
	asTheirs := []string{"-r", "-s", "0", "-D", "0x43", "-d", "2", "-f", log}
	asOurs := []string{"sm", "run", "--ibsim", "--socket", ours, "--host", hosts[0], "--engine", "minhop"}
	if policy {
		asTheirs = append(asTheirs, "-Q", "-P", parts, "-F", qos)
		asOurs = append(asOurs, "--partitions", parts, "--qos", qos)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opensm := ibsimtest.Command(ctx, t, dir, theirs, hosts[0], "opensm", asTheirs...)
	if err := opensm.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = opensm.Wait()
	})
	ibsimtest.WaitFor(t, "SUBNET UP by OpenSM", func() bool {
		text, err := os.ReadFile(log)
		return err == nil && strings.Contains(string(text), "SUBNET UP")
	})
	out := running(t, dir, asOurs...)
	ibsimtest.WaitFor(t, "subnet up", func() bool { return strings.Contains(out.String(), "subnet up") })

	leaf, host := lidsOf(t, theirs, hosts[0])
	for _, query := range queries {
		query = strings.NewReplacer("LEAF", leaf, "HOST", host).Replace(query)
		want, got := saquery(t, dir, theirs, hosts[0], query), saquery(t, dir, ours, hosts[0], query)
		if got != want {
			t.Errorf("saquery %s: OpenSM says\n%s\nweft says\n%s", query, want, got)
		}
		if query != "IIR" && !strings.Contains(want, "dump:") {
			t.Errorf("saquery %s: OpenSM has no record to compare: %s", query, want)
		}
	}
}

// saquery is the output of saquery without the manager's activity count and key, without
// MulticastFDBTop, which not every manager writes, and without warnings of the simulator's library.
func saquery(t *testing.T, dir, socket, host, query string) string {
	t.Helper()
	var kept []string
	for line := range strings.Lines(ibsimtest.Run(t, dir, socket, host, "saquery", strings.Fields(query)...)) {
		if !strings.Contains(line, "ActCount") && !strings.Contains(line, "SM_Key") && !strings.Contains(line, "ibwarn") && !strings.Contains(line, "MulticastFDBTop") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// lidsOf are the LIDs of a host and of its switch.
func lidsOf(t *testing.T, socket, host string) (leaf, own string) {
	t.Helper()
	c, err := ibsim.Dial(socket, host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := reader{t: t, c: c}
	lid := func(path []uint8, port uint32) string {
		var info mad.PortInfo
		_ = mad.Parse(r.get(path, mad.AttrPortInfo, port), &info)
		return fmt.Sprint(info.LID)
	}
	return lid([]uint8{1}, 0), lid([]uint8{}, 1)
}

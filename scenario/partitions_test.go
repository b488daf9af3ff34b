package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/internal/ib/partition"
	"weft/internal/ib/qos"
)

// withFile resolves a scenario of four nodes with two NICs each and a file beside it.
func withFile(t *testing.T, field, content string) (*Resolved, error) {
	t.Helper()
	dir := t.TempDir()
	text := "cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: single-switch}\nfabrics: [{preset: infiniband-ndr, ib: {" + field + ": f.conf}}]\nworkload: {pattern: permutation}\n"
	for name, content := range map[string]string{"f.conf": content, "s.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(filepath.Join(dir, "s.yaml"))
	if err != nil {
		return nil, err
	}
	return f.Resolve()
}

// The file names the GUIDs of the cluster's NICs, 0x10 apart. The resolved scenario prints
// without the file, resolves to itself, and gives each port the same keys as the file does.
func TestAPartitionsConfBecomesPartitionsOfTheScenario(t *testing.T) {
	const file = `
Default=0x7fff, ipoib : ALL_SWITCHES=full, ALL=limited, SELF=full;
a=0x8001, defmember=full : 0x0200574500100001, 0x0200574500100011, 0x0200574500100021=limited;
b=0x2, indx0 : ALL_CAS, 0x0200574500100071=both, 0x0200574500100061=full;
`
	r, err := withFile(t, "partitions-conf", file)
	if err != nil {
		t.Fatal(err)
	}
	ib := &r.Fabrics[0].IB
	if ib.PartitionsConf != "" || ib.PartitionEnforcement != EnforceBoth {
		t.Errorf("the file is still named (%q), keys are checked %s", ib.PartitionsConf, ib.PartitionEnforcement)
	}
	const want = "[[2 8001 ffff] [2 8001 7fff] [2 1 7fff] [2 7fff] [2 7fff] [2 7fff] [8002 7fff] [2 8002 7fff]]"
	got := keys(t, r, 8)
	if got != want {
		t.Errorf("tables %s, want %s", got, want)
	}
	text, _ := r.MarshalYAML()
	f, err := Decode("printed.yaml", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	again, err := f.Resolve()
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("%v: printed and read again it is another scenario:\n%s", err, text)
	}
	// Written and read again, the file gives the same tables.
	var b bytes.Buffer
	if err := partition.Write(&b, PartitionsConf(r, &r.Fabrics[0])); err != nil {
		t.Fatal(err)
	}
	second, err := withFile(t, "partitions-conf", b.String())
	if err != nil || keys(t, second, 8) != want {
		t.Errorf("%v: the file that weft writes gives other tables:\n%s", err, b.String())
	}
}

// The name of a member overrides all, whichever list it is in.
func TestANameOverridesAll(t *testing.T) {
	for text, want := range map[string]string{
		"{key: 0x7fff, limited: all, full: manager}":            "[[ffff] [7fff] [7fff] [7fff]]",
		"{key: 0x7fff, full: all, limited: \"node[1-2]\"}":      "[[ffff] [7fff] [7fff] [ffff]]",
		"{key: 0x7fff, limited: [all, node1], full: [node1]}":   "[[7fff] [ffff 7fff] [7fff] [7fff]]",
		"{key: 3, index0: true, full: node0, limited: [node3]}": "[[8003 ffff] [7fff] [7fff] [3 7fff]]",
	} {
		f, err := Decode("t.yaml", []byte("cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: single-switch}\nfabrics: [{preset: infiniband-ndr, ib: {partitions: ["+text+"]}}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if got := keys(t, r, 4); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The scenario's values come before the QoS keys of a file, which are folded to the lanes
// of the fabric.
func TestAnOpenSMConfGivesLanesAndWeights(t *testing.T) {
	r, err := withFile(t, "vls: 5, high-limit: 7, opensm-conf", "qos TRUE\nqos_max_vls 8\nqos_high_limit 3\nqos_swe_max_vls 5\nqos_vlarb_high 5:64,1:0\nqos_vlarb_low 0:1,2:3\nqos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n")
	if err != nil {
		t.Fatal(err)
	}
	ib := &r.Fabrics[0].IB
	if ib.VLs != 5 || ib.HighLimit != 7 {
		t.Errorf("%d lanes and a limit of %d; want the scenario's 5 and 7", ib.VLs, ib.HighLimit)
	}
	// Of five lanes OperationalVLs can give four. 15 stays: it discards.
	if got, want := fmt.Sprint(ib.SL2VL, ib.VLArbHigh, ib.VLArbLow), "[0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 15] [{1 64}] [{0 1} {2 3}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A fabric's lanes, written as an opensm.conf and read again, are the same. An empty table
// stays empty; a missing key would be OpenSM's default.
func TestQoSKeysSurviveAFile(t *testing.T) {
	for _, keys := range []string{
		"qos TRUE\nqos_high_limit 3\nqos_vlarb_high 3:64,1:255\nqos_vlarb_low 0:1,2:3\nqos_sl2vl 0,1,2,3,0,1,2,3,3,2,1,0,15,1,2,15\n",
		"qos TRUE\nqos_high_limit 255\nqos_vlarb_high 2:0\nqos_vlarb_low 0:7\nqos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
	} {
		first, err := withFile(t, "vls: 4, opensm-conf", keys)
		if err != nil {
			t.Fatal(err)
		}
		var file strings.Builder
		if err := qos.Write(&file, QoSConf(&first.Fabrics[0])); err != nil {
			t.Fatal(err)
		}
		second, err := withFile(t, "vls: 4, opensm-conf", file.String())
		if err != nil {
			t.Fatal(err)
		}
		of := func(r *Resolved) string {
			ib := &r.Fabrics[0].IB
			return fmt.Sprint(ib.SL2VL, ib.VLArbHigh, ib.VLArbLow, ib.HighLimit)
		}
		if of(first) != of(second) {
			t.Errorf("%s: %s, want %s", file.String(), of(second), of(first))
		}
	}
}

func TestAPolicyBecomesServiceLevels(t *testing.T) {
	const policy = `
port-groups
  port-group
    name: Storage
    port-guid: 0x0200574500100061-0x0200574500100080
    port-name: "node0/nic1/P1", "other/P1"
  end-port-group
  port-group
    name: Elsewhere
    port-guid: 0x1
    node-type: SWITCH
  end-port-group
end-port-groups
qos-levels
  qos-level
    name: DEFAULT
    sl: 1
  end-qos-level
  qos-level
    name: Fast
    sl: 3
    mtu-limit: 4
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    service-id: 0x1-0x9
    qos-level-name: Fast
  end-qos-match-rule
  qos-match-rule
    source: Elsewhere
    qos-level-name: Fast
  end-qos-match-rule
  qos-match-rule
    source: Storage
    destination: Storage
    qos-level-name: Fast
  end-qos-match-rule
end-qos-match-rules
qos-ulps
  sdp : 2
  ipoib : 2
  any, target-port-guid 0x0200574500100011 : 2
end-qos-ulps
`
	r, err := withFile(t, "qos-policy", policy)
	if err != nil {
		t.Fatal(err)
	}
	f := &r.Fabrics[0]
	named := r.PatternNICs(f, 0)
	for _, c := range []struct {
		from, to int
		key      PKey
		want     int
	}{
		{6, 7, 5, 3},      // both are in Storage, by GUID
		{1, 6, 5, 3},      // by name
		{0, 6, 5, 1},      // the source is not in it
		{0, 2, 0x7fff, 2}, // the default partition's IPoIB
		{6, 1, 5, 3},      // the first rule that fits, not the target of qos-ulps
		{0, 1, 5, 2},      // the target
		{3, 4, 5, 1},      // the default level
	} {
		if got := f.SLOf(c.from, c.to, c.key, named); got != c.want {
			t.Errorf("from NIC %d to %d in %s: service level %d, want %d", c.from, c.to, c.key.Exact(), got, c.want)
		}
	}
	if f.IB.SL != 1 || f.IB.AckSL != 1 {
		t.Errorf("the default level is %d, of acknowledgements %d; want 1", f.IB.SL, f.IB.AckSL)
	}
}

func TestFilesThatDoNotFitAreReportedWithTheirLines(t *testing.T) {
	for _, c := range []struct{ field, file, want string }{
		{"partitions-conf", "a=0x1 : 0x99=full ;", "line 1: the cluster has no port with the GUID 0x0000000000000099"},
		{"partitions-conf", "\na : ALL=full ;", "line 2: the rule \"a\" leaves its P_Key to OpenSM"},
		{"partitions-conf", "a=0x1 : ALL=ful ;", "f.conf:1: expected full, limited or both"},
		{"opensm-conf", "qos FALSE\n", "says qos FALSE"},
		{"opensm-conf", "qos TRUE\nqos_max_vls 99\n", "f.conf:2: "},
		{"opensm-conf", "qos TRUE\nqos_sl2vl 15,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n", "service level 0 goes to VL 15, which discards, and the workload uses it"},
		{"opensm-conf", "qos TRUE\nqos_ca_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\nqos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "in one way at adapters and in another at switches"},
		{"qos-policy", "qos-levels\nqos-level\nname: x\nend-qos-level\nend-qos-levels\n", "no qos-level named DEFAULT"},
	} {
		_, err := withFile(t, c.field, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "s.yaml:3:") {
			t.Errorf("%s of %q: %v\nwant it at s.yaml:3 with %q", c.field, c.file, err, c.want)
		}
	}
	for _, name := range []string{"no-such-file", "/", "/dev/zero"} {
		_, err := Decode("stdin", []byte("fabrics: [{preset: infiniband-ndr, ib: {opensm-conf: "+name+"}}]\n"))
		if err == nil || !strings.Contains(err.Error(), name+" cannot be read: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheNamesOfAFileAreBounded(t *testing.T) {
	text := "isolation: {devices: [{name: s, kind: switch}], cables: [" + strings.Repeat("{from: s, to: \"node[0-65534]/bmc\"}, ", 20) + "]}\n"
	if _, err := Decode("t.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "more than 1048576 names") {
		t.Errorf("20 patterns of 65535 names: %v", err)
	}
}

func TestPatternsOfNames(t *testing.T) {
	for pattern, want := range map[string]string{
		"node3":                "[node3]",
		"node[0-2,7]":          "[node0 node1 node2 node7]",
		"node[0-1]/nic[4-5]":   "[node0/nic4 node0/nic5 node1/nic4 node1/nic5]",
		"leaf-r[0-1]-su0/mgmt": "[leaf-r0-su0/mgmt leaf-r1-su0/mgmt]",
	} {
		if got, err := expand(pattern); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s is %v (%v), want %s", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"", "node[", "node]", "node[]", "node[3-1]", "node[a]", "node[0-9999999999]", "node[0-65535]/nic[0-7]", "[0-1][", "x[1]]"} {
		if got, err := expand(pattern); err == nil {
			t.Errorf("%q is read as %d names", pattern, len(got))
		}
	}
}

// keys are the tables of the first fabric, with the manager at the first NIC.
func keys(t *testing.T, r *Resolved, nics int) string {
	t.Helper()
	tables, err := r.PKeyTables(&r.Fabrics[0], nics, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", tables)
}

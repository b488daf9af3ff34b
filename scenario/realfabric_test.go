package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/units"
)

// realSubnet is two leaves and a spine with port 7 of leaf2 free: hosts gpu2, gpu10 and gpu1 with two adapters each on
// leaf1 and leaf2, a storage host with one on the spine. GUIDs are 0x1000 and more, LIDs are the order of the nodes.
func realSubnet(t *testing.T, folder string) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	add := func(kind subnet.Kind, name string, ports int) int32 {
		i := s.Add(subnet.Node{Kind: kind, Name: name, GUID: units.GUID(0x1000 + 16*len(s.Nodes))}, ports)
		n := &s.Nodes[i]
		base := 1
		if kind == subnet.Switch {
			base = 0
		}
		n.Ports[base].GUID, n.Ports[base].LID = n.GUID+1-units.GUID(1-base), units.LID(i+1)
		return i
	}
	link := subnet.Link{Width: 4, Speed: subnet.HDR}
	spine := add(subnet.Switch, "MF0;spine1:MQM8700/U1", 8)
	leaves := []int32{add(subnet.Switch, "leaf1", 8), add(subnet.Switch, "leaf2", 8)}
	for i, leaf := range leaves {
		for k := range 2 {
			s.Connect(subnet.End{Node: leaf, Port: uint16(8 - k)}, subnet.End{Node: spine, Port: uint16(1 + 2*i + k)}, link)
		}
	}
	for h, host := range []string{"gpu2", "gpu10", "gpu1"} {
		for k, leaf := range leaves {
			nic := add(subnet.Adapter, fmt.Sprintf("%s mlx5_%d", host, k), 1)
			s.Connect(subnet.End{Node: nic, Port: 1}, subnet.End{Node: leaf, Port: uint16(h + 1)}, link)
		}
	}
	storage := add(subnet.Adapter, "storage mlx5_0", 1)
	s.Connect(subnet.End{Node: storage, Port: 1}, subnet.End{Node: spine, Port: 8}, subnet.Link{Width: 4, Speed: subnet.EDR})
	var text strings.Builder
	if err := format.WriteTopo(&text, s); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "real.topo", text.String())
	return s
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const realText = `
cluster: {node: {preset: dgx-h100, gpus: 2, nics: 2}%s}
topology: {file: real.topo}
fabric: %s
`

func resolveReal(t *testing.T, folder, cluster, fabric string) (*File, *Resolved, error) {
	t.Helper()
	f, err := DecodeIn(folder, "test.yaml", fmt.Appendf(nil, realText, cluster, fabric))
	if err != nil {
		return nil, nil, err
	}
	r, err := f.Resolve()
	return f, r, err
}

// TestARealFabricHasItsHostsInTheOrderOfTheirNumbers: gpu2 before gpu10, the storage host beside them without load, ports,
// LIDs and the slower cable as they are.
func TestARealFabricHasItsHostsInTheOrderOfTheirNumbers(t *testing.T) {
	folder := t.TempDir()
	realSubnet(t, folder)
	f, r, err := resolveReal(t, folder, "", "infiniband-hdr")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Cluster.Hosts, []string{"gpu1", "gpu2", "gpu10"}; !slices.Equal(got, want) || r.Cluster.Nodes != 3 {
		t.Errorf("%d nodes: %q, want %q", r.Cluster.Nodes, got, want)
	}
	top := &r.Fabrics[0].Topology
	if top.Shape != Listed || top.Others != 1 || len(top.Devices) != 6+1+3 || top.File != "" {
		t.Fatalf("shape %s, %d others, %d devices, file %q", top.Shape, top.Others, len(top.Devices), top.File)
	}
	first := top.Devices[0]
	if first.Name != "gpu1/mlx5_0" || first.LID != 8 || first.GUID != 0x1000+16*7 || first.Port != first.GUID+1 {
		t.Errorf("the first NIC is %+v", first)
	}
	if spine := top.Devices[7]; spine.Name != "MF0;spine1:MQM8700/U1" || spine.Ports != 8 {
		t.Errorf("the spine is %+v", spine)
	}
	slow := 0
	for _, l := range top.Links {
		if l.Rate != 0 {
			slow++
			if l.Rate != 100*units.Gbps || !slices.Equal(l.Ports, []int{8, 1}) && !slices.Equal(l.Ports, []int{1, 8}) {
				t.Errorf("a cable of another rate: %+v", l)
			}
		}
	}
	if slow != 1 {
		t.Errorf("%d cables with a rate of their own, want the storage host's", slow)
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "1 host has 1 port with a cable") {
		t.Errorf("the notes do not say that the storage host is no node: %q", notes)
	}
}

// TestTheSiteSaysWhichHostIsWhichNode: by a list, by a pattern, by a file of hosts; and which adapter is which NIC.
func TestTheSiteSaysWhichHostIsWhichNode(t *testing.T) {
	folder := t.TempDir()
	realSubnet(t, folder)
	write(t, folder, "hosts.txt", "# by rack\ngpu10 slots=2\ngpu2:2\n\n")
	write(t, folder, "topology.conf", "# racks\nSwitchName=s0 Switches=s[1-2]\nSwitchName=s1 Nodes=gpu[10],gpu[1-2]\n")
	write(t, folder, "slurm.conf", "ClusterName=x\nNodeName=DEFAULT CPUs=4\nNodeName=gpu[1,10] CPUs=8\nPartitionName=all Nodes=gpu[1-10]\n")
	write(t, folder, "none.conf", "SwitchName=s0 Switches=s[1-2]\n")
	for cluster, want := range map[string]string{
		`, hosts: "@topology.conf"`:                    "gpu10/mlx5_0 gpu10/mlx5_1 gpu1/mlx5_0 gpu1/mlx5_1 gpu2/mlx5_0 gpu2/mlx5_1",
		`, hosts: "@slurm.conf"`:                       "gpu1/mlx5_0 gpu1/mlx5_1 gpu10/mlx5_0 gpu10/mlx5_1",
		`, hosts: "@none.conf"`:                        "error: none.conf names no host: want one name a line, or NodeName=… or Nodes=… of Slurm",
		", hosts: [gpu10, gpu1]":                       "gpu10/mlx5_0 gpu10/mlx5_1 gpu1/mlx5_0 gpu1/mlx5_1",
		`, hosts: "gpu[1-2]"`:                          "gpu1/mlx5_0 gpu1/mlx5_1 gpu2/mlx5_0 gpu2/mlx5_1",
		`, hosts: "@hosts.txt"`:                        "gpu10/mlx5_0 gpu10/mlx5_1 gpu2/mlx5_0 gpu2/mlx5_1",
		", hosts: [gpu2], adapters: [mlx5_1, mlx5_0]":  "gpu2/mlx5_1 gpu2/mlx5_0",
		`, nodes: 1, adapters: ["mlx5_[0-1]"]`:         "gpu1/mlx5_0 gpu1/mlx5_1",
		`, hosts: ["gpu[01-02]", gpu10], adapters: []`: "error: there is no host \"gpu01\"",
		", hosts: [gpu7]":                              "error: there is no host \"gpu7\" with a cable to a switch: the first are gpu1, gpu2, gpu10, storage",
		", hosts: [gpu1, gpu1]":                        "error: host \"gpu1\" is named twice",
		", hosts: [gpu1, storage]":                     "error: write cluster.adapters with the names that all nodes have, or leave the one that is no node out of cluster.hosts",
		", hosts: [gpu1], adapters: [mlx5_7, mlx5_0]":  "error: host gpu1 has no port mlx5_7 with a cable: it has mlx5_0, mlx5_1",
		", adapters: [mlx5_0]":                         "error: a node of the cluster has 2 NICs",
		", nodes: 4":                                   "error: a cluster of 4 nodes, and the fabric has 3 of a kind",
		`, hosts: "@none.txt"`:                         "error: none.txt cannot be read",
	} {
		_, r, err := resolveReal(t, folder, cluster, "infiniband-hdr")
		if text, wantsError := strings.CutPrefix(want, "error: "); wantsError {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", cluster, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", cluster, err)
			continue
		}
		var names []string
		for _, d := range r.Fabrics[0].Topology.Devices[:r.Cluster.Endpoints()] {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: the NICs are %s, want %s", cluster, got, want)
		}
	}
}

// TestPartitionsOfARealFabricHaveItsGUIDs: members are found by the GUIDs of the file, those of other hosts send no data,
// and one that the fabric lacks is told.
func TestPartitionsOfARealFabricHaveItsGUIDs(t *testing.T) {
	folder := t.TempDir()
	s := realSubnet(t, folder)
	guid := func(name string) units.GUID {
		i := slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return n.Name == name })
		return s.Nodes[i].Ports[1].GUID
	}
	write(t, folder, "partitions.conf", fmt.Sprintf("Default=0x7fff: ALL=full;\ntenant=0x1: %v=full, %v=limited, %v, 0x99;\n",
		guid("gpu2 mlx5_1"), guid("gpu10 mlx5_0"), guid("storage mlx5_0")))
	f, r, err := resolveReal(t, folder, "", "{preset: infiniband-hdr, ib: {partitions-conf: partitions.conf}}")
	if err != nil {
		t.Fatal(err)
	}
	var tenant *Partition
	for i := range r.Fabrics[0].IB.Partitions {
		if p := &r.Fabrics[0].IB.Partitions[i]; p.Name == "tenant" && len(p.Full) > 0 {
			tenant = p
		}
	}
	if tenant == nil || !slices.Equal(tenant.Full, []string{"gpu2/mlx5_1"}) {
		t.Fatalf("the partitions are %+v", r.Fabrics[0].IB.Partitions)
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "no port with the GUID 0x0000000000000099") {
		t.Errorf("the notes do not name the member that the fabric lacks: %q", notes)
	}
	tables, err := r.PKeyTables(&r.Fabrics[0], r.Cluster.Endpoints()+1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for nic, want := range map[int]bool{3: true, 4: true, 0: false} { // gpu2/mlx5_1, gpu10/mlx5_0, gpu1/mlx5_0
		has := slices.ContainsFunc(tables[nic], func(key uint16) bool { return key&0x7fff == 1 })
		if has != want {
			t.Errorf("NIC %d: key 1 in its table is %t, want %t: %x", nic, has, want, tables[nic])
		}
	}
}

// TestNamesOfTheSiteAreNamesOfNICs: a fault and a limit may name a host as the site does.
func TestNamesOfTheSiteAreNamesOfNICs(t *testing.T) {
	c := Cluster{Nodes: 2, Hosts: []string{"gpu1", "gpu10"}, Adapters: []string{"mlx5_0", "mlx5_1"}, Node: Node{NICs: 2}}
	for name, want := range map[string][]int{"gpu10": {2, 3}, "gpu10/mlx5_1": {3}, "node0/mlx5_1": {1}, "gpu1/nic1": {1}, "gpu2": nil, "gpu1/mlx5_2": nil} {
		got, err := c.NICs(name)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", name, got, err, want)
		}
	}
}

// TestASitesNamesAreItsOwn: node2 is the second host here, and would be weft's third; a name with brackets is a name.
func TestASitesNamesAreItsOwn(t *testing.T) {
	c := Cluster{Nodes: 3, Hosts: []string{"node1", "node2", "node3"}, Adapters: []string{"nic1", "nic0"}, Node: Node{NICs: 2}}
	for name, want := range map[string][]int{"node2": {2, 3}, "node3/nic1": {4}, "node3/nic0": {5}, "node0": {0, 1}} {
		if got, err := c.NICs(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", name, got, err, want)
		}
	}
	if got := c.nicName(2); got != "node2/nic1" {
		t.Errorf("NIC 2 is called %s", got)
	}
	folder := t.TempDir()
	realSubnet(t, folder)
	text, err := os.ReadFile(filepath.Join(folder, "real.topo"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "real.topo", strings.ReplaceAll(string(text), `"gpu10 `, `"gpu[7] `))
	_, r, err := resolveReal(t, folder, `, hosts: ["gpu[7]", gpu1]`, "infiniband-hdr")
	if err != nil || !slices.Equal(r.Cluster.Hosts, []string{"gpu[7]", "gpu1"}) {
		t.Errorf("a host with brackets: %v", err)
	}
}

// TestASecondFileHasTheSameHosts: the nodes of the second fabric are the hosts that were asked for, too, and a host that it
// lacks is an error.
func TestASecondFileHasTheSameHosts(t *testing.T) {
	folder := t.TempDir()
	realSubnet(t, folder)
	text, err := os.ReadFile(filepath.Join(folder, "real.topo"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "today.topo", string(text))
	write(t, folder, "less.topo", strings.ReplaceAll(string(text), `"gpu2 `, `"gpu3 `))
	scenario := func(second string) (*Resolved, error) {
		f, err := DecodeIn(folder, "test", fmt.Appendf(nil, `
cluster: {node: {preset: dgx-h100, gpus: 2, nics: 2}, hosts: [gpu10, gpu2]}
fabrics:
  - {preset: infiniband-hdr, name: yesterday, topology: {file: real.topo}}
  - {preset: infiniband-hdr, name: today, topology: {file: %s}}
`, second))
		if err != nil {
			return nil, err
		}
		return f.Resolve()
	}
	r, err := scenario("today.topo")
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Fabrics {
		if name := r.Fabrics[i].Topology.Devices[2].Name; name != "gpu2/mlx5_0" {
			t.Errorf("fabric %d: the second node begins with %s", i, name)
		}
	}
	if _, err := scenario("less.topo"); err == nil || !strings.Contains(err.Error(), `there is no host "gpu2"`) {
		t.Errorf("a fabric without the host: %v", err)
	}
}

// TestWhatAFileGivesIsNotGivenTwice: fields that the file makes pointless, and names without a file.
func TestWhatAFileGivesIsNotGivenTwice(t *testing.T) {
	folder := t.TempDir()
	realSubnet(t, folder)
	for text, want := range map[string]string{
		"cluster: {node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {file: real.topo, shape: fat-tree}\nfabric: infiniband-hdr\n": "topology.shape: topology.file gives the cables",
		"cluster: {node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {file: real.topo, radix: 8}\nfabric: infiniband-hdr\n":        "topology.radix: topology.file gives the cables",
		"cluster: {nodes: 4, node: dgx-h100, hosts: [a, b]}\n":                                                                          "the names are of a real fabric: give its file",
		"cluster: {node: dgx-h100}\ntopology: {file: real.topo}\n":                                                                      "a node of the cluster has 8 NICs: write cluster.node.nics: 2",
		"topology: {file: real.topo}\n": "which machine it is the file does not say",
	} {
		if _, err := DecodeIn(folder, "test", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestANICSendsNoFasterThanItCan: cables of 200 Gb/s at a NIC of 100.
func TestANICSendsNoFasterThanItCan(t *testing.T) {
	folder := t.TempDir()
	realSubnet(t, folder)
	f, r, err := resolveReal(t, folder, "", "{preset: infiniband-edr, nic: {model: connectx-5}}")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Fabrics[0].Topology.Links {
		if nic := min(l.Ends[0], l.Ends[1]) < r.Cluster.Endpoints(); nic && l.Rate > r.Fabrics[0].NIC.Rate {
			t.Errorf("a NIC of %v has a cable of %v", r.Fabrics[0].NIC.Rate, l.Rate)
		}
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "6 cables of NICs are faster than the NIC connectx-5") {
		t.Errorf("the notes: %q", notes)
	}
}

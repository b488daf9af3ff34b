package export

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
)

// fabric is a subnet with the cables of a shape and the host names of a cluster.
func fabric(t testing.TB, shape topology.Spec) *subnet.Subnet {
	t.Helper()
	g, err := shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err != nil {
		t.Fatal(err)
	}
	nics := max(g.NodeNICs, 1)
	for i := range g.Compute() {
		s.Nodes[i].Name = fmt.Sprintf("node%03d mlx5_%d", i/nics, i%nics)
	}
	return s
}

func TestHostsAreListedInRanges(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"mds"}, "mds"},
		{[]string{"n3"}, "n3"},
		{[]string{"n3", "n1", "n2"}, "n[1-3]"},
		{[]string{"n9", "n10", "n11"}, "n[9-11]"},
		{[]string{"n0", "n1", "n10"}, "n[0-1,10]"},
		{[]string{"n009", "n010", "n012"}, "n[009-010,012]"},
		{[]string{"b1", "a1", "a2", "login"}, "a[1-2],b1,login"},
		{[]string{"n18446744073709551616"}, "n18446744073709551616"},
	} {
		if got := hostlist(c.names); got != c.want {
			t.Errorf("%v are %q, want %q", c.names, got, c.want)
		}
	}
}

// slurmLine matches a line of a topology.conf that is no comment.
var slurmLine = regexp.MustCompile(`^SwitchName=([A-Za-z0-9_.-]+) (Nodes|Switches)=(\S+)$`)

// expand lists the names in a host list of Slurm.
func expand(list string) []string {
	var out []string
	for list != "" {
		end, depth := 0, 0
		for end < len(list) && (list[end] != ',' || depth > 0) {
			switch list[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
			end++
		}
		name := list[:end]
		list = strings.TrimPrefix(list[end:], ",")
		prefix, ranges, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if !ok {
			out = append(out, name)
			continue
		}
		for r := range strings.SplitSeq(ranges, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			var a, b int
			fmt.Sscan(strings.TrimLeft(from, "0")+" ", &a)
			fmt.Sscan(strings.TrimLeft(to, "0")+" ", &b)
			for n := a; n <= b; n++ {
				out = append(out, fmt.Sprintf("%s%0*d", prefix, len(from), n))
			}
		}
	}
	return out
}

// Slurm wants a tree: each node on one switch, each switch under one other, one
// root.
func TestSlurmsTopologyIsATreeOfAllHosts(t *testing.T) {
	even := topology.Ratio{Down: 1, Up: 1}
	for _, c := range []struct {
		name          string
		shape         topology.Spec
		hosts, leaves int
	}{
		{"two levels", topology.TwoLevel{Endpoints: 60, Radix: 16, Oversubscription: even}, 60, 8},
		{"three levels", topology.KAry{K: 8}, 128, 32},
		{"rails", topology.Rail{Nodes: 128, Rails: 8, Radix: 64}, 128, 4},
		{"torus", topology.Torus{Dims: []int{4, 3}, SwitchEndpoints: 2}, 24, 12},
		{"dragonfly", topology.Dragonfly{P: 2, A: 4, H: 2}, 72, 36},
		{"single switch", topology.SingleSwitch{Endpoints: 9}, 9, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteSlurm(&out, fabric(t, c.shape)); err != nil {
				t.Fatal(err)
			}
			var hosts, below, names []string
			leaves := 0
			for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
				if strings.HasPrefix(line, "#") {
					continue
				}
				m := slurmLine.FindStringSubmatch(line)
				if m == nil {
					t.Fatalf("Slurm would not read %q", line)
				}
				names = append(names, m[1])
				if m[2] == "Nodes" {
					leaves++
					hosts = append(hosts, expand(m[3])...)
				} else {
					below = append(below, expand(m[3])...)
				}
			}
			if leaves != c.leaves || len(hosts) != c.hosts {
				t.Errorf("%d leaves with %d hosts, want %d with %d\n%s", leaves, len(hosts), c.leaves, c.hosts, out.String())
			}
			for what, list := range map[string][]string{"host": hosts, "switch below another": below, "switch": names} {
				slices.Sort(list)
				if len(slices.Compact(slices.Clone(list))) != len(list) {
					t.Errorf("a %s comes twice\n%s", what, out.String())
				}
			}
			if len(names) != len(below)+1 {
				t.Errorf("%d switches, of which %d are under another: want one root\n%s", len(names), len(below), out.String())
			}
		})
	}
}

func TestRootsAreTheTopmostSwitches(t *testing.T) {
	s := fabric(t, topology.KAry{K: 4})
	var out bytes.Buffer
	if err := WriteRoots(&out, s); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range s.Nodes {
		if strings.HasPrefix(s.Nodes[i].Name, "core") {
			want = append(want, s.Nodes[i].GUID.String())
		}
	}
	if got := strings.Fields(out.String()); len(want) != 4 || !slices.Equal(got, want) {
		t.Errorf("the roots are %v, want %v", got, want)
	}
	if err := WriteRoots(&out, fabric(t, topology.Torus{Dims: []int{5, 5}, SwitchEndpoints: 1})); err == nil {
		t.Error("a torus was given roots")
	}
}

func TestEveryCableIsInTheGraph(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 16, Radix: 8, Oversubscription: topology.Ratio{Down: 1, Up: 1}})
	s.Nodes[16].Name = `odd "name" \`
	var out bytes.Buffer
	if err := WriteDot(&out, s); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.Contains(text, `label="odd \"name\" \\"`) {
		t.Errorf("a name with quotes is not quoted:\n%s", text)
	}
	// 4 leaves, each with 2 cables to each of 2 spines.
	if n := strings.Count(text, `penwidth=2, label="2"`); n != 8 {
		t.Errorf("%d edges of two cables, want 8:\n%s", n, text)
	}
}

package scenario

import (
	"errors"
	"strings"
	"testing"
)

// A preset that --set names replaces a fabric's bare name, in either way to write fabrics.
func TestAPresetLaidOverABareNameCounts(t *testing.T) {
	for _, c := range []struct{ text, path string }{
		{"fabrics: [infiniband-ndr]", "fabrics[0].preset"},
		{"fabrics: infiniband-ndr", "fabrics[0].preset"},
		{"fabric: infiniband-ndr", "fabrics[0].preset"},
		{"fabric: infiniband-ndr", "fabric.preset"},
		{"fabric: infiniband-ndr", "fabrics[0]"},
		{"fabrics: [{preset: infiniband-ndr}]", "fabrics[0].preset"},
		{"fabrics: [{preset: infiniband-ndr, mtu: 2KiB}]", "fabrics[0].preset"},
	} {
		f, err := Decode("test", []byte("cluster: {nodes: 2, node: dgx-h100}\n"+c.text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		set := func(value string) (*Resolved, error) {
			return f.Resolve(Override{Path: c.path, Value: value, Origin: "--set " + c.path + "=" + value})
		}
		if r, err := set("roce-v2-400g"); err != nil || len(r.Fabrics) != 1 || r.Fabrics[0].Preset != "roce-v2-400g" || r.Fabrics[0].Kind != RoCEv2Kind {
			t.Errorf("%s with %s: %v", c.text, c.path, err)
		}
		if _, err := set("zzz"); err == nil || !strings.Contains(err.Error(), "--set "+c.path+"=zzz") {
			t.Errorf("%s with %s=zzz: %v; want an error that names it", c.text, c.path, err)
		}
	}
}

// The same holds for every type that may be given as a name alone.
func TestAModelLaidOverABareNameCounts(t *testing.T) {
	f, err := Decode("test", []byte("cluster: {nodes: 2, node: dgx-h100}\nfabrics: [{preset: roce-v2-400g, switch: sn5400}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, value := range map[string]string{"cluster.node.preset": "dgx-b300", "fabrics[0].switch.model": "sn5600"} {
		if _, err := f.Resolve(Override{Path: path, Value: "zzz", Origin: "--set " + path + "=zzz"}); err == nil {
			t.Errorf("%s=zzz is accepted", path)
		}
		r, err := f.Resolve(Override{Path: path, Value: value, Origin: "--set"})
		if err != nil {
			t.Fatal(err)
		}
		if got := map[string]string{"cluster.node.preset": r.Cluster.Node.Preset, "fabrics[0].switch.model": r.Fabrics[0].Switch.Model}[path]; got != value {
			t.Errorf("%s is %s, want %s", path, got, value)
		}
	}
}

func TestTheErrorNamesAnItemThatDoesNotExist(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"fabrics: [infiniband-ndr]", "fabrics[9].mtu", "fabrics has 1 entry (index 0); [9] does not exist"},
		{"fabric: infiniband-ndr", "fabrics[1].mtu", "fabrics has 1 entry (index 0); [1] does not exist"},
		{"fabrics: [infiniband-ndr, tcp-400g]", "fabrics[x].mtu", "fabrics has no x: its 2 entries are infiniband-ndr, tcp-400g, or by index 0 to 1"},
		{"cluster: {nodes: 2}", "fabrics[0].mtu", "the file has no list fabrics; [0] does not exist"},
	} {
		f, err := Decode("test", []byte("name: a\n"+c.text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Resolve(Override{Path: c.path, Value: "4KiB", Origin: "--set"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want %q", c.text, c.path, err, c.want)
		}
	}
}

// An empty file is a mistake in its name or in its writer; it is not a scenario of 128 GPUs.
func TestAnEmptyFileIsRefused(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only a remark\n", "{}\n", "---\n", "\ufeff"} {
		if _, err := Decode("empty.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "empty.yaml:1:1: the file says nothing") {
			t.Errorf("%q: %v, want an error", text, err)
		}
		if _, err := DecodeOverlay("empty.yaml", []byte(text)); err == nil {
			t.Errorf("%q is accepted as an overlay", text)
		}
	}
}

// An override that writes one field of a section has no part in an error about another field.
func TestAnErrorIsNotOfAnOverrideOfAnotherField(t *testing.T) {
	f, err := Decode("test", []byte("cluster: {nodes: 2, node: dgx-h100}\n"))
	if err != nil {
		t.Fatal(err)
	}
	iterations := Override{Path: "run.iterations", Value: "2", Origin: "-n 2"}
	nodes := Override{Path: "cluster.nodes", Value: "100000", Origin: "--nodes 100000"}
	_, err = f.Resolve(iterations, nodes)
	if err == nil || !strings.Contains(err.Error(), "--nodes 100000, on test: run.limit.memory: ") || strings.Contains(err.Error(), "-n 2") {
		t.Errorf("too many nodes: %v", err)
	}
	if _, err = f.Resolve(iterations); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"run.limit.memory": "test:1:1: ", "run.iterations": "-n 2: ", "run": "-n 2: "} {
		if got := f.ErrorAt(path, errors.New("too much")).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("an error at %s is %s; want %s", path, got, want)
		}
	}
}

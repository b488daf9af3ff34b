package cli

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"weft/internal/face/cli/exit"
)

// twoLeaves is a plan of two leaves, a spine and four hosts.
const twoLeaves = `leaf1,Ethernet0,spine1,Ethernet0
leaf2,Ethernet0,spine1,Ethernet4
leaf1,Ethernet8,gpu1,eth1
leaf1,Ethernet12,gpu2,eth1
leaf2,Ethernet8,gpu3,eth1
leaf2,Ethernet12,gpu4,eth1
`

// wide is a text in UTF-16, as PowerShell redirects it.
func wide(text string) string {
	out := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// inFile writes a text into a file of a new folder.
func inFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAFabricReadsTheSameInUTF16: of InfiniBand and of Ethernet, from a file and from standard input.
func TestAFabricReadsTheSameInUTF16(t *testing.T) {
	_, topo, _ := invoke(environment([]string{"fabric", "convert", "../../../examples/superpod-1su.yaml", "--to", "ibnetdiscover"}))
	for name, text := range map[string]string{"ibnetdiscover": topo, "a plan": twoLeaves} {
		var outs []string
		for _, text := range []string{text, wide(text)} {
			path := inFile(t, "fabric", text)
			code, out, stderr := invoke(environment([]string{"fabric", "inspect", path}))
			if code != exit.OK {
				t.Errorf("%s: exit code %d: %s", name, code, stderr)
			}
			e := environment([]string{"fabric", "inspect", "-"})
			e.Stdin = strings.NewReader(text)
			code, piped, stderr := invoke(e)
			if code != exit.OK {
				t.Errorf("%s from standard input: exit code %d: %s", name, code, stderr)
			}
			for _, out := range []string{out, piped} {
				_, rest, _ := strings.Cut(out, "\n\n")
				rest, _, _ = strings.Cut(rest, "\nFrom the files")
				rest, _, _ = strings.Cut(rest, "\nRoutes of OpenSM")
				outs = append(outs, rest)
			}
		}
		for _, out := range outs[1:] {
			if out != outs[0] || !strings.Contains(out, " hosts") {
				t.Errorf("%s differs:\n%s\n%s", name, outs[0], out)
			}
		}
	}
}

// TestAnUnknownFileNamesWhatIsRead: both kinds of fabrics, with the file once.
func TestAnUnknownFileNamesWhatIsRead(t *testing.T) {
	path := inFile(t, "x.json", "{}\n")
	for _, args := range [][]string{{"fabric", "inspect", path}, {"fabric", "convert", path, "--to", "dot"}, {"fabric", "what-if", path, "--every-link"}, {"fabric", "diff", path, path}} {
		code, _, stderr := invoke(environment(args))
		if code != exit.BadInput || !strings.Contains(stderr, "ibnetdiscover") || !strings.Contains(stderr, "containerlab") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	absent := filepath.Join(t.TempDir(), "absent")
	for _, args := range [][]string{{"fabric", "inspect", absent}, {"fabric", "what-if", absent, "--every-link"}, {"fabric", "convert", absent, "--to", "scenario"}} {
		code, _, stderr := invoke(environment(args))
		if code != exit.BadInput || strings.Count(stderr, "cannot be read") != 1 {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestAPlanOfEthernetConverts to the formats without GUIDs; the others say so.
func TestAPlanOfEthernetConverts(t *testing.T) {
	path := inFile(t, "plan.csv", twoLeaves)
	for to, want := range map[string]string{"slurm": "SwitchName=leaf1 Nodes=gpu[1-2]", "dot": `label="spine1"`, "svg": "4 hosts", "scenario": `"gpu1", "gpu2", "gpu3", "gpu4"`} {
		code, out, stderr := invoke(environment([]string{"fabric", "convert", path, "--to", to}))
		if code != exit.OK || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, no %q: %s%s", to, code, want, stderr, out)
		}
	}
	code, _, stderr := invoke(environment([]string{"fabric", "convert", path, "--to", "ibsim"}))
	if code != exit.BadInput || !strings.Contains(stderr, "is no InfiniBand subnet: it has no GUIDs and LIDs for ibsim; valid are scenario, slurm, dot, svg") {
		t.Errorf("ibsim: exit code %d: %s", code, stderr)
	}
}

// TestTooManyHostsAreSaid: by the name of the file, not by a line of a scenario that nobody has seen.
func TestTooManyHostsAreSaid(t *testing.T) {
	var plan strings.Builder
	for i := range 66_000 {
		fmt.Fprintf(&plan, "leaf%d,Ethernet%d,gpu%d,eth1\n", i%400, i/400, i)
	}
	path := inFile(t, "plan.csv", plan.String())
	for _, args := range [][]string{{"fabric", "what-if", path, "--fail", "leaf1"}, {"fabric", "convert", path, "--to", "scenario"}} {
		code, _, stderr := invoke(environment(args))
		if code != exit.BadInput || !strings.Contains(stderr, "plan.csv has 66000 hosts: a scenario has at most 65536\n") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestAHostsFileIsNamedByAFlag: --set takes @ and a file, whose text may be UTF-16 and have mpirun's slots.
func TestAHostsFileIsNamedByAFlag(t *testing.T) {
	folder := filepath.Dir(inFile(t, "plan.csv", twoLeaves))
	for name, text := range map[string]string{
		"hosts.txt": wide("gpu3 slots=8\r\ngpu1\r\n"),
		"job.yaml":  "cluster: {node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {file: plan.csv}\nfabric: roce-v2-400g\nworkload: {collective: all-reduce, sizes: [1MiB]}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, stderr := invoke(environment([]string{"run", filepath.Join(folder, "job.yaml"), "--print-scenario", "--set", "cluster.hosts=@hosts.txt"}))
	if code != exit.OK || !strings.Contains(out, "hosts: [gpu3, gpu1]") {
		t.Errorf("exit code %d: %s%s", code, stderr, out)
	}
}

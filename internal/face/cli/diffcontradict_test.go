package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// TestADiffDoesNotJudgeCablesOfWhichAFileContradictsItself: in each form of InfiniBand, the line of one end names another
// port than that end's own line. The cables of both are neither missing nor extra; what contradicts is told with its
// line, and so is a GUID with two names.
func TestADiffDoesNotJudgeCablesOfWhichAFileContradictsItself(t *testing.T) {
	dir := t.TempDir()
	const tree = `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 4, nics: 4}}
topology: {shape: fat-tree, radix: 8}
fabric: infiniband-hdr
workload: {collective: all-reduce, sizes: [1MiB]}
`
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tree.yaml", tree)
	weft := func(args ...string) string {
		out := &liveOutput{}
		e := environment(args)
		e.Dir, e.Stdout, e.Stderr = dir, out, out
		if code := Main(t.Context(), e); code != exit.OK {
			t.Fatalf("weft %s: exit %d\n%s", strings.Join(args, " "), code, out)
		}
		return out.String()
	}
	for form, line := range map[string][3]string{ // a line of leaf0 port 5, with the port that it leads to; and its other name
		"ibnetdiscover": {`(?m)^(\[5\]\t"S-[0-9a-f]*"\[)1(\].*"spine0")`, "${1}3${2}", `"spine0" lid 0`},
		"ports":         {`(?m)^(SW +0 +5 .*SW +0 +)1( .*leaf0' - 'spine0')`, "${1}3${2}", `'leaf0' - 'spine0'`},
		"iblinkinfo-l":  {`(?m)^(.*" +leaf0" +0 +5\[.*==> +\S+ +0 +)1(\[.*"spine0")`, "${1}3${2}", ""},
		"subnet.lst":    {`(?m)^(.*\{leaf0\} LID:0000 PN:05.*\{spine0\} LID:0000 PN:)01`, "${1}03", ""},
	} {
		weft("fabric", "convert", "tree.yaml", "--to", form, "-o", "plan")
		text, err := os.ReadFile(filepath.Join(dir, "plan"))
		if err != nil {
			t.Fatal(err)
		}
		pattern := regexp.MustCompile(line[0])
		at := pattern.FindIndex(text)
		if at == nil {
			t.Errorf("%s: no line of leaf0 port 5 in\n%s", form, text)
			continue
		}
		write("real", string(text[:at[0]])+pattern.ReplaceAllString(string(text[at[0]:at[1]]), line[1])+string(text[at[1]:]))
		diff := func() (found struct {
			Findings  []any    `json:"findings"`
			NotJudged []string `json:"not_judged"`
			Notes     []string `json:"notes"`
		}, text string,
		) {
			text = weft("fabric", "diff", "plan", "real", "--json")
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatal(err)
			}
			return found, text
		}
		if found, text := diff(); len(found.Findings) != 0 || !strings.Contains(text, "2 planned cables at ports of which lines of real contradict each other") ||
			!regexp.MustCompile(`real:\d+: .*spine0.* port [13] is joined to .*line \d+: neither cable is used`).MatchString(text) {
			t.Errorf("%s: %s", form, text)
		}
		if line[2] == "" {
			continue
		}
		write("real", strings.Replace(string(text), line[2], strings.Replace(line[2], "spine0", "spineX", 1), 1))
		if found, text := diff(); len(found.Findings) != 0 || !regexp.MustCompile(`real:\d+: 0x\w+ is called .*spineX.* here and .*spine0.* in line \d+`).MatchString(text) {
			t.Errorf("%s: a GUID with two names: %s", form, text)
		}
	}
}

// TestANodeThatIsDescribedTwiceIsAFinding: of two sections of one GUID the first is used, and the second is told with both
// names and lines; a reader that takes no contradictions refuses the file.
func TestANodeThatIsDescribedTwiceIsAFinding(t *testing.T) {
	dir := t.TempDir()
	const file = `Switch	4 "S-0000000000000010"		# "leaf1" base port 0 lid 1 lmc 0
[1]	"H-0000000000000020"[1](21) 		# "gpu1 mlx5_0" lid 2 4xHDR
[2]	"H-0000000000000030"[1](31) 		# "gpu2 mlx5_0" lid 3 4xHDR

Ca	1 "H-0000000000000020"		# "gpu1 mlx5_0"
[1](21) 	"S-0000000000000010"[1]		# lid 2 lmc 0 "leaf1" lid 1 4xHDR

Ca	1 "H-0000000000000030"		# "gpu2 mlx5_0"
[1](31) 	"S-0000000000000010"[2]		# lid 3 lmc 0 "leaf1" lid 1 4xHDR

Ca	1 "H-0000000000000020"		# "gpu9 mlx5_0"
[1](21) 	"S-0000000000000010"[3]		# lid 9 lmc 0 "leaf1" lid 1 4xHDR
`
	if err := os.WriteFile(filepath.Join(dir, "twice.topo"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, exit.Code) {
		out := &liveOutput{}
		e := environment(args)
		e.Dir, e.Stdout, e.Stderr = dir, out, out
		code := Main(t.Context(), e)
		return out.String(), code
	}
	for _, args := range [][]string{{"fabric", "inspect", "twice.topo", "--json"}, {"fabric", "diff", "twice.topo", "twice.topo", "--json"}} {
		text, code := run(args...)
		if code != exit.OK || !strings.Contains(text, `called \"gpu9 mlx5_0\", is described twice (first at twice.topo:5) as \"gpu1 mlx5_0\"`) {
			t.Errorf("weft %s: exit %d\n%s", strings.Join(args, " "), code, text)
		}
	}
	if text, code := run("sm", "route", "twice.topo"); code == exit.OK || !strings.Contains(text, "twice.topo:11: node") {
		t.Errorf("sm route: exit %d\n%s", code, text)
	}
}

package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
)

// TestEveryVerbHasJSON: except completion and help.
func TestEveryVerbHasJSON(t *testing.T) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			each(sub)
		}
		if c.HasSubCommands() || c.Hidden || !c.Runnable() || c.Name() == "help" || c.Parent().Name() == "completion" {
			return
		}
		if c.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", c.CommandPath())
		}
	}
	each(newRoot(simulatorOf(environment(nil))))
}

// TestJSONHasAVersionAndTheError: for every exit code and on every level of verbs.
func TestJSONHasAVersionAndTheError(t *testing.T) {
	for _, c := range []struct {
		args  []string
		stdin string
		code  exit.Code
		field string // of the first problem
	}{
		{[]string{"version", "--json"}, "", exit.OK, ""},
		{[]string{"exit-codes", "--json"}, "", exit.OK, ""},
		{[]string{"catalog", "--json"}, "", exit.OK, ""},
		{[]string{"catalog", "switch", "--json"}, "", exit.OK, ""},
		{[]string{"catalog", "switch", "nonsense", "--json"}, "", exit.BadInput, ""},
		{[]string{"topology", "-", "--json"}, "cluster: {nodes: 2}\n", exit.OK, ""},
		{[]string{"compare", "-", "--json"}, "cluster: {nodes: 2}\n", exit.OK, ""},
		{[]string{"compare", "-", "--json"}, "cluster: {nodes: two}\n", exit.BadInput, "cluster.nodes"},
		{[]string{"compare", "-", "--json"}, "name: deadlock\ncluster: {nodes: 2}\n", exit.Failed, ""},
		{[]string{"compare", "-", "--json"}, "name: interrupted\ncluster: {nodes: 2}\n", exit.Partial, ""},
		{[]string{"compare", "-", "--json"}, "name: defect\ncluster: {nodes: 2}\n", exit.Defect, ""},
		{[]string{"compare", "missing.yaml", "--json"}, "", exit.BadInput, ""},
		{[]string{"compare", "--json", "--nonsense"}, "", exit.BadInput, ""},
		{[]string{"roce", "check", "-", "--json"}, "cluster: {nodes: 2}\nfabric: roce-v2-400g\n", exit.OK, ""},
		{[]string{"roce", "headroom", "--json"}, "", exit.OK, ""},
		{[]string{"roce", "headroom", "--json", "--asic", "none"}, "", exit.BadInput, ""},
		{[]string{"sm", "conf", "-", "--json"}, "cluster: {nodes: 2}\n", exit.OK, ""},
		{[]string{"fabric", "convert", "-", "--to", "ibsim", "--json"}, "Switch 2 \"a\"\n", exit.OK, ""},
		{[]string{"sniff", "-", "--json"}, "no capture", exit.BadInput, ""},
	} {
		e := environment(c.args)
		e.Stdin = strings.NewReader(c.stdin)
		code, stdout, stderr := invoke(e)
		if code != c.code {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, code, c.code, stderr)
		}
		var got struct {
			Version int
			Error   *process.Failure
		}
		in := json.NewDecoder(strings.NewReader(stdout))
		if err := in.Decode(&got); err != nil || in.More() {
			t.Errorf("%v: standard output is not a single object (%v):\n%s", c.args, err, stdout)
			continue
		}
		if got.Version < 1 {
			t.Errorf("%v: no version in\n%s", c.args, stdout)
		}
		switch {
		case (got.Error == nil) != (c.code == exit.OK):
			t.Errorf("%v: exit code %d and error %v", c.args, code, got.Error)
		case got.Error == nil:
		case got.Error.Code != c.code || got.Error.Meaning == "" || !strings.Contains(stderr, got.Error.Message) && c.code != exit.Defect:
			t.Errorf("%v: error %+v, standard error %q", c.args, got.Error, stderr)
		case c.field != "" && (len(got.Error.Problems) == 0 || got.Error.Problems[0].Field != c.field || got.Error.Problems[0].Line == 0):
			t.Errorf("%v: problems %+v", c.args, got.Error.Problems)
		}
	}
}

func TestVersionsAndErrorsJoinAnyObject(t *testing.T) {
	for _, text := range []string{"{}\n", "{\n  \"a\": {\n    \"version\": 3\n  }\n}\n", `{"a":[1]}`, "{}"} {
		for _, more := range []string{"{\n  \"error\": {}\n}\n", `{"error":1}`} {
			got := process.Joined(process.Versioned([]byte(text)), []byte(more))
			var all map[string]any
			if err := json.Unmarshal(got, &all); err != nil || all["version"] != 1.0 || all["error"] == nil {
				t.Errorf("%q with %q is %q (%v)", text, more, got, err)
			}
		}
	}
	if own := []byte("{\"version\": 7}"); !slices.Equal(process.Versioned(own), own) || bytes.Contains(process.Versioned(own), []byte(": 1")) {
		t.Error("the object's own version is not kept")
	}
}

// TestVersionIsAFlagToo: as in most programs.
func TestVersionIsAFlagToo(t *testing.T) {
	_, verb, _ := invoke(environment([]string{"version"}))
	code, flag, _ := invoke(environment([]string{"--version"}))
	if code != exit.OK || flag != verb || verb == "" {
		t.Errorf("exit code %d: --version prints %q, and the verb %q", code, flag, verb)
	}
}

// TestAnUnknownVerbIsRefused: at every level, with the nearest name.
func TestAnUnknownVerbIsRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"compair", "x.yaml"}, "compare"},
		{[]string{"sm", "rout", "x"}, "did you mean route?"},
		{[]string{"fabric", "inspct", "x"}, "did you mean inspect?"},
		{[]string{"roce", "headrom"}, "did you mean headroom?"},
		{[]string{"audit", "isolaton", "x"}, "did you mean isolation?"},
		{[]string{"audit", "isolation", "example:isolation", "--tables", "x"}, "--tables belong to a file of a fabric"},
		{[]string{"perf", "write-bww", "x"}, "did you mean write-bw?"},
		{[]string{"live", "nonsense"}, "it has all-reduce"},
		{[]string{"nonsense"}, "weft --help lists them"},
		{[]string{"completion", "bsh"}, "did you mean bash?)"},
		{[]string{"bench", "nonsense"}, "sendrecv, moe-dispatch, moe-combine, kv"},
		{[]string{"bench", "moe-comine"}, "did you mean moe-combine?"},
		{[]string{"bench"}, "sendrecv|moe-dispatch|moe-combine|kv [flags]"},
	} {
		code, stdout, stderr := invoke(environment(c.args))
		if code != exit.BadInput || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestQuietPrintsOnlyErrors: neither progress nor messages about files.
func TestQuietPrintsOnlyErrors(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		e := environment([]string{"compare", "-", "--out", "run"})
		if quiet {
			e.Args = append(e.Args, "--quiet")
		}
		e.Dir, e.Stdin = t.TempDir(), strings.NewReader("cluster: {nodes: 2}\n")
		if code, _, stderr := invoke(e); code != exit.OK || (stderr == "") != quiet {
			t.Errorf("quiet %v: exit code %d, standard error %q", quiet, code, stderr)
		}
	}
}

// TestAFileOnStandardOutputStandsAlone: a drawing or a page for another program has no
// table after it.
func TestAFileOnStandardOutputStandsAlone(t *testing.T) {
	for _, c := range []struct {
		args        []string
		begin, last string
	}{
		{[]string{"topology", "-", "--svg", "-"}, "<svg", "</svg>\n"},
		{[]string{"sm", "conf", "-", "-o", "-"}, "qos ", "\n"},
	} {
		e := environment(c.args)
		e.Stdin = strings.NewReader("cluster: {nodes: 2}\n")
		code, stdout, stderr := invoke(e)
		if code != exit.OK || !strings.HasPrefix(stdout, c.begin) || !strings.HasSuffix(stdout, c.last) {
			t.Errorf("%v: exit code %d\n%.200s … %q\n%s", c.args, code, stdout, stdout[max(0, len(stdout)-40):], stderr)
		}
	}
	e := environment([]string{"compare", "-", "--out", "run"})
	e.Dir, e.Stdin = t.TempDir(), strings.NewReader("cluster: {nodes: 2}\n")
	if code, _, stderr := invoke(e); code != exit.OK {
		t.Fatal(stderr)
	}
	draw := environment([]string{"explain", "run", "--svg", "-"})
	draw.Dir = e.Dir
	if code, stdout, stderr := invoke(draw); code != exit.OK || !strings.HasPrefix(stdout, "<svg") || !strings.HasSuffix(stdout, "</svg>\n") {
		t.Errorf("exit code %d: %.100s … %s", code, stdout, stderr)
	}
}

package archtest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestImportsPointInOneDirection(t *testing.T) {
	report(t, realTree(t).direction())
}

func TestTheCoreLinksNoThirdPartyModule(t *testing.T) {
	report(t, realTree(t).linked())
}

func TestTheSimulatedWorldTouchesNoClockAndNoIO(t *testing.T) {
	report(t, realTree(t).banned())
}

func TestAFunctionFitsOnAScreen(t *testing.T) {
	report(t, realTree(t).long())
}

// Wings stand in the order of their imports, each grant is used, and each rule
// has a reason.
func TestTheRulesThemselvesPointInOneDirection(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range wings {
		for _, target := range w.may {
			if !seen[target] {
				t.Errorf("%s may import %s, which stands after it", w.dir, target)
			}
		}
		if w.why == "" {
			t.Errorf("the rule about %s has no reason", w.dir)
		}
		seen[w.dir] = true
	}
	for _, r := range rooms {
		if r.why == "" {
			t.Errorf("the rule about %s has no reason", r.pkg)
		}
	}
	report(t, realTree(t).unused())
}

// Every wing says on one screen what it is, in the doc.go of its folder.
func TestEveryWingHasADocumentOfOneScreen(t *testing.T) {
	for _, w := range wings {
		if w.dir == "cmd" {
			continue
		}
		text, err := os.ReadFile("../../" + w.dir + "/doc.go")
		if err != nil {
			t.Errorf("%s: %v", w.dir, err)
		} else if n := strings.Count(string(text), "\n"); n > 60 {
			t.Errorf("%s/doc.go has %d lines, at most 60 fit on a screen", w.dir, n)
		}
	}
}

// Every room says in its doc.go what it is. The files that a doc.go names are there.
func TestEveryRoomHasADocumentThatNamesItsFiles(t *testing.T) {
	for _, pkg := range realTree(t).packages() {
		folder := "../../" + pkg + "/"
		text, err := os.ReadFile(folder + "doc.go")
		if err != nil {
			if pkg != "cmd/weft" && pkg != "interop/guest" { // a program's one file says what it is
				t.Errorf("%s: %v", pkg, err)
			}
			continue
		}
		for _, name := range regexp.MustCompile(`(?:^|[ (])([a-z0-9_]+\.go)\b`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(folder + name[1]); err != nil {
				t.Errorf("%s/doc.go names %s: %v", pkg, name[1], err)
			}
		}
	}
}

// Each breach is planted in a tree that is otherwise clean.
func TestTheCheckerSeesEachBreach(t *testing.T) {
	for name, c := range map[string]struct {
		file, source string
		check        func(tree) []string
		want         string
	}{
		"an import against the direction": {
			"units/time.go", `package units; import _ "weft/wire"`, tree.direction,
			"units/time.go:1: units may not import wire: quantities are understood without anything else",
		},
		"a sideways import in the core": {
			"internal/sim/routing/updown.go", "package routing\n\nimport _ \"weft/internal/sim/transport\"", tree.direction,
			"internal/sim/routing/updown.go:3: internal/sim/routing may not import internal/sim/transport: routes are a pure function of the graph",
		},
		"the simulator calling the command line": {
			"internal/sim/run.go", `package sim; import _ "weft/internal/face/cli"`, tree.direction,
			"internal/sim/run.go:1: internal/sim may not import internal/face/cli: the simulator uses the control planes of both fabrics; nothing that uses its results can change them",
		},
		"a package without a place": {
			"internal/util/util.go", `package util`, tree.direction,
			"package internal/util stands in no wing of rules_test.go: move it",
		},
		"a third-party module in the core": {
			"internal/sim/engine/queue.go", `package engine; import _ "example.org/heap"`, tree.linked,
			"internal/sim/engine/queue.go:1: internal/sim/engine is in the core, which links no third-party module, but here is example.org/heap",
		},
		"a third-party module behind another package": {
			"internal/formats/source/leaf.go", `package source; import _ "example.org/yaml"`, tree.linked,
			"internal/formats/source/leaf.go:1: internal/formats/goal is in the core, which links no third-party module, but here is example.org/yaml",
		},
		"the wall clock in a queue pair": {
			"internal/sim/transport/cc/dcqcn.go", `package cc; import _ "time"`, tree.banned,
			"internal/sim/transport/cc/dcqcn.go:1: internal/sim/transport/cc may not import time: a state machine without I/O: now comes in with each call, packets go out with the return",
		},
		"a lock in the Subnet Manager": {
			"internal/ib/sm/sweep.go", `package sm; import _ "sync/atomic"`, tree.banned,
			"internal/ib/sm/sweep.go:1: internal/ib/sm may not import sync/atomic: a state machine without I/O: now comes in with each call, MADs go out with the return",
		},
		"the wall clock in the fabric": {
			"internal/sim/fabric/port.go", `package fabric; import _ "time"`, tree.banned,
			"internal/sim/fabric/port.go:1: internal/sim/fabric may not import time: time is units.Time, the simulated clock; the wall clock would end determinism",
		},
		"a command that simulates by itself": {
			"internal/face/cli/run.go", `package cli; import (_ "weft/scenario"; _ "weft/internal/sim")`, tree.banned,
			"internal/face/cli/run.go:1: internal/face/cli may not import weft/internal/sim: the command line simulates through package weft, as a user's program does",
		},
		"a verb of a run that calls one of a live device": {
			"internal/face/cli/runs/run.go", `package runs; import _ "weft/internal/face/cli/live"`, tree.banned,
			"internal/face/cli/runs/run.go:1: internal/face/cli/runs may not import weft/internal/face/cli/live: verbs of different purposes share flags and errors, and nothing else",
		},
		"a function that does not fit": {
			"wire/bth.go", "package wire\n\nfunc decode() {" + strings.Repeat("\n", 80) + "}", tree.long,
			"wire/bth.go:3: decode has 81 lines, at most 80 fit on a screen",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := cleanTree()
			files[c.file] = &fstest.MapFile{Data: []byte(c.source)}
			planted, err := read(files)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.check(planted); !slices.Equal(got, []string{c.want}) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTheCheckerAcceptsACleanTree(t *testing.T) {
	clean, err := read(cleanTree())
	if err != nil {
		t.Fatal(err)
	}
	report(t, clean.direction())
	report(t, clean.linked())
	report(t, clean.banned())
	report(t, clean.long())
	if len(clean) != 4 {
		t.Errorf("packages %v, want 4: tests, testdata and hidden directories do not count", clean.packages())
	}
}

// cleanTree has everything that is allowed and could be mistaken for a breach.
func cleanTree() fstest.MapFS {
	return fstest.MapFS{
		"wire/opcode.go":                {Data: []byte("package wire; import _ \"weft/units\"\nfunc f() {" + strings.Repeat("\n", 79) + "}")},
		"wire/opcode_test.go":           {Data: []byte(`package wire; import (_ "time"; _ "example.org/rapid"; _ "weft/internal/face/cli")`)},
		"internal/sim/fabric/switch.go": {Data: []byte(`package fabric; import (_ "weft/units"; _ "sync")`)},
		"internal/formats/goal/read.go": {Data: []byte(`package goal; import _ "weft/internal/formats/source"`)},
		"internal/face/cli/run.go":      {Data: []byte(`package cli; import (_ "example.org/kong"; _ "weft/internal/face/report"; _ "time"; _ "log/slog")`)},
		"internal/sim/testdata/in.go":   {Data: []byte(`package broken; import _ "weft/internal/face/cli"`)},
		".ci/tool.go":                   {Data: []byte(`package hidden`)},
	}
}

// realTree is the module that this test belongs to.
func realTree(t *testing.T) tree {
	t.Helper()
	all, err := read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"units", "wire", "internal/archtest"} {
		if all[pkg] == nil {
			t.Fatalf("package %s is not in the tree that was read: %v", pkg, all.packages())
		}
	}
	return all
}

func report(t *testing.T, breaches []string) {
	t.Helper()
	for _, b := range breaches {
		t.Error(b)
	}
}

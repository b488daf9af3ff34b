package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
)

// mostLines is the maximum number of lines of a verb on a terminal without --details.
const mostLines = 50

// TestAVerbFitsAScreen: on every example. The last line of a shortened report names the
// sections that --details prints.
func TestAVerbFitsAScreen(t *testing.T) {
	examples, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(examples) < 20 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	longer := 0
	fits := func(e *Program) {
		t.Helper()
		e.Args = append(e.Args, "--quiet")
		code, text, stderr := invoke(e)
		if n := strings.Count(text, "\n"); n > mostLines || n == 0 || code != exit.OK && code != exit.Refuted {
			t.Errorf("%v: %d lines, want at most %d; exit code %d: %s", e.Args, n, mostLines, code, stderr)
		}
		if _, also, has := strings.Cut(text, "\nWith --details also: "); has {
			longer++
			names := strings.Split(strings.Join(strings.Fields(strings.TrimSuffix(also, ".\n")), " "), "; ")
			slices.Sort(names)
			if len(slices.Compact(slices.Clone(names))) < len(names) {
				t.Errorf("%v: the last line names a section twice: %s", e.Args, also)
			}
		}
	}
	for i, file := range examples {
		if base := filepath.Base(file); strings.HasPrefix(base, "advise") || strings.HasPrefix(base, "llama") || strings.HasPrefix(base, "train") || strings.Contains(base, "serve") { // profiles, training and serving jobs
			continue
		}
		fits(environment([]string{"topology", file}))
		if i%8 > 0 {
			fits(environment([]string{"compare", file}))
			continue
		}
		run := filepath.Join(t.TempDir(), "run")
		fits(environment([]string{"compare", file, "--out", run}))
		fits(environment([]string{"explain", run}))
	}
	sonic := []string{"--switch", "../../../examples/sonic/config_db.json", "--host", "../../../examples/sonic/node1"}
	const torus = "../../test/routetest/testdata/torus3d-4x4x4/"
	for _, args := range [][]string{
		{"latency"},
		{"latency", "../../../examples/h100-128.yaml", "--op", "send", "--jitter"},
		{"plan", "../../../examples/plan/1024.yaml"},
		{"plan", "../../../examples/plan/1024.yaml", "--all", "--switches", "qm9700,sn5600,7060x6-64pe"},
		{"sweep", "../../../examples/sweep.yaml"},
		{"audit", "isolation", "../../../examples/isolation.yaml"},
		{"audit", "isolation", "../../../examples/isolation-leak.yaml"},
		{"roce", "headroom"},
		{"fabric", "health", "../../ib/counters/testdata/ibqueryerrors.txt"},
		{"fabric", "health", "../../roce/counters/testdata/bgp.txt", "../../roce/counters/testdata/interfaces.txt", "../../roce/counters/testdata/fec.txt", "../../roce/counters/testdata/queues.txt", "../../ib/counters/testdata/ibqueryerrors.txt"},
		{"sm", "route", torus + "topo.gz"},
		{"sm", "diff", torus + "topo.gz", torus + "minhop.lfts.gz", torus + "dor.lfts.gz"},
		{"sm", "bringup", "../../../examples/superpod-1su.yaml"},
		{"latency", "--op", "read", "--bytes", "64K"},
		{"latency", "--op", "read", "--hops", "16"},
		{"catalog", "nic", "connectx-7"},
		{"catalog", "fabric", "ultra-ethernet-400g"},
		{"catalog", "default", "scenario"},
		{"roce", "check", "../../../examples/pfc-ring-deadlock.yaml"},
		append([]string{"roce", "lint"}, sonic...),
		append([]string{"roce", "lint", "--simulate"}, sonic...),
		{"validate", "--case", "pfc"},
		{"bench", "kv", "--model", "llama3-8b", "--tokens", "128,256,512"},
		{"serve", "../../../examples/serve-llama3-70b.yaml", "--set", "serving.load.requests=5", "--rates", "4,8"},
		{"train", "../../../examples/two-nodes-h100.yaml", "--set", "training={model: llama3-8b, batch: {global: 4}, parallel: {tensor: 8}}"},
	} {
		e := environment(args)
		if e.Args[0] == "roce" {
			e.Run = weft.Run
		}
		fits(e)
	}
	if longer < 10 {
		t.Errorf("%d reports have a last line with the sections of --details, want 10 or more", longer)
	}
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/study/slurm"
	"weft/internal/test/slurmtest"
	"weft/results"
	"weft/scenario"
)

// holdFile is the variable with the name of a file: while it exists, a process of the runner held has two
// simulations and waits in the third.
const holdFile = "WEFT_TEST_HOLD"

func init() { runners["held"] = held }

var heldRuns int

// held is weft.Run with the file of holdFile.
func held(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
	if heldRuns++; heldRuns == 1 {
		pid := filepath.Join(filepath.Dir(os.Getenv(holdFile)), os.Getenv(slurm.WorkerVariable)+".pid")
		if err := os.WriteFile(pid, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			return nil, err
		}
	}
	for heldRuns > 2 {
		if _, err := os.Stat(os.Getenv(holdFile)); errors.Is(err, fs.ErrNotExist) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return weft.Run(ctx, r, o)
}

const slurmSweep = `name: slurm
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB, 64KiB]}
sweep:
  axes:
    - {path: cluster.nodes, values: [2, 3, 4, 40000]}
    - {path: workload.algorithm, values: [ring, tree]}
  seeds: 2
`

// slurmOf is a Slurm with one node, and this test binary as the program of its jobs.
func slurmOf(t *testing.T) *slurmtest.Cluster {
	t.Helper()
	c := slurmtest.Start(t, `SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
NodeName=`+slurmtest.NodeName+` NodeAddr=127.0.0.1 CPUs=10 RealMemory=8000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP`, "", true)
	for _, v := range c.Env() {
		if name, value, _ := strings.Cut(v, "="); name == "SLURM_CONF" {
			t.Setenv(name, value)
		}
	}
	t.Setenv(asProgram, "held")
	c.Await("the node", func() bool {
		out, _ := c.Command("sinfo", "-h", "-o", "%t").Output()
		return strings.TrimSpace(string(out)) == "idle"
	})
	return c
}

// awaitJobs waits until jobs have ended.
func awaitJobs(c *slurmtest.Cluster, jobs ...int) {
	c.Await("the end of the jobs", func() bool {
		for _, job := range jobs {
			out, err := c.Command("squeue", "-h", "-j", strconv.Itoa(job)).Output()
			if err != nil || len(bytes.TrimSpace(out)) > 0 {
				return false
			}
		}
		return true
	})
}

// The real Slurm runs 64 variants in 8 elements. One is killed, one is requeued, and the controller is restarted, all
// while each element is in the middle of its work. The table is the local one, byte for byte.
func TestASweepOnSlurmHasTheLocalTable(t *testing.T) {
	dir := t.TempDir() // it is removed after the end of Slurm
	c := slurmOf(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("grid.yaml", slurmSweep)
	local := environment([]string{"sweep", "grid.yaml", "--out", "local", "--quiet"})
	local.Dir, local.Run = dir, weft.Run
	if code, _, stderr := invoke(local); code != exit.OK {
		t.Fatal(stderr)
	}
	write("hold", "")
	t.Setenv(holdFile, in("hold"))
	began := time.Now()
	submit := environment([]string{"sweep", "grid.yaml", "--out", "array", "--slurm", "--partition", "p", "--time", "10m", "--elements", "8"})
	submit.Dir = dir
	code, stdout, stderr := invoke(submit)
	var array, collect int
	if _, err := fmt.Sscanf(stdout, "submitted job %d with 8 elements, and job %d,", &array, &collect); code != exit.OK || err != nil {
		t.Fatalf("%s%s", stdout, stderr)
	}
	worker := func(k int) string { return fmt.Sprintf("slurm-%d-%d", array, k) }
	rows := func(process string) int {
		text, _ := os.ReadFile(in("array/rows/" + process + ".jsonl")) // none yet: 0
		return bytes.Count(text, []byte("\n"))
	}
	c.Await("two rows of each element", func() bool {
		for k := range 8 {
			if rows(worker(k)+".1") < 2 {
				return false
			}
		}
		return true
	})
	waited := time.Since(began)

	text, err := os.ReadFile(in(worker(3) + ".pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Command("scontrol", "requeue", fmt.Sprintf("%d_5", array)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	requeued := time.Now()
	c.Await("the second process of "+worker(3), func() bool { return rows(worker(3)+".2") >= 2 })
	c.Await("the second process of "+worker(5), func() bool {
		// Slurm begins a requeued job two minutes later, unless it is told otherwise. In the second of the
		// requeue, slurmd refuses it as killed, and Slurm gives it up.
		if time.Since(requeued) < 3*time.Second {
			return false
		}
		_ = c.Command("scontrol", "update", fmt.Sprintf("JobId=%d_5", array), "StartTime=now").Run()
		return rows(worker(5)+".2") >= 2
	})
	c.RestartController()
	if err := os.Remove(in("hold")); err != nil {
		t.Fatal(err)
	}
	released := time.Now()
	awaitJobs(c, array, collect)
	said, _ := c.Command("sh", "-c", "cat "+in("array/logs/*")+"; scontrol show job "+strconv.Itoa(collect)).CombinedOutput() // for the message only
	got, err := os.ReadFile(in("array/results.parquet"))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	want, err := os.ReadFile(in("local/results.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the table of the array differs from the local one:\n%s", said)
	}
	t.Logf("%v from sbatch to two rows of each element, %v from the release to the table; local rows are %d bytes", waited, time.Since(released), len(want))
}

// Without --elements an array of Slurm has 32 elements, or as many as the site allows.
func TestAnArrayOnSlurmIsNoLargerThanTheSiteAllows(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"scontrol": "#!/bin/sh\necho 'MaxArraySize            = 5'\n", "sbatch": "#!/bin/sh\necho 7\n", "grid.yaml": slurmSweep} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	submit := environment([]string{"sweep", "grid.yaml", "--out", "array", "--slurm"})
	submit.Dir = dir
	code, stdout, stderr := invoke(submit)
	script, err := os.ReadFile(filepath.Join(dir, "array", "slurm.sh"))
	if code != exit.OK || err != nil || !strings.Contains(stdout, "with 5 elements") || !bytes.Contains(script, []byte("--array=0-4\n")) || !bytes.Contains(script, []byte("TASK_ID/5\n")) {
		t.Errorf("%d, %s%s%v\n%s", code, stdout, stderr, err, script)
	}
	submit = environment([]string{"sweep", "grid.yaml", "--out", "array", "--slurm", "--elements", "6"})
	submit.Dir = dir
	if code, _, stderr := invoke(submit); code != exit.BadInput || !strings.Contains(stderr, "take --elements 5") {
		t.Errorf("6 elements: %d, %s", code, stderr)
	}
}

// Elements that do the same study share its simulations; the outcome is the local one, byte for byte.
func TestAStudyOnSlurmHasTheLocalOutcome(t *testing.T) {
	dir := t.TempDir() // it is removed after the end of Slurm
	c := slurmOf(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv(holdFile, in("no-hold"))
	t.Chdir(dir) // jobs begin in the folder in which they were submitted
	const text = `name: study
cluster: {nodes: 4, node: hgx-a100-100g}
topology: {shape: fat-tree, levels: 2, radix: 32}
fabrics: [roce-v2-100g]
workload: {collective: all-reduce, sizes: [64KiB]}
training:
  model: {layers: 2, hidden: 512, ffn: 2048, gated: true, heads: 8, kv-heads: 8, head-dim: 64, vocab: 4096, sequence: 512}
  parallel: {tensor: 4, pipeline: 2}
  batch: {global: 16}
tune: {runs: 70, seeds: 2, held-out: 3, parameters: [{path: "fabrics[0].routing.mode", values: [ecmp, spray]}, {path: "fabrics[0].ethernet.ecn.kmin", from: 50KB, to: 5MB}]}
`
	if err := os.WriteFile("study.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tooMany := environment([]string{"tune", "study.yaml", "--out", "array", "--slurm", "--elements", "2000"})
	if code, _, stderr := invoke(tooMany); code != exit.BadInput || !strings.Contains(stderr, "the site allows arrays of 1001 (MaxArraySize): take --elements 1001") {
		t.Errorf("2000 elements: %d, %s", code, stderr)
	}
	for file, study := range map[string][]string{
		"tune.json":       {"tune", "study.yaml"},
		"results.json":    {"train", "study.yaml", "--scale", "16,32", "--seeds", "3"},
		"validation.json": {"validate", "--case", "p*"},
		"collisions.json": {"roce", "collisions", "study.yaml", "--hash-seeds", "3", "--nodes", "2,4"},
	} {
		sharedOnSlurm(t, c, in, file, study, 8)
	}
}

// sharedOnSlurm does a study here and as an array of four elements in the current folder, and compares the files with the
// outcome. in is the path of a file in that folder; least is the least pieces of work that the elements share.
func sharedOnSlurm(t *testing.T, c *slurmtest.Cluster, in func(name string) string, file string, study []string, least int) {
	t.Helper()
	local := environment(append(study, "--out", "local", "--quiet"))
	local.Run = weft.Run
	if code, _, stderr := invoke(local); code != exit.OK {
		t.Fatal(stderr)
	}
	submit := environment(append(study, "--out", "array", "--slurm", "--elements", "4", "--partition=p"))
	code, stdout, stderr := invoke(submit)
	var array, collect int
	if _, err := fmt.Sscanf(stdout, "submitted job %d with 4 elements, and job %d,", &array, &collect); code != exit.OK || err != nil {
		t.Fatalf("%s%s", stdout, stderr)
	}
	awaitJobs(c, array, collect)
	said, _ := c.Command("sh", "-c", "cat "+in("array.slurm/logs/*")).CombinedOutput() // for the message only
	got, err := os.ReadFile(filepath.Join("array", file))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	want, err := os.ReadFile(filepath.Join("local", file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s of the array differs from the local one:\n%s", file, said)
	}
	pieces, workers := map[string]bool{}, 0
	rows, err := filepath.Glob("array.slurm/rows/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rows {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			piece, _, _ := bytes.Cut(line, []byte(","))
			if pieces[string(piece)] {
				t.Errorf("%s ran twice", piece)
			}
			pieces[string(piece)] = true
		}
		workers++
	}
	t.Logf("%s: %d pieces of work by %d processes", file, len(pieces), workers)
	if len(pieces) < least {
		t.Errorf("%s: %d pieces of work were shared, want %d at least", file, len(pieces), least)
	}
	for _, name := range []string{"local", "array", "array.slurm"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

// What-if on Slurm: the elements share the failures of an InfiniBand fabric from a file, and of an Ethernet fabric whose workload
// is simulated.
func TestWhatIfOnSlurmHasTheLocalOutcome(t *testing.T) {
	dir := t.TempDir() // it is removed after the end of Slurm
	c := slurmOf(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv(holdFile, in("no-hold"))
	t.Chdir(dir) // jobs begin in the folder in which they were submitted
	const text = `name: failures
cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabric: KIND
workload: {collective: all-reduce, sizes: [64KiB]}
`
	for name, kind := range map[string]string{"ib.yaml": "infiniband-ndr", "eth.yaml": "roce-v2-400g"} {
		if err := os.WriteFile(name, []byte(strings.Replace(text, "KIND", kind, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write := environment([]string{"fabric", "convert", "ib.yaml", "--to", "ibnetdiscover", "-o", "real.topo"})
	if code, _, stderr := invoke(write); code != exit.OK {
		t.Fatal(stderr)
	}
	for _, study := range [][]string{{"real.topo", "--every-link"}, {"ib.yaml", "--every-link"}, {"eth.yaml", "--every-link"}, {"ib.yaml", "--fail", "leaf0", "--fail", "spine0:1"}} {
		sharedOnSlurm(t, c, in, "what-if.json", append([]string{"fabric", "what-if"}, study...), 2)
	}
}

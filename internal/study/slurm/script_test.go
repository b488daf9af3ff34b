package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/internal/test/slurmtest"
	"weft/units"
)

func TestTheScriptAsksForWhatTheArrayNeeds(t *testing.T) {
	a := Array{
		Name: "weft-swept", Folder: "/shared/swept", Partition: "cpu", Account: "net", Time: 26*time.Hour + 30*time.Minute,
		Elements: 64, AtOnce: 16, CPUs: 4, Memory: 3*units.GiB + 1, Command: "weft sweep work /shared/swept -j 4",
	}
	text := a.Script()
	for _, want := range []string{
		"--job-name=weft-swept\n", "--partition=cpu\n", "--account=net\n", "--time=1-02:30:00\n", "--array=0-63%16\n", "--cpus-per-task=4\n",
		"--mem=3073M\n", "--requeue\n", "--output=/shared/swept/logs/%A_%a.log\n",
		"\nexport WEFT_WORKER=slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n", "\nexport WEFT_ELEMENT=$SLURM_ARRAY_TASK_ID/64\n",
		"WEFT_LIMIT=$((90630 - SECONDS))\n", "\n  weft sweep work /shared/swept -j 4 &\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the script has no %q:\n%s", want, text)
		}
	}
	if collect := strings.Join(a.Collect("7", "weft sweep show /shared/swept"), " "); !strings.Contains(collect, "--mem=3073M") {
		t.Errorf("the job that collects asks for no memory, so a node's whole may be its: %s", collect)
	}
	if bare := (&Array{Name: "n", Folder: "/f", Elements: 2, CPUs: 1, Command: "true"}).Script(); strings.Contains(bare, "--partition") || strings.Contains(bare, "--account") || strings.Contains(bare, "--time") || strings.Contains(bare, "LIMIT") {
		t.Errorf("a script without partition, account and time has one of them:\n%s", bare)
	}
}

// A folder may have blanks, quotation marks and signs that sbatch would replace; the real Slurm finds it.
func TestAFolderOfAnyNameIsFoundBySlurm(t *testing.T) {
	c := slurmtest.Start(t, `SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=1
NodeName=`+slurmtest.NodeName+` NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP`, "", true)
	var logs []func() // each waits for one
	for _, name := range []string{"plain", "my runs", "100%", "50%A of 8%j", "it's \"it\"", "a#b c", "$HOME and `id`"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if why := Fits(dir); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		a := Array{Name: "weft-" + name, Folder: dir, Partition: "p", Elements: 2, CPUs: 1, Memory: 64 * units.MiB, Command: "printenv WEFT_TEST_FOLDER", Variables: []string{"WEFT_TEST_FOLDER=" + dir}}
		script := filepath.Join(dir, "slurm.sh")
		if err := os.WriteFile(script, []byte(a.Script()), 0o755); err != nil {
			t.Fatal(err)
		}
		submit := func(options ...string) string {
			t.Helper()
			out, err := c.Command("sbatch", options...).Output()
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, a.Script())
			}
			return strings.TrimSpace(string(out))
		}
		job := submit("--parsable", script)
		submit(a.Collect(job, "printenv WEFT_TEST_FOLDER")...)
		for _, log := range []string{job + "_0.log", job + "_1.log", "collect.log"} {
			logs = append(logs, func() {
				c.Await(name+"/logs/"+log, func() bool {
					text, err := os.ReadFile(filepath.Join(dir, "logs", log))
					return err == nil && strings.TrimSpace(string(text)) == dir
				})
			})
		}
	}
	for _, await := range logs {
		await()
	}
	for _, name := range []string{`/a\b`, "/a\nb"} {
		if Fits(name) == "" {
			t.Errorf("%q fits", name)
		}
	}
}

// An element begins a killed process again, and passes the code of any other end on.
func TestAnElementGoesOnAfterAKilledProcess(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	dir := t.TempDir()
	for command, want := range map[string]string{
		`bash -c 'echo run >>` + dir + `/a; [ $(wc -l <` + dir + `/a) -eq 3 ] || kill -9 $$'`: "3 0",
		`bash -c 'echo run >>` + dir + `/b; kill -9 $$'`:                                      "4 137",
		`bash -c 'echo run >>` + dir + `/c; exit 3'`:                                          "1 3",
	} {
		script := (&Array{Name: "n", Folder: dir, Elements: 1, CPUs: 1, Command: command}).Script()
		file := command[strings.Index(command, dir) : strings.Index(command, dir)+len(dir)+2]
		out, err := exec.Command(bash, "-c", "("+script+") >/dev/null 2>&1; code=$?; echo $(wc -l <"+file+") $code").Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: runs and code are %s, want %s; %v", command, got, want, err)
		}
	}
}

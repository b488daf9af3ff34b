package slurmtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asCluster makes this test binary start a Slurm with a job, and wait for its own end.
const asCluster = "WEFT_TEST_SLURM"

// A test that a signal kills leaves no daemon, and no process of a job.
func TestNothingIsLeftOfASlurm(t *testing.T) {
	if os.Getenv(asCluster) != "" {
		startAndWait(t)
	}
	program(t, "slurmctld")
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // a socket's path has 107 characters at most
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), asCluster+"=yes", "TMPDIR="+dir)
	said, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := bufio.NewReader(said).ReadString('\n')
	conf, running := strings.CutPrefix(strings.TrimSpace(text), "running ")
	if !running {
		t.Errorf("the test that starts Slurm says %q, %v", text, err)
	}
	before := len(processes(conf))
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if before < 5 { // munged, slurmctld, slurmd, slurmstepd, the job
		t.Errorf("%d processes have %q in their environment while a job runs, want 5 at least", before, conf)
	}
	for deadline := time.Now().Add(patience); len(processes(conf)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the test has ended, and the processes %v have not", processes(conf))
		}
	}
}

func startAndWait(t *testing.T) {
	c := Start(t, "SelectType=select/cons_tres\nSlurmdParameters=config_overrides\nReturnToService=2\nKillWait=1\nNodeName="+NodeName+
		" NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN\nPartitionName=p Nodes=ALL Default=YES State=UP", "", true)
	if out, err := c.Command("sbatch", "--output="+filepath.Join(c.Dir, "job.log"), "--wrap", "sleep 1000").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.Await("the job", func() bool {
		out, _ := c.Command("squeue", "-h", "-t", "R").Output()
		return len(out) > 0 && len(processes(filepath.Join(c.Dir, "slurm.conf"))) >= 5
	})
	fmt.Println("running", filepath.Join(c.Dir, "slurm.conf"))
	select {}
}

// processes are the processes with a configuration of Slurm in their environment.
func processes(conf string) (out []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, _ := os.ReadFile(file) // of a process that has ended: none
		if strings.Contains("\x00"+string(text), "\x00SLURM_CONF="+conf+"\x00") {
			out = append(out, filepath.Base(filepath.Dir(file)))
		}
	}
	return out
}

package slurmtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// packages are Debian's packages with the programs.
const packages = "slurmctld, slurmd, slurm-client, munge"

// Cluster is a running Slurm.
type Cluster struct {
	Dir string // of its configuration and logs

	t          testing.TB
	env        []string
	controller *exec.Cmd
	daemons    []*exec.Cmd
	said       *os.File // of the daemons
}

// patience is how long a test waits for Slurm: far longer than it takes.
const patience = 4 * time.Minute

// Start starts munge and the controller with lines of slurm.conf in addition, such as its nodes, and with a
// topology.conf if it has text. If daemon is set, it also starts the daemon of the node NodeName. Without the programs the
// test is skipped; in CI it fails.
func Start(t testing.TB, lines, topology string, daemon bool) *Cluster {
	t.Helper()
	c := &Cluster{Dir: t.TempDir(), t: t}
	var err error
	if c.said, err = os.Create(filepath.Join(c.Dir, "daemons.log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.said.Close() })
	munged := program(t, "munged")
	program(t, "slurmctld")
	conf := c.configure(lines, topology)
	c.env = append(os.Environ(), "SLURM_CONF="+conf)
	c.watch(conf)
	in := func(name string) string { return filepath.Join(c.Dir, name) }
	c.start(exec.Command(munged, "-F", "-f", "--socket="+in("munge.sock"), "--key-file="+in("munge.key"), "--pid-file="+in("munged.pid"),
		"--log-file="+in("munged.log"), "--seed-file="+in("munged.seed")))
	c.Await("munge's socket", func() bool { _, err := os.Stat(in("munge.sock")); return err == nil })
	c.control("-c")
	if daemon {
		c.start(exec.Command(program(t, "slurmd"), "-D", "-f", conf, "-N", NodeName))
	}
	return c
}

// NodeName is the name of the node whose daemon runs.
const NodeName = "weftnode"

// configure writes the files of the configuration.
func (c *Cluster) configure(lines, topology string) string {
	c.t.Helper()
	me, err := user.Current()
	if err != nil {
		c.t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	files := map[string]string{
		"munge.key": strings.Repeat("weft", 256),
		"slurm.conf": fmt.Sprintf(`ClusterName=weft
SlurmctldHost=%s(127.0.0.1)
SlurmUser=%s
SlurmdUser=%[2]s
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge.sock
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
SlurmdSpoolDir=%[3]s/spool
SlurmctldPort=%d
SlurmdPort=%d
StateSaveLocation=%[3]s
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1000
%[6]s
`, host, me.Username, c.Dir, freePort(c.t), freePort(c.t), lines),
	}
	if topology != "" {
		files["topology.conf"] = topology
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	return filepath.Join(c.Dir, "slurm.conf")
}

// control starts the controller, and waits until it answers.
func (c *Cluster) control(options ...string) {
	c.t.Helper()
	c.controller = c.start(exec.Command(program(c.t, "slurmctld"), append([]string{"-D", "-f", filepath.Join(c.Dir, "slurm.conf")}, options...)...))
	c.Await("the controller", func() bool { return c.Command("scontrol", "ping").Run() == nil })
}

// RestartController ends the controller, which saves its state, and starts it again.
func (c *Cluster) RestartController() {
	c.t.Helper()
	if err := c.controller.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	_ = c.controller.Wait()
	c.control()
}

// atEnd is the script of a shell that waits for the end of the test's process, cancels all jobs, and kills all
// processes that have this Slurm's configuration ($1) in their environment: the daemons, and what is left of jobs.
const atEnd = `trap "" INT TERM
read -r _
SLURM_CONF=$1 timeout 20 scancel --user="$(id -u)"
for _ in $(seq 100); do [ -z "$(SLURM_CONF=$1 timeout 20 squeue -h)" ] && break; sleep 0.1; done
left() { grep -lzsxF "SLURM_CONF=$1" /proc/[0-9]*/environ | tr -dc '0-9\n'; }
while pids=$(left "$1") && [ -n "$pids" ]; do kill -9 $pids; sleep 0.05; done
`

// watch starts the process that ends this Slurm with the test, in whatever way the test ends.
func (c *Cluster) watch(conf string) {
	c.t.Helper()
	w := exec.Command(program(c.t, "sh"), "-c", atEnd, "sh", conf)
	w.Stderr = c.said
	end, err := w.StdinPipe() // the system closes it if this process dies
	if err == nil {
		err = w.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = end.Close()
		_ = w.Wait()
		for _, d := range c.daemons {
			_ = d.Wait()
		}
	})
}

// start starts a daemon.
func (c *Cluster) start(d *exec.Cmd) *exec.Cmd {
	c.t.Helper()
	d.Env = c.env
	d.Stderr = c.said
	if err := d.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.daemons = append(c.daemons, d)
	return d
}

// Command is a program of Slurm, or another one, that talks to this cluster.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(program(c.t, name), args...)
	cmd.Env = c.env
	return cmd
}

// Env is the environment of programs that talk to this cluster.
func (c *Cluster) Env() []string { return c.env }

// Await waits for a condition.
func (c *Cluster) Await(what string, is func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(c.said.Name()) // for the message only
			c.t.Fatalf("%s: not in %v\n%s", what, patience, said)
		}
	}
}

// program is the path of a program.
func program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: .ci/run does that (%s)", name, packages)
	}
	t.Skipf("SKIPPED: %s is not installed (%s)", name, packages)
	return ""
}

// freePort is a free TCP port.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("a listener on TCP is at %v", l.Addr())
	}
	return at.Port
}

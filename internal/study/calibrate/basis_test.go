package calibrate

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// tasksOf are the tasks of a log of an all-reduce on 16 GPUs, with lines above its table.
func tasksOf(t *testing.T, lines string) *Task {
	t.Helper()
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	l := read(t, lines+"# Collective test starting: all_reduce_perf\n67108864 16777216 float sum -1 400 167.77 314.57 0 401 167.35 313.79 0\n")[0]
	tasks, notes := c.Tasks(l, Options{Nodes: 2})
	if len(tasks) != 1 {
		t.Fatalf("%d tasks, %v", len(tasks), notes)
	}
	return tasks[0]
}

// The prediction has what the log states: the user's algorithm, protocol and switches, by the line of
// each. Values that leave NCCL a choice, and lists of devices to leave out, change nothing.
func TestTheLogStatesTheBasis(t *testing.T) {
	const run = " ./all_reduce_perf -b 64M -e 64M\n"
	for lines, want := range map[string]string{
		"$ mpirun -np 16 -x NCCL_ALGO=RING" + run:                                "workload.algorithm=ring (NCCL_ALGO=RING (line 1))",
		"export NCCL_PROTO=Simple\n":                                             "workload.protocol=simple (NCCL_PROTO=Simple (line 1))",
		"$ NCCL_NVLS_ENABLE=0" + run:                                             "cluster.node.scale-up.multicast=false (NCCL_NVLS_ENABLE=0 (line 1))",
		"$ NCCL_IB_HCA=mlx5_0,mlx5_3:1" + run:                                    "cluster.node.nics=2 (NCCL_IB_HCA=mlx5_0,mlx5_3:1 (line 1))",
		"n1:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB ; \n": "cluster.node.nics=2 (NCCL uses mlx5_0:1, mlx5_1:1)",
		"$ NCCL_IB_HCA=^mlx5_2" + run:                                            "",
		"$ NCCL_IB_HCA=mlx5" + run:                                               "",
		"$ NCCL_ALGO=Tree,Ring" + run:                                            "",
		"$ NCCL_MAX_NCHANNELS=4" + run:                                           "",
		"$ NCCL_MAX_NCHANNELS=4 NCCL_MIN_NCHANNELS=4" + run:                      "workload.channels=4 (NCCL_MAX_NCHANNELS=4 (line 1))",
	} {
		task := tasksOf(t, lines)
		var got []string
		for _, s := range task.Stated {
			for _, o := range s.over {
				got = append(got, o.Path+"="+o.Value+" ("+s.quoted()+")")
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q states %q, want %q", lines, got, want)
		}
	}
	if got := tasksOf(t, "$ NCCL_IB_HCA=mlx5_0"+run).base.Cluster.Node.NICs; got != 1 {
		t.Errorf("the base has %d NICs, want the one of the log", got)
	}
}

// A log of a ring that its command line forces is healthy, and the cost of the choice is told; the same
// times without the line fall short.
func TestAUsersChoiceIsNoFault(t *testing.T) {
	ring := scenario.Override{Path: "workload.algorithm", Value: "ring", Origin: "fault"}
	log := measure(t, "all-reduce", 7, ring)
	c, o := describe(t, small), Options{Known: .06}
	with := diagnoseBy(t, c, read(t, "$ mpirun -np 4 -x NCCL_ALGO=Ring ./all_reduce_perf\n"+log)[0], o)
	if with.Verdict != Healthy {
		t.Errorf("with the line: %s, %s", with.Verdict, firstFew(with.Diagnosis))
	}
	if x := with.Chosen; x != nil && (len(x.Stated) != 1 || x.Stated[0] != "NCCL_ALGO=Ring (line 1)") {
		t.Errorf("the cost is of %v", x.Stated)
	}
}

// NICs that NCCL's own list leaves out are the cause, with the line, and the prediction is of all NICs.
func TestIdleNICsOfTheLogAreTheCause(t *testing.T) {
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	says := "n1:7:7 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
	rows := "# Collective test starting: all_reduce_perf\n"
	l := read(t, says+rows+"67108864 16777216 float sum -1 400 167.77 314.57 0 401 167.35 313.79 0\n")[0]
	task := func() *Task { tasks, _ := c.Tasks(l, Options{Nodes: 2}); return tasks[0] }()
	times, err := task.simulate(context.Background(), task.base, 1, &Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(says + rows)
	row(&b, 64*mib, 16, func() float64 { return float64(times[0]) / 1e6 }, 0, rand.New(rand.NewPCG(1, 1)))
	d, err := c.Diagnose(context.Background(), read(t, b.String())[0], Options{Simulate: simulateOnce, Nodes: 2, coarse: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict != Explained || d.Explanations[0].ID != fewerRailsID || !strings.Contains(d.Explanations[0].Evidence, "mlx5_0") {
		t.Fatalf("%s, %s", d.Verdict, firstFew(d))
	}
	for _, e := range d.Explanations[1:] {
		if !strings.HasPrefix(e.Label, "1 of 8 NICs of each node in use, and ") || e.Changes[0].Path != "cluster.node.nics" {
			t.Errorf("%s was simulated with the idle NICs, and says %q, %v", e.ID, e.Label, e.Changes)
		}
	}
	if d.Idle.Unused != "7 of 8 NICs of each node are unused" || d.Idle.Ratio < 2 || d.Predicted[0][0] != d.Idle.Times[0][0] {
		t.Errorf("%s, which costs a factor of %g; the prediction is %v, without the line %v", d.Idle.Unused, d.Idle.Ratio, d.Predicted[0][0], d.Idle.Times[0][0])
	}
}

// What the log says against a cause strikes it, with the reason.
func TestTheLogStrikesCauses(t *testing.T) {
	via := "n1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	task := tasksOf(t, via)
	log := &logfile.Log{Said: logfile.Said{Direct: 1}}
	struck := map[string]bool{}
	for i := range Hypotheses {
		if h := &Hypotheses[i]; h.concerns(task) {
			variants, why := h.possible(c, log, task)
			struck[h.ID] = len(variants) == 0 && strings.Contains(why, "the log has")
		}
	}
	for id, want := range map[string]bool{"gpudirect-off": true, "tcp": true, "peer-path": false, "slow-nic": false} {
		if struck[id] != want {
			t.Errorf("%s struck: %v, want %v", id, struck[id], want)
		}
	}
}

// Open MPI and UCX may start NCCL's ranks over TCP: that says nothing of NCCL's own data. It does of the tests of MPI and of
// UCX, which perftest is not.
func TestTheTransportOfMPIIsOfItsOwnTests(t *testing.T) {
	const mpi = "$ mpirun -np 16 --mca btl tcp,self -x UCX_NET_DEVICES=ib0 ./test\n"
	const osu = "# OSU MPI Bandwidth Test v5.7\n# Size      Bandwidth (MB/s)\n65536 700.1\n1048576 712.2\n4194304 715.0\n"
	if said := socketsSaid(read(t, mpi+osu)[0], tasksOf(t, mpi)); said != "" {
		t.Errorf("of an all-reduce of NCCL %q", said)
	}
	c := describe(t, "cluster: {nodes: 2, node: {preset: dgx-1-v100, nics: 1}}\nfabric: infiniband-edr")
	for lines, want := range map[string]string{mpi: "tcp", "$ mpirun -np 2 -x UCX_NET_DEVICES=mlx5_0:1 ./osu_bw\n": ""} { // a tenth at every size proves no cause by itself
		d, err := c.Diagnose(t.Context(), read(t, lines+osu)[0], Options{Simulate: simulateOnce})
		if err != nil {
			t.Fatal(err)
		}
		if said := d.Explanations[0].ID; want != "" && (said != want || d.Verdict != Explained) || want == "" && d.Verdict != Undecided {
			t.Errorf("%q: %s, %s", lines, d.Verdict, firstFew(d))
		}
		if next, ok := d.Next(); want == "" && (!ok || !next.Shows(d.Explanations[0].ID)) {
			t.Errorf("the next measurement is %q", next.Command)
		}
	}
}

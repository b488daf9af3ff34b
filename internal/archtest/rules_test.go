package archtest

// module is the path that go.mod declares.
const module = "weft"

// maxFunctionLines is how long a function may be, its signature and closing
// brace counted: what fits on a screen.
const maxFunctionLines = 80

// rule says what a package may import from this module.
type rule struct {
	pkg  string
	may  []string
	why  string
	core bool // in what runs inside the simulation: no third-party module, not even through others
}

// inner lists the packages whose imports are chosen one by one:
//
//	units ← wire ← transport, sm, roce
//	units ← engine
//	topology ← routing ← sm
//	all of those ← fabric
var inner = []rule{
	{
		pkg: "units", core: true,
		why: "the vocabulary is understood without anything else",
	},
	{
		pkg: "wire", core: true, may: []string{"units"},
		why: "what a packet looks like depends on no one who sends it",
	},
	{
		pkg: "wire/wiretest",
		why: "recorded conversations are read for tests, whatever weft makes of them",
	},
	{
		pkg: "wire/pcap", core: true,
		why: "a capture file holds bytes, whatever they mean",
	},
	{
		pkg: "wire/mad", core: true, may: []string{"units"},
		why: "a management datagram is bytes, whoever answers it",
	},
	{
		pkg: "wire/cm", core: true, may: []string{"units"},
		why: "a message of communication management is bytes, whoever connects",
	},
	{
		pkg: "internal/sim/engine", core: true, may: []string{"units"},
		why: "clock and event queue know events, not what happens in them",
	},
	{
		pkg: "internal/base/topology", core: true, may: []string{"units"},
		why: "a graph is a graph, whatever flows through it",
	},
	{
		pkg: "internal/sim/routing", core: true, may: []string{"units", "internal/base/topology"},
		why: "a routing engine is a pure function from the graph to tables",
	},
	{
		pkg: "internal/base/cores", core: true,
		why: "work is shared out without knowing what it is",
	},
	{
		pkg: "internal/ib/subnet", core: true, may: []string{"units", "internal/base/topology"},
		why: "an InfiniBand subnet is nodes, ports, LIDs and tables, whoever reads, routes or manages it",
	},
	{
		pkg: "internal/ib/format", core: true, may: []string{"units", "internal/ib/subnet"},
		why: "a file format is the same whoever asks for the file",
	},
	{
		pkg: "internal/ib/proof", core: true, may: []string{"units", "internal/base/cores", "internal/ib/subnet"},
		why: "whoever proves tables does not compute them",
	},
	{
		pkg: "internal/ib/inspect", core: true, may: []string{"units", "internal/ib/subnet"},
		why: "what a fabric is can be seen from its cables, whatever file they were read from",
	},
	{
		pkg: "internal/ib/route", core: true, may: []string{"units", "internal/base/cores", "internal/ib/subnet", "internal/ib/inspect", "internal/ib/proof"},
		why: "a routing engine is a pure function from a subnet, and what was recognised in it, to tables, which the proof judges before anybody has them; who reads, writes or installs them is another matter",
	},
	{
		pkg: "internal/ib/routetest", core: true, may: []string{"units", "internal/ib/subnet", "internal/ib/format"},
		why: "what other programs computed is read for tests, whatever weft makes of it",
	},
	{
		pkg: "internal/ib/partition", core: true, may: []string{"units", "internal/ib/format"},
		why: "who may talk to whom is a rule of the site, apart from any fabric",
	},
	{
		pkg: "internal/ib/qos", core: true, may: []string{"units", "internal/ib/format"},
		why: "weights of lanes are a rule of the site, apart from any fabric",
	},
	{
		pkg: "internal/ib/export", core: true,
		may: []string{"units", "internal/ib/subnet", "internal/ib/inspect", "internal/base/topology"},
		why: "what schedulers and drawings need is what was recognised, laid out anew",
	},
	{
		pkg: "internal/sim/collective", core: true, may: []string{"units"},
		why: "a schedule knows ranks, not networks",
	},
	{
		pkg: "internal/sim/collective/nccl", core: true, may: []string{"units", "internal/sim/collective"},
		why: "NCCL's choice is arithmetic about a cluster",
	},
	{
		pkg: "internal/sim/workload", core: true, may: []string{"units", "internal/sim/collective", "internal/sim/engine"},
		why: "what ranks do is a graph, whoever describes it and whatever it runs on",
	},
	{
		pkg: "internal/sim/workload/pipeline", core: true,
		why: "the order of a pipeline's work is arithmetic about stages and micro-batches",
	},
	{
		pkg: "internal/sim/workload/llm", core: true, may: []string{"units", "internal/sim/collective", "internal/sim/workload", "internal/sim/workload/pipeline"},
		why: "a training step follows from a model's dimensions, whatever cluster it runs on",
	},
	{
		pkg: "internal/formats/source", core: true, may: []string{"units", "internal/sim/workload"},
		why: "what readers of workload files have in common is no format's own",
	},
	{
		pkg: "internal/formats/goal", core: true, may: []string{"units", "internal/sim/workload", "internal/formats/source"},
		why: "another program's file becomes a graph, whatever the graph runs on",
	},
	{
		pkg: "internal/formats/simai", core: true, may: []string{"units", "internal/sim/collective", "internal/sim/workload", "internal/formats/source"},
		why: "another simulator's workload becomes a folded graph, whatever it runs on",
	},
	{
		pkg: "internal/formats/hpcc", core: true, may: []string{"units"},
		why: "another simulator's files are read and written without running anything",
	},
	{
		pkg: "internal/formats/astra", core: true, may: []string{"units", "internal/formats/source"},
		why: "a network of another simulator becomes a scenario, whatever runs on it",
	},
	{
		pkg: "internal/formats/hpcctopo", core: true, may: []string{"internal/formats/hpcc", "internal/formats/source"},
		why: "a topology of another simulator becomes a scenario, whatever runs on it",
	},
	{
		pkg: "internal/formats/htsim", core: true, may: []string{"units", "internal/sim/workload", "internal/formats/source"},
		why: "another simulator's connections become a graph, whatever it runs on",
	},
	{
		pkg: "internal/formats/chakra", may: []string{"units", "internal/sim/collective", "internal/sim/engine", "internal/sim/workload", "internal/formats/source"},
		why: "traces in protobuf become a graph, whatever it runs on; the engine's heap puts their nodes in order",
	},
	{
		pkg: "internal/formats/ncclxml", core: true, may: []string{"internal/formats/source"},
		why: "a node that NCCL describes is fields of a scenario, whoever resolves them",
	},
	{
		pkg: "internal/formats", may: []string{"internal/formats/source", "internal/formats/astra", "internal/formats/chakra", "internal/formats/goal", "internal/formats/hpcctopo", "internal/formats/htsim", "internal/formats/ncclxml", "internal/formats/simai"},
		why: "recognising a file takes all readers, and nothing that runs what they read",
	},
	{
		pkg: "internal/base/topology/topologytest", core: true, may: []string{"units", "internal/base/topology"},
		why: "what draws graphs for tests knows graphs only",
	},
	{
		pkg: "internal/base/golden",
		why: "what holds texts against files knows nothing of what they say; tests alone import it",
	},
	{
		pkg: "internal/formats/logfile",
		why: "what a program printed is read without knowing what anyone expected of it",
	},
	{
		pkg: "internal/sim/runstore", may: []string{"units"},
		why: "a run's folder outlives the simulator that filled it",
	},
	{
		pkg: "internal/sim/transport/cc", core: true, may: []string{"units"},
		why: "congestion control sees marks, delays and rates, not packets",
	},
	{
		pkg: "internal/sim/transport", core: true, may: []string{"units", "wire", "internal/sim/transport/cc"},
		why: "a queue pair is written once, for the simulator and for real sockets",
	},
	{
		pkg: "internal/sim/transport/tcp", core: true, may: []string{"units", "wire", "internal/sim/transport", "internal/sim/transport/cc"},
		why: "TCP is one more transport beside the queue pairs, under the same rules",
	},
	{
		pkg: "internal/ib/sm", core: true, may: []string{"units", "wire/mad", "internal/ib/subnet"},
		why: "a Subnet Manager takes MADs and gives MADs; it never sees a simulated link, and tables come from a function",
	},
	{
		pkg: "internal/ib/sma", core: true, may: []string{"units", "wire/mad", "internal/ib/subnet"},
		why: "the agents of a subnet's nodes answer MADs, whoever carries them",
	},
	{
		pkg: "internal/ib/ibsim", may: []string{"units", "wire/mad", "internal/ib/sma", "internal/ib/subnet"},
		why: "the simulator's sockets carry MADs between programs and agents",
	},
	{
		pkg: "internal/ib/ibsim/ibsimtest",
		why: "what runs real programs in tests knows programs only",
	},
	{
		pkg: "internal/roce", may: []string{"units", "wire"},
		why: "headroom and thresholds are arithmetic about links",
	},
	{
		pkg: "internal/roce/sonic", may: []string{"units"},
		why: "a switch's configuration is read without knowing who asks about it",
	},
	{
		pkg: "internal/roce/host", may: []string{"units"},
		why: "what a host says is read without knowing its switch",
	},
	{
		pkg: "internal/roce/lint", may: []string{"units", "internal/roce", "internal/roce/sonic", "internal/roce/host"},
		why: "both ends of a link are judged by what they say and by arithmetic, without a simulation",
	},
	{
		pkg: "internal/roce/prove", may: []string{"units", "internal/roce/lint", "internal/roce/sonic"},
		why: "a proof is written as a scenario; who runs it is not its matter",
	},
	{
		pkg: "internal/sim/catalog", may: []string{"units"},
		why: "a datasheet knows nothing about its use",
	},
	{
		pkg: "internal/sim/fabric", core: true,
		may: []string{
			"units", "wire", "internal/sim/engine", "internal/base/topology", "internal/sim/routing",
			"internal/sim/transport", "internal/sim/transport/cc", "internal/sim/transport/tcp",
			"internal/ib/sm", "internal/roce", "internal/sim/collective", "internal/base/cores",
		},
		why: "hardware is given its specification; it reads neither scenario nor catalog",
	},
	{
		pkg: "internal/live/sniff", core: true, may: []string{"units", "wire", "wire/cm", "wire/pcap"},
		why: "what is read off a wire is judged without knowing who sent it",
	},
	{
		pkg: "internal/live/wiretap", may: []string{"wire", "wire/pcap"},
		why: "an interface gives packets as a file does, whoever judges them",
	},
	{
		pkg: "verbs/internal/socket", may: []string{"units", "wire", "wire/pcap", "internal/sim/transport"},
		why: "sockets and a clock under the queue pairs; what memory and completions are is the verbs' matter",
	},
	{
		pkg: "internal/sim/transport/rdtest", may: []string{"units", "wire"},
		why: "scripts that the state machines and devices run: no state machine of its own",
	},
	{
		pkg: "verbs/internal/socket/faulty", may: []string{"verbs/internal/socket"},
		why: "a network for tests carries datagrams, whatever is in them",
	},
	{
		pkg: "verbs", may: []string{"units", "wire", "wire/cm", "wire/pcap", "internal/sim/transport", "internal/sim/transport/cc", "verbs/internal/socket"},
		why: "the verbs are objects on a live device, without a simulator",
	},
	{
		pkg: "internal/live/perf", may: []string{"units", "verbs"},
		why: "a measurement sees what an application sees",
	},
	{
		pkg: "interop", may: nil,
		why: "weft is held against Linux from outside, as the program that people run",
	},
	{
		pkg: "interop/guest", may: []string{"interop"},
		why: "the first process of a virtual machine knows only what it is asked",
	},
	{
		pkg: "internal/live/ranks", may: []string{"units", "verbs", "internal/sim/collective"},
		why: "a collective for real is an application of the verbs, with the schedules of the simulator",
	},
}

// layer is a group of packages that may import each other, everything in inner,
// and the layers before it.
type layer struct {
	packages []string
	why      string
}

// outer lists the packages around the core, in the direction of the data:
// scenario ← sim ← report, cli.
var outer = []layer{
	{[]string{"internal/base/stats"}, "intervals and quantiles are of numbers, whatever was measured"},
	{[]string{"internal/sim/scenario"}, "what a user asks for is said before anything is built"},
	{[]string{"internal/sim/simtest"}, "scenarios of tests are written before anything runs"},
	{[]string{"internal/study/roceexport"}, "devices are told the numbers of a scenario, before anything runs"},
	{[]string{"internal/study/hpccrun"}, "another simulator's case runs on weft's fabric, without a scenario"},
	{[]string{"internal/sim/run/jitter", "internal/sim/run/host"}, "what software and chance add to a message is known without a network"},
	{[]string{"internal/sim/run/network"}, "a fabric is put together whatever is to run on it, and whoever routes it"},
	{[]string{"internal/sim/run/control"}, "the control plane writes into a plan; packets that run on it cannot have an influence on it"},
	{[]string{"internal/sim/run/measure"}, "what a network counted is told of every application alike"},
	{[]string{"internal/sim/run/pattern", "internal/sim/run/executor"}, "an application posts messages on a network that is ready"},
	{[]string{"internal/sim/run/phases"}, "what is carried out once for others that are alike is carried out by the executor"},
	{[]string{"internal/sim"}, "one place alone runs a scenario, size by size"},
	{[]string{"internal/study/training", "internal/study/replay", "internal/study/latency"}, "steps, workloads and single messages are carried out by the parts of the simulator"},
	{[]string{"internal/study/tune", "internal/study/collisions"}, "a search runs the simulator as a user would; whoever tells of it does not decide"},
	{[]string{"internal/study/predict"}, "what the simulator makes of a measured pair; who measures does not know of it"},
	{[]string{"internal/study/calibrate"}, "measurements are laid beside what was simulated"},
	{[]string{"internal/study/plan"}, "a design is a scenario before it is a bill of materials"},
	{[]string{"internal/study/advise"}, "a recommendation rests on designs and on what was simulated of them"},
	{[]string{"internal/study/validate", "internal/face/report", "internal/study/audit"}, "whoever judges a result cannot have an influence on it"},
	{[]string{"internal/face/cli"}, "verbs of the command line call everything; nothing calls them"},
	{[]string{"cmd/weft"}, "main is a few lines around cli"},
	{[]string{"internal/archtest"}, "the rules are about all packages and part of none"},
}

// ban forbids packages of the standard library below a directory. A banned
// package takes those below it along: sync and sync/atomic.
type ban struct {
	below   string
	imports []string
	why     string
}

var (
	noIO = []string{"time", "net", "os", "sync", "log"}
	bans = []ban{
		{"internal/sim/transport", noIO, "a sans-I/O state machine: now comes in with each call, packets go out with the return"},
		{"internal/ib/sm", noIO, "a sans-I/O state machine: now comes in with each call, MADs go out with the return"},
		{"internal/sim/engine", []string{"time"}, "time is units.Time, the simulated clock; the wall clock would end determinism"},
		{"internal/sim/fabric", []string{"time"}, "time is units.Time, the simulated clock; the wall clock would end determinism"},
	}
)

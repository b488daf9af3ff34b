package archtest

// module is the path that go.mod declares.
const module = "weft"

// maxFunctionLines is how long a function may be, its signature and closing
// brace counted: what fits on a screen.
const maxFunctionLines = 80

// wing is a top folder of the code and the wings that its packages may import.
// Packages of one wing may import each other.
type wing struct {
	dir string
	may []string
	why string
}

// wings lists every wing from the ground up. A wing may import only wings that
// stand before it in this list.
var wings = []wing{
	{"units", nil, "quantities are understood without anything else"},
	{"examples", nil, "the examples are files, whoever reads them"},
	{"schema", nil, "the schema is a file, whoever reads it"},
	{"wire", []string{"units"}, "the bytes of a packet do not depend on who sends it"},
	{"internal/base", []string{"units"}, "the ground that several wings stand on knows none of them"},
	{"internal/roce", []string{"units", "internal/base"}, "switches and hosts are configured and judged by arithmetic, without a simulation"},
	{"internal/ib", []string{"units", "wire", "internal/base"}, "a subnet is managed and its tables are proved whether its links are real or simulated"},
	{
		"internal/sim",
		[]string{"units", "wire", "internal/base", "internal/roce", "internal/ib"},
		"the simulator uses the control planes of both fabrics; nothing that uses its results can change them",
	},
	{"verbs", []string{"units", "wire", "internal/base", "internal/sim"}, "the verbs run the simulator's queue pairs on real sockets, without a simulated network"},
	{"internal/formats", []string{"units", "internal/base", "internal/sim"}, "a file of another tool becomes a workload or a scenario, whoever runs it"},
	{"internal/live", []string{"units", "wire", "internal/base", "internal/sim", "verbs"}, "a measurement on a real network is an application of the verbs; the simulator carries an emulated network, and the verbs are its devices"},
	{
		"internal/study",
		[]string{"units", "wire", "internal/base", "internal/roce", "internal/ib", "internal/sim", "internal/formats"},
		"a study runs the simulator many times; how its results are shown is decided elsewhere",
	},
	{".", []string{"units", "internal/sim", "internal/study"}, "what a user's Go program calls is the simulator with its public names, for one scenario or for many"},
	{
		"internal/face",
		[]string{
			".", "examples", "schema", "units", "wire", "internal/base", "internal/roce", "internal/ib", "internal/sim",
			"internal/formats", "internal/live", "internal/study", "verbs",
		},
		"commands and reports call everything; nothing calls them",
	},
	{
		"internal/test",
		[]string{"units", "wire", "internal/base", "internal/ib", "internal/sim"},
		"tests of all wings share it; a test is compiled for its own package alone, so that the program never has it",
	},
	{"cmd", []string{"internal/face", "internal/base", "units", "verbs"}, "main is a few lines around the command line, or around the verbs for programs in C"},
	{"interop", nil, "weft is held against Linux from outside, as the program that people run"},
	{"internal/archtest", nil, "the rules are about all packages and part of none"},
}

// publicRooms are rooms of a wing that a user's program imports, so that they do not stand below
// internal. The rule of their wing holds for them.
var publicRooms = map[string]string{
	"scenario": "internal/sim", // what is simulated
	"results":  "internal/sim", // what comes out
}

// room is a package that may import less than its wing may. Below a package
// without a room, the wing's rule alone holds.
type room struct {
	pkg string
	may []string
	why string
}

var rooms = []room{
	{".", []string{"units", "internal/sim", "internal/sim/known", "results", "scenario", "internal/study/many", "internal/study/serve", "internal/study/sweep", "internal/study/training"}, "a user's Go program runs collectives, patterns, training steps, serving jobs and sweeps, and no search"},

	{"wire/pcap", nil, "a capture file holds bytes, whatever they mean"},

	{"internal/ib/subnet", []string{"internal/base/sorting", "units", "internal/base/topology"}, "a subnet is nodes, ports, LIDs and tables, whoever reads, routes or manages it"},
	{"internal/ib/format", []string{"internal/base/sorting", "units", "internal/base/wording", "internal/ib/subnet"}, "a file format is the same whoever asks for the file"},
	{"internal/ib/inspect", []string{"internal/base/sorting", "units", "internal/base/cabling", "internal/ib/subnet"}, "the shape of a fabric is seen from its cables, whatever file they were read from"},
	{"internal/ib/proof", []string{"internal/base/sorting", "units", "internal/base/cores", "internal/base/cycles", "internal/ib/subnet"}, "the proof of tables does not use the code that computed them"},
	{
		"internal/ib/route",
		[]string{"units", "internal/base/cores", "internal/ib/subnet", "internal/ib/inspect", "internal/ib/proof"},
		"a routing engine is a pure function from a subnet to tables, which the proof judges before anybody has them",
	},
	{"internal/ib/partition", []string{"units", "internal/base/wording", "internal/ib/format"}, "partitions are a rule of the site, apart from any fabric"},
	{"internal/ib/qos", []string{"units", "internal/base/wording", "internal/ib/format"}, "weights of lanes are a rule of the site, apart from any fabric"},
	{"internal/ib/sm", []string{"internal/base/sorting", "units", "wire/mad", "internal/ib/subnet"}, "a Subnet Manager takes and gives management datagrams; it never sees a simulated link, and a function gives it the tables"},
	{"internal/ib/sma", []string{"units", "wire/mad", "internal/ib/subnet"}, "the agents of a subnet's nodes answer management datagrams, whoever carries them"},

	{"internal/roce/sonic", []string{"internal/base/sorting", "units"}, "the configuration of a switch is read without knowing who asks about it"},
	{"internal/roce/host", []string{"internal/base/cabling", "units", "internal/base/shellwords"}, "the settings of a host are read without knowing its switch"},
	{"internal/roce/lint", []string{"internal/base/sorting", "units", "internal/roce", "internal/roce/sonic", "internal/roce/host", "internal/roce/router"}, "a link is judged by the settings of both ends and by arithmetic"},

	{"internal/sim/state", []string{"units"}, "states are compared field by field, whatever the fields mean"},
	{"internal/sim/engine", []string{"units", "internal/base/cores"}, "the clock and the event queue do not know the meaning of events"},
	{"internal/sim/routing", []string{"internal/base/cycles", "internal/base/topology"}, "routes are a pure function of the graph"},
	{"internal/sim/collective", nil, "a schedule knows ranks, not networks"},
	{"internal/sim/collective/nccl", []string{"units", "internal/sim/collective"}, "NCCL's choice is arithmetic about a cluster"},
	{"internal/sim/workload", []string{"internal/base/sorting", "units", "internal/sim/collective", "internal/sim/engine", "internal/sim/state"}, "the work of ranks is a graph, whoever describes it and whatever runs it"},
	{
		"internal/sim/workload/llm",
		[]string{"internal/base/sorting", "units", "internal/sim/collective", "internal/sim/workload", "internal/sim/workload/pipeline"},
		"a training step follows from the dimensions of a model, whatever cluster it runs on",
	},
	{
		"internal/sim/workload/serving",
		[]string{"units", "internal/sim/engine", "internal/sim/workload/llm"},
		"a scheduler decides when it is told the time and what has arrived, whoever carries it",
	},
	{"internal/sim/catalog", nil, "a datasheet knows nothing about its use"},
	{"internal/sim/channel", []string{"units", "internal/sim/transport", "internal/sim/transport/cc"}, "messages between a fabric and a device know neither; a NIC's counters and the parameters of congestion control are the transport's"},
	{"internal/sim/protocol", []string{"units", "wire", "internal/sim/transport/cc"}, "a protocol is described without knowing who asks"},
	{"results", []string{"units", "internal/base/jsontext"}, "results are numbers, whoever made them"},
	{"internal/sim/runstore", []string{"results", "internal/base/jsontext", "internal/base/regular"}, "the folder of a run outlives the simulator that filled it"},
	{"internal/sim/runstore/seriesfile", []string{"results", "internal/base/regular", "internal/sim/runstore"}, "a file of series is rows, whoever recorded them"},
	{"internal/sim/transport", []string{"units", "wire", "internal/sim/state", "internal/sim/transport/cc"}, "a queue pair is written once, for the simulator and for real sockets"},
	{"internal/sim/transport/cc", []string{"units"}, "congestion control sees marks, delays and rates, not packets"},
	{"internal/sim/transport/tcp", []string{"units"}, "TCP is one more transport beside the queue pairs, under the same rules"},
	{
		"internal/sim/fabric",
		[]string{
			"units", "wire", "internal/base/cores", "internal/sim/engine", "internal/sim/routing", "internal/sim/state",
			"internal/sim/transport", "internal/sim/transport/cc", "internal/sim/transport/tcp",
			"internal/sim/fabric/adapter", "internal/sim/fabric/arbitration", "internal/sim/fabric/buffer", "internal/sim/fabric/counts",
			"internal/sim/fabric/credit", "internal/sim/fabric/fault", "internal/sim/fabric/impair", "internal/sim/fabric/isolation",
			"internal/sim/fabric/marking", "internal/sim/fabric/messages", "internal/sim/fabric/pauses", "internal/sim/fabric/reduction",
			"internal/sim/fabric/series", "internal/sim/fabric/watchdog",
		},
		"hardware is given its specification; it reads neither scenario nor catalog",
	},

	{"internal/sim/fabric/adapter", []string{"units", "wire", "internal/sim/state", "internal/sim/transport/tcp"}, "a part of an adapter delays what passes it, whatever network is behind"},
	{"internal/sim/fabric/arbitration", nil, "whose turn it is follows from weights, whatever is sent"},
	{"internal/sim/fabric/buffer", nil, "bytes are admitted by thresholds, whatever is in them"},
	{"internal/sim/fabric/credit", []string{"units", "internal/sim/state"}, "credits come and go at times, on whatever link"},
	{"internal/sim/fabric/fault", []string{"units", "internal/sim/routing"}, "what fails and when is known before a network is"},
	{"internal/sim/fabric/impair", []string{"units", "internal/sim/engine"}, "what goes wrong on a link is drawn, whatever is sent on it"},
	{"internal/sim/fabric/isolation", []string{"units"}, "who may reach whom is a table, whoever asks"},
	{"internal/sim/fabric/marking", nil, "a queue is congested by its length, whoever waits in it"},
	{"internal/sim/fabric/counts", []string{"units", "internal/sim/transport"}, "a counter grows, whoever counts"},
	{"internal/sim/fabric/messages", []string{"units", "internal/sim/state"}, "a message is recorded, whatever carried it"},
	{"internal/sim/fabric/pauses", []string{"units", "internal/sim/state"}, "pauses are recorded, whoever sends them"},
	{"internal/sim/fabric/reduction", []string{"units", "internal/sim/engine"}, "contributions and copies are counted, whatever carries them"},
	{"internal/sim/fabric/watchdog", []string{"units"}, "a storm is found from what polls see, whichever queue it is"},
	{"internal/sim/fabric/series", []string{"units", "internal/sim/fabric/counts"}, "a lane is recorded by interval without knowing what sends on it"},

	{"internal/study/kubernetes", []string{"units"}, "a Job runs a command, whatever it does"},
	{"internal/study/slurm", []string{"units"}, "a job runs a command, whatever it does"},
	{"internal/study/ledger", []string{"internal/base/regular"}, "work is shared among processes, whatever it is"},
	{
		"internal/study/many",
		[]string{
			"internal/base/sorting",
			"internal/base/cores", "internal/base/stats", "internal/sim", "internal/sim/catalog", "internal/study/ledger",
			"results", "scenario",
		},
		"variants are simulated, whatever study they are of",
	},

	{"cmd/weft", []string{"internal/face/cli"}, "the program is the command line, without C"},
	{"cmd/libweft", []string{"units", "internal/base/door", "verbs"}, "a C program's verbs are the verbs of Go under other names"},

	{"internal/live/preload", nil, "a program is built and started without knowing what it does"},
	{"internal/live/perf", []string{"units", "internal/base/door", "verbs"}, "a measurement sees what an application sees"},
	{"internal/live/sniff", []string{"units", "wire", "wire/cm", "wire/pcap"}, "packets from a wire are judged without knowing who sent them"},
	{"internal/live/wiretap", []string{"wire", "wire/pcap"}, "an interface gives packets as a file does, whoever judges them"},

	{"internal/face/doc", []string{"internal/base/sorting", "units"}, "a renderer does not know the subject of a document"},
	{"internal/face/draw", []string{"internal/base/sorting", "internal/base/topology", "internal/ib/subnet", "internal/ib/inspect"}, "a drawing shows a graph, whoever built or read it"},

	{"internal/formats/hpcc", []string{"internal/base/sorting", "units", "internal/base/wording"}, "files of another simulator are read and written without running anything"},
	{"internal/formats/logfile", []string{"internal/base/sorting", "internal/base/shellwords"}, "the output of a program is read without knowing what anyone expected of it"},
}

// core lists the folders that link no third-party module, also not through
// another package: a simulation and a device contain weft's code only.
var core = []string{
	"units", "wire", "internal/base/topology", "internal/base/cores", "internal/base/cycles", "internal/ib/subnet", "internal/ib/format",
	"internal/ib/inspect", "internal/ib/proof", "internal/ib/route", "internal/ib/partition", "internal/ib/qos",
	"internal/ib/export", "internal/ib/sm", "internal/ib/sma", "internal/sim/state", "internal/sim/engine", "internal/sim/routing",
	"internal/sim/collective", "internal/sim/workload", "internal/sim/transport", "internal/sim/fabric",
	"internal/live/sniff", "internal/formats/goal", "internal/formats/hpcc",
}

// ban forbids imports below a directory. A package of the standard library takes the
// packages below it along: sync and sync/atomic. A package of this module is banned alone.
type ban struct {
	below   string
	imports []string
	why     string
}

var (
	noIO = []string{"time", "net", "os", "sync", "log"}
	bans = []ban{
		{"internal/sim/transport", noIO, "a state machine without I/O: now comes in with each call, packets go out with the return"},
		{"internal/ib/sm", noIO, "a state machine without I/O: now comes in with each call, MADs go out with the return"},
		{"internal/sim/engine", []string{"time"}, "time is units.Time, the simulated clock; the wall clock would end determinism"},
		{"internal/sim/fabric", []string{"time"}, "time is units.Time, the simulated clock; the wall clock would end determinism"},
		{
			"internal/face",
			[]string{"weft/internal/sim", "weft/internal/sim/run/executor", "weft/internal/sim/run/pattern", "weft/internal/sim/run/phases"},
			"the command line simulates through package weft, as a user's program does",
		},
	}
)

// verbRooms are the rooms of package cli that hold verbs.
var verbRooms = []string{"checks", "infiniband", "jobs", "live", "roce", "runs", "studies", "ui"}

// apart are the bans that keep the rooms of verbs from each other.
func apart() (bans []ban) {
	const cli = "internal/face/cli/"
	for _, room := range verbRooms {
		b := ban{below: cli + room, why: "verbs of different purposes share flags and errors, and nothing else"}
		for _, other := range verbRooms {
			if other != room {
				b.imports = append(b.imports, module+"/"+cli+other)
			}
		}
		bans = append(bans, b)
	}
	return bans
}

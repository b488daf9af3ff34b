package hpcc

import (
	"bytes"
	"cmp"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"weft/units"
)

// references are the folders of cases: the cases in testdata, and those in the folder
// that the environment names.
func references(t testing.TB) []string {
	t.Helper()
	var dirs []string
	for _, root := range []string{"testdata/fct", os.Getenv("WEFT_REFERENCE")} {
		found, err := filepath.Glob(filepath.Join(root, "*", ConfigFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	return dirs
}

func text(t testing.TB, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustRead(t testing.TB, dir string) *Case {
	t.Helper()
	c, err := Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReferencesAreReadWithNothingIgnored(t *testing.T) {
	for _, dir := range references(t) {
		c := mustRead(t, dir)
		if len(c.Ignored) != 0 {
			t.Errorf("%s: ignored %v, want nothing", filepath.Base(dir), c.Ignored)
		}
		if c.Config.CC != CCDCQCN || c.Config.Gain != (Ratio{1, 256}) || c.Config.AckInterval != 1 || c.Config.MinRate != units.Gbps {
			t.Errorf("%s: config %+v", filepath.Base(dir), c.Config)
		}
	}
}

func TestTheConfigOfACaseHasTheFilesValues(t *testing.T) {
	got := mustRead(t, "testdata/fct/star100_inc2_1MB_dcqcn_buf32").Config
	maps := []units.Rate{100 * units.Gbps, 400 * units.Gbps}
	want := Config{
		EnableQCN: true, DynamicPFCThreshold: true, PauseTime: 5 * units.Microsecond, Payload: 1000,
		TopologyFile: "topology.txt", FlowFile: "flow.txt", TraceFile: "trace.txt", TraceOutput: "mix.tr",
		FCTOutput: "fct.txt", PFCOutput: "pfc.txt", Stop: 4 * units.Second, CC: CCDCQCN,
		AlphaInterval: units.Microsecond, DecreaseInterval: 4 * units.Microsecond, IncreaseInterval: 300 * units.Microsecond,
		Gain: Ratio{1, 256}, FastRecoveryTimes: 1, AI: 20 * units.Mbps, HAI: 200 * units.Mbps,
		MinRate: units.Gbps, DCTCPAI: units.Gbps, LossPerLink: Ratio{0, 1}, ChunkBytes: 4000, AckInterval: 1,
		GlobalRTT: true, RateBound: true, TargetUtil: Ratio{19, 20}, IntMulti: 1,
		PintLogBase: Ratio{101, 100}, PintProb: Ratio{1, 1}, AckHighPriority: true,
		KMax:   []RateBytes{{maps[0], 1600 * units.KB}, {maps[1], 6400 * units.KB}},
		KMin:   []RateBytes{{maps[0], 400 * units.KB}, {maps[1], 1600 * units.KB}},
		PMax:   []RateRatio{{maps[0], Ratio{1, 5}}, {maps[1], Ratio{1, 5}}},
		Buffer: 32 * units.MiB, QlenFile: "qlen.txt", QlenStart: 2 * units.Second, QlenEnd: 2 * units.Second,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("config\n got %+v\nwant %+v", got, want)
	}
}

func TestInterfacesCountFromOneInTheOrderOfTheLinks(t *testing.T) {
	c := mustRead(t, "testdata/fct/leafspine16_100_perm2MB_pfconly_buf32")
	got := c.Topology.Links[16] // 16 20: the first uplink of the first leaf
	want := Link{A: 16, B: 20, APort: 5, BPort: 1, Rate: 100 * units.Gbps, Delay: units.Microsecond, Loss: Ratio{0, 1}}
	if got != want {
		t.Errorf("link 16: got %+v, want %+v", got, want)
	}
	if hosts := c.Topology.Hosts(); len(hosts) != 16 || hosts[15] != 15 {
		t.Errorf("hosts: got %v, want 0 to 15", hosts)
	}
}

func TestResultsRoundTrip(t *testing.T) {
	for _, dir := range references(t) {
		name := filepath.Base(dir)
		want := text(t, dir, "fct.txt")
		flows, err := ParseFCT("fct.txt", want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		if err := WriteFCT(&b, flows); err != nil || b.String() != want {
			t.Errorf("%s: fct.txt: got %q (%v), want %q", name, b.String(), err, want)
		}
		want = text(t, dir, "pfc.txt")
		frames, complete, err := parsePFC("pfc.txt", want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b.Reset()
		if err := WritePFC(&b, frames); err != nil || !strings.HasPrefix(want, b.String()) || complete != (b.Len() == len(want)) {
			t.Errorf("%s: pfc.txt of %d bytes comes back as %d, complete %v (%v)", name, len(want), b.Len(), complete, err)
		}
	}
}

// The computed addresses, ports and standalone times equal the simulator's fct.txt.
func TestTheLinesOfFCTEqualTheReference(t *testing.T) {
	for _, dir := range references(t) {
		c := mustRead(t, dir)
		lines, err := ParseFCT("fct.txt", text(t, dir, "fct.txt"))
		if err != nil {
			t.Fatal(err)
		}
		var got []FCT
		for i, b := range c.Baselines() {
			got = append(got, c.Flows[i].FCT(0, b))
		}
		for i := range lines {
			lines[i].Duration = 0
		}
		order := func(x, y FCT) int { return cmp.Compare(x.SrcIP, y.SrcIP) }
		slices.SortFunc(got, order)
		slices.SortFunc(lines, order)
		if !slices.Equal(got, lines) {
			t.Errorf("%s:\n got %v\nwant %v", filepath.Base(dir), got, lines)
		}
	}
}

func TestFlowsOfOnePairCountTheirSourcePorts(t *testing.T) {
	c := small(t, "3\n0 1 3 100 1000 2\n1 0 3 100 1000 2\n0 1 3 100 1000 2\n")
	for i, want := range []uint16{10000, 10000, 10001} {
		if got := c.Flows[i].SrcPort; got != want {
			t.Errorf("flow %d: source port %d, want %d", i, got, want)
		}
	}
}

func TestStartsAreExact(t *testing.T) {
	c := small(t, "4\n0 1 3 100 1 2.000000000001\n0 1 3 100 1 20000000000015e-13\n0 1 3 100 1 2.000000123\n0 1 3 100 1 2.1\n")
	for i, want := range []units.Time{2_000_000_000_001, 2_000_000_000_002, 2_000_000_123_000, 2_100_000_000_000} {
		if got := c.Flows[i].Start; got != want {
			t.Errorf("flow %d: start %d ps, want %d ps", i, int64(got), int64(want))
		}
	}
}

// small is two hosts at a switch, with these flows.
func small(t testing.TB, flows string) *Case {
	t.Helper()
	c, err := Read(smallFolder(flows))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func smallFolder(flows string) fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		ConfigFile:   file("ENABLE_QCN 0\n"),
		topologyName: file("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"),
		flowName:     file(flows),
	}
}

type watchedFS struct {
	fs.FS
	opened []string
}

func (w *watchedFS) Open(name string) (fs.File, error) {
	w.opened = append(w.opened, name)
	return w.FS.Open(name)
}

func TestOnlyTheThreeInputsAreOpened(t *testing.T) {
	folder := smallFolder("0\n")
	folder["fat.txt"] = folder[topologyName]
	folder[ConfigFile] = &fstest.MapFile{Data: []byte("ENABLE_QCN 0\nTOPOLOGY_FILE ../mix/fat.txt\nTRACE_FILE trace.txt\n")}
	w := &watchedFS{FS: folder}
	if _, err := Read(w); err != nil {
		t.Fatal(err)
	}
	if want := []string{"config.txt", "fat.txt", "flow.txt"}; !slices.Equal(w.opened, want) {
		t.Errorf("opened %v, want %v", w.opened, want)
	}
}

// Every key changes something: none is read in vain.
func TestEveryKeyIsKept(t *testing.T) {
	for name, k := range keys {
		words := 0
		for _, values := range []string{"0", "1", "7", "123", "1Mb/s", "1 1000 77", "1 1000 0.5", "5 1 2", "name"} {
			c := defaultConfig()
			problems := &Problems{}
			got, ignored := parseConfig(name+" "+values+" {a remark}\n", problems)
			if problems.none() && len(ignored) == 0 && !reflect.DeepEqual(got, c) {
				words++
			}
		}
		if words == 0 {
			t.Errorf("%s (%s): no value of it changes the config", name, k.want)
		}
	}
	if len(keys) != 51 {
		t.Errorf("%d keys, want the 49 of the two versions and the 2 legacy ones", len(keys))
	}
}

func TestNumbersAreReadAsTheSimulatorReadsThem(t *testing.T) {
	for in, want := range map[string]units.Rate{
		"100Gbps": 100 * units.Gbps, "20Mb/s": 20 * units.Mbps, "1.5Gb/s": 1500 * units.Mbps, "2GB/s": 16 * units.Gbps,
		"1000": 1000, "1Kib/s": 1024, "0.1Gbps": 100 * units.Mbps, "1.9bps": 1,
	} {
		if got, ok := parseRate(in); !ok || got != want {
			t.Errorf("rate %q: got %d, %v, want %d", in, int64(got), ok, int64(want))
		}
	}
	for in, want := range map[string]units.Time{
		"0.001ms": units.Microsecond, "0.0005ms": 500 * units.Nanosecond, "1us": units.Microsecond,
		"1500ps": 1500, "0.000001": units.Microsecond, "0": 0,
	} {
		if got, ok := parseDelay(in); !ok || got != want {
			t.Errorf("delay %q: got %d ps, %v, want %d ps", in, int64(got), ok, int64(want))
		}
	}
	for _, in := range []string{"", ".", "-1", "1e", "1e99", "0x10", "inf", "nan", "1..2", "1_0", strings.Repeat("9", 61)} {
		if _, ok := decimal(in); ok {
			t.Errorf("decimal %q: accepted", in)
		}
		if _, ok := parseRate(in + "Gbps"); ok {
			t.Errorf("rate %q: accepted", in+"Gbps")
		}
	}
}

// ---- routes

func TestTheHashIsMurmurHash3(t *testing.T) {
	// 12 bytes of the vectors in circulation: "hello, world" with seed 0.
	k := Key{0x6c6c6568, 0x77202c6f, 0x646c726f}
	if got := Hash(k, 0); got != 0x149bbb7f {
		t.Errorf("Hash(hello, world): %#x, want 0x149bbb7f", got)
	}
}

func TestPathsEqualTheReferences(t *testing.T) {
	checked := 0
	for _, dir := range references(t) {
		if _, err := os.Stat(filepath.Join(dir, "paths.txt")); err != nil {
			continue
		}
		c := mustRead(t, dir)
		r, err := NextHops(&c.Topology, c.Config.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(text(t, dir, "paths.txt")) {
			w := strings.Fields(l) // PATH 0->5 sport 10000 sw 16 if 5
			pair := strings.Split(w[1], "->")
			f := c.Flows[slices.IndexFunc(c.Flows, func(f Flow) bool {
				return f.Src == number(t, pair[0]) && f.Dst == number(t, pair[1]) && int(f.SrcPort) == number(t, w[3])
			})]
			node, want := number(t, w[5]), number(t, w[7])
			if got := r.Pick(node, f.Dst, f.Key()); got != want {
				t.Errorf("%s: flow %s at switch %d: interface %d, want %d", filepath.Base(dir), w[1], node, got, want)
			}
			checked++
		}
	}
	if checked < 44 {
		t.Errorf("%d path lines checked, want at least 44", checked)
	}
}

func number(t testing.TB, s string) int {
	t.Helper()
	v, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// maxRtt and maxBdp are printed by that simulator when it starts.
func TestTheLargestBaselinesEqualTheReferences(t *testing.T) {
	for dir, want := range map[string]Baseline{
		"star100_inc2_1MB_dcqcn_buf32":          {RTT: 4160 * units.Nanosecond, BDP: 52000},
		"leafspine16_100_perm2MB_pfconly_buf32": {RTT: 8320 * units.Nanosecond, BDP: 104000},
	} {
		c := mustRead(t, filepath.Join("testdata/fct", dir))
		r, err := NextHops(&c.Topology, c.Config.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if r.MaxRTT != want.RTT || r.MaxBDP != want.BDP {
			t.Errorf("%s: %v and %v, want %v and %v", dir, r.MaxRTT, r.MaxBDP, want.RTT, want.BDP)
		}
	}
}

// The tables of random fabrics equal a plain search over all pairs: the interfaces to
// the neighbours that are one step nearer, each once.
func TestNextHopsAreTheNearerNeighbours(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		topo := randomTopology(rnd)
		r, err := NextHops(topo, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range topo.Hosts() {
			distance := plainDistances(topo, host)
			for n := range topo.Nodes {
				var want []uint16
				for p, m := range lastPorts(topo, n) {
					if distance[m] >= 0 && distance[n] == distance[m]+1 && (m == host || topo.IsSwitch(m)) {
						want = append(want, uint16(p))
					}
				}
				got := slices.Clone(r.At(n, host))
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("node %d to host %d: got %v, want %v in %+v", n, host, got, want, topo)
				}
			}
		}
	}
}

func randomTopology(rnd *rand.Rand) *Topology {
	const switches, hosts = 6, 8
	var b strings.Builder
	links := 0
	add := func(x, y int) {
		links++
		b.WriteString(strconv.Itoa(x) + " " + strconv.Itoa(y) + " 100Gbps 1us 0\n")
	}
	for h := range hosts {
		add(h, hosts+rnd.IntN(switches))
	}
	for range 12 {
		x := rnd.IntN(switches)
		add(hosts+x, hosts+(x+1+rnd.IntN(switches-1))%switches)
	}
	problems := &Problems{}
	topo, _ := parseTopology(topologyName, "14 6 "+strconv.Itoa(links)+"\n8 9 10 11 12 13\n"+b.String(), problems)
	if !problems.none() {
		panic(problems)
	}
	return topo
}

// lastPorts is the node at the other end of each interface; of parallel links it has
// the last only.
func lastPorts(t *Topology, node int) map[int]int {
	at := map[int]int{}
	for _, l := range t.Links {
		switch node {
		case l.A:
			at[l.B] = l.APort
		case l.B:
			at[l.A] = l.BPort
		}
	}
	ports := map[int]int{}
	for n, p := range at {
		ports[p] = n
	}
	return ports
}

func plainDistances(t *Topology, host int) []int {
	d := make([]int, t.Nodes)
	for n := range d {
		d[n] = -1
	}
	d[host] = 0
	for changed := true; changed; {
		changed = false
		for _, l := range t.Links {
			for _, e := range [2][2]int{{l.A, l.B}, {l.B, l.A}} {
				from, to := e[0], e[1]
				if d[from] < 0 || from != host && !t.IsSwitch(from) {
					continue
				}
				if d[to] < 0 || d[to] > d[from]+1 {
					d[to], changed = d[from]+1, true
				}
			}
		}
	}
	return d
}

// parsePFC reads a pfc.txt, such as a reference result. The simulator does not close the file, so
// it can end within a line: such an end is left out, and complete is false. An error is a
// [*Problems].
func parsePFC(file, text string) (frames []PFC, complete bool, err error) {
	problems := &Problems{}
	whole := text[:strings.LastIndexByte(text, '\n')+1]
	t := table{file: file, text: whole, problems: problems}
	for l, more := t.pull(); more; l, more = t.pull() {
		v, ok := integers(l, "iibib")
		if !ok {
			problems.add(file, l.number, join(l), "`time node nodetype ifindex type`")
			continue
		}
		frames = append(frames, PFC{units.Time(v[0]) * units.Nanosecond, int(v[1]), v[2] == 1, int(v[3]), v[4] == 1})
	}
	if !problems.none() {
		return nil, false, problems
	}
	return frames, len(whole) == len(text), nil
}

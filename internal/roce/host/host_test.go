package host

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

func sources(t testing.TB) []Source {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var files []Source
	for _, e := range entries {
		if e.IsDir() {
			continue // input that fuzzing found
		}
		b, err := os.ReadFile(filepath.Join("testdata", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, Source{Name: e.Name(), Text: string(b)})
	}
	return files
}

func source(t testing.TB, name string) Source {
	t.Helper()
	for _, f := range sources(t) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no %s", name)
	return Source{}
}

func TestAHostIsReadFromItsListings(t *testing.T) {
	h, err := Read("node1", sources(t))
	if err != nil {
		t.Fatal(err)
	}
	if h.Iface != "ens1f0np0" {
		t.Errorf("the interface is %s", h.Iface)
	}
	if h.Trust.Value != "dscp" || h.PriorityOf(26) != 3 || h.PriorityOf(48) != 6 || !reflect.DeepEqual(h.PFC.Value, []int{3}) {
		t.Errorf("trust %v, DSCP 26 has %d, PFC %v", h.Trust, h.PriorityOf(26), h.PFC)
	}
	if h.PFC.At != (Place{"mlnx_qos.txt", 17}) {
		t.Errorf("PFC is at %v, want line 17", h.PFC.At)
	}
	if h.Class[1].Value != 0 || h.Class[4].Value != 3 || h.Cable.Value != 40*units.Metre {
		t.Errorf("classes %v, cable %v", h.Class, h.Cable)
	}
	if h.Speed.Value != 400*units.Gbps || h.MTU.Value != 9000 || h.Pause[0].Value || !h.Pause[1].Known() {
		t.Errorf("speed %v, MTU %v, pause %v", h.Speed, h.MTU, h.Pause)
	}
	if !h.NP[3].Value || !h.NP[4].Known() || h.NP[4].Value || h.NP[5].Known() || !h.RP[3].Value {
		t.Errorf("ECN: %v, %v", h.NP, h.RP)
	}
	if h.CNPDSCP.Value != 48 || h.CNPPrio.Value != 6 || h.CNPGap.Value != 4*units.Microsecond || h.Params["rpg_time_reset"].Value != 300 {
		t.Errorf("notifications %v %v %v, parameters %v", h.CNPDSCP, h.CNPPrio, h.CNPGap, h.Params)
	}
	if h.Counters["rx_prio3_pause"].Value != 148213 {
		t.Errorf("counters %v", h.Counters)
	}
	want := []Stream{{What: "NCCL and RDMA CM", DSCP: 26, At: Place{"nccl.env", 2}, Variable: "NCCL_IB_TC"}}
	if got := h.Streams(); !reflect.DeepEqual(got, want) {
		t.Errorf("streams %+v, want %+v", got, want)
	}
}

func TestNCCLWithoutATrafficClassSendsDSCP0(t *testing.T) {
	h, err := Read("h", []Source{{Name: "nccl.env", Text: "NCCL_DEBUG=INFO\n"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := h.Streams(); len(s) != 1 || s[0].DSCP != 0 || !s[0].Default {
		t.Errorf("%+v", s)
	}
}

func TestTheDriversTrafficClassComesBeforePrograms(t *testing.T) {
	h, err := Read("h", []Source{
		{Name: "nccl.env", Text: "NCCL_IB_TC=106\n"},
		{Name: "tc.txt", Text: "/sys/class/infiniband/mlx5_0/tc/1/traffic_class:Global tclass=184\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := h.Streams(); len(s) != 1 || s[0].DSCP != 46 {
		t.Errorf("%+v", s)
	}
}

func TestACopyOfSysfsIsReadByItsPaths(t *testing.T) {
	h, err := Read("h", []Source{{Name: "sys/class/net/eth0/ecn/roce_np/cnp_dscp", Text: "46\n"}, {Name: "ecn/roce_rp/enable/5", Text: "1\n"}})
	if err != nil || h.CNPDSCP.Value != 46 || !h.RP[5].Value {
		t.Errorf("%v, %v, %v", h.CNPDSCP, h.RP, err)
	}
}

func TestTruncatedListingsAreRefused(t *testing.T) {
	f := source(t, "mlnx_qos.txt")
	whole := strings.TrimRight(f.Text, "\n")
	for n := range len(whole) {
		if _, err := Read("h", []Source{{Name: f.Name, Text: whole[:n]}}); err == nil {
			t.Fatalf("cut at byte %d of %d it is read without an error:\n%s", n, len(whole), whole[:n])
		}
	}
	for _, name := range []string{"ethtool.txt", "ethtool-a.txt"} {
		f := source(t, name)
		head, _, _ := strings.Cut(f.Text, "\n")
		if _, err := Read("h", []Source{{Name: name, Text: head}}); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDefectsNameTheLineAndWhatIsValid(t *testing.T) {
	qos := source(t, "mlnx_qos.txt").Text
	for _, c := range []struct{ name, file, text, want string }{
		{"an unknown trust state", "q", strings.Replace(qos, "state: dscp", "state: both", 1), `q:2: the trust state is "both": valid are pcp and dscp`},
		{"seven flags", "q", strings.Replace(qos, "1   0   0   0   0   \n", "1   0   0   0\n", 1), "q:17: PFC is said for 7 priorities"},
		{"a priority of 8", "q", strings.Replace(qos, "prio:7", "prio:8", 1), "q:11: a priority is \"8\": valid is a whole number from 0 to 7"},
		{"a DSCP of 64", "q", strings.Replace(qos, "63,62", "64,62", 1), "q:11: a DSCP is \"64\""},
		{"a DSCP in two priorities", "q", strings.Replace(qos, "dscp:63", "dscp:26", 1), "q:11: the priority of DSCP 26 is 7, and q:7 says 3"},
		{"a speed without its unit", "e", "Settings for eth0:\n\tSpeed: 400G\n", `e:2: the speed is "400G": expected Mb/s`},
		{"an unknown pause state", "e", "Pause parameters for eth0:\nRX: yes\n", `e:2: pause of RX is "yes"`},
		{"a counter without a number", "e", "NIC statistics:\n  rx: many\n", `e:2: counter rx is "many"`},
		{"a traffic class beyond a byte", "n", "NCCL_IB_TC=416\n", `n:1: the traffic class is "416": valid is a whole number from 0 to 255`},
		{"a timeout beyond five bits", "n", "NCCL_IB_TC=106\nNCCL_IB_TIMEOUT=32\n", `n:2: NCCL_IB_TIMEOUT is "32": valid is a whole number from 0 to 31`},
		{"no queue pair", "n", "NCCL_IB_QPS_PER_CONNECTION=0\n", `n:1: NCCL_IB_QPS_PER_CONNECTION is "0": valid is a whole number from 1 to 128`},
		{"a retry count that is no number", "n", "export NCCL_IB_RETRY_CNT='seven'\n", `n:1: NCCL_IB_RETRY_CNT is "seven"`},
		{"a setting without a value", "n", "NCCL_IB_TC\n", `n:1: "NCCL_IB_TC" is no setting: expected NAME=value`},
		{"a cable that is too long", "q", strings.Replace(qos, "Cable len: 40", "Cable len: 4000000", 1), `the length of the cable is "4000000": valid is`},
		{"an MTU that is too large", "i", "5: e: <UP> mtu 900000 qdisc mq state UP\n", `i:1: the MTU is "900000": valid is`},
		{"a CNP DSCP beyond six bits", "s", "/sys/class/net/e/ecn/roce_np/cnp_dscp:64", `s:1: the DSCP of notifications is "64"`},
		{"ECN of priority 8", "s", "/sys/class/net/e/ecn/roce_np/enable/8:1", `s:1: ECN is enabled for priority "8"`},
		{"a line of another listing", "s", "/sys/class/net/e/ecn/roce_np/cnp_dscp:1\nfoo", `s:2: "foo" is no attribute`},
		{"a switch's configuration", "c", `{"PORT": {}}`, "c: no known RoCE setting in it"},
		{"nothing", "c", "", "c: no known RoCE setting in it"},
	} {
		if _, err := Read("h", []Source{{Name: c.file, Text: c.text}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

func TestTwoInterfacesInOneFolderAreToldApart(t *testing.T) {
	_, err := Read("h", []Source{{Name: "a", Text: "Settings for a:\nSpeed: 100000Mb/s"}, {Name: "b", Text: "Settings for b:\nSpeed: 400000Mb/s"}})
	if err == nil || !strings.Contains(err.Error(), "b:2: the speed is 400 Gb/s, and a:2 says 100 Gb/s") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range sources(f) {
		f.Add(s.Name, s.Text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		h, err := Read("h", []Source{{Name: name, Text: text}})
		if err == nil {
			for _, s := range h.Streams() {
				if s.DSCP < 0 || s.DSCP > 63 {
					t.Fatalf("DSCP %d", s.DSCP)
				}
				h.PriorityOf(s.DSCP)
			}
		}
	})
}

// Programs of a terminal give back blanks where show_gids writes tabs, and what stands around it.
func TestShowGIDsIsReadAsPasted(t *testing.T) {
	const pasted = `root@node1:~# show_gids mlx5_0 | tee /tmp/gids of today
DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
---     ----    -----   ---                                     ------------    ---     ---
mlx5_0  1       0       fe80:0000:0000:0000:ba3f:d2ff:fe00:0001                 v1      ens1f0np0
mlx5_0  1       1       fe80:0000:0000:0000:ba3f:d2ff:fe00:0001                 v2      ens1f0np0
mlx5_0  1       2       0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1        v2      ens1f0np0
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1        v1      ens1f0np0
n_gids_found=4
`
	h, err := Read("h", []Source{{Name: "gids.txt", Text: pasted}, {Name: "nccl.env", Text: "NCCL_IB_TC=106\nNCCL_IB_GID_INDEX=3\n"}})
	if err != nil || len(h.GIDs) != 4 {
		t.Fatalf("%v, %v", h.GIDs, err)
	}
	if f := h.GIDFaults(); len(f) != 1 || f[0].LinkLocal || !f[0].Shown || f[0].Right != 2 {
		t.Errorf("index 3 is RoCE v1 and 2 is v2: %+v", f)
	}
}

// A program's class is found where people write it: a command line, a log of NCCL.
func TestTheClassIsReadFromCommandLinesAndLogs(t *testing.T) {
	for _, c := range []struct {
		name, text string
		dscp       int
	}{
		{"mpirun", "mpirun -np 16 -H a:8,b:8 -x NCCL_DEBUG=INFO -x NCCL_IB_TC=136 ./all_reduce_perf -b 8\n", 34},
		{"mpirun on several lines", "mpirun -np 16 \\\n  -x NCCL_DEBUG=INFO \\\n  -x NCCL_IB_TC=136 \\\n  ./all_reduce_perf\n", 34},
		{"before the command", "NCCL_DEBUG=INFO NCCL_IB_TC=136 ./all_reduce_perf -b 8\n", 34},
		{"with a remark", "export NCCL_IB_TC=\"136\" # data of the rails\n", 34},
		{"of a container", "docker run --rm -e NCCL_IB_TC=136 --env=NCCL_DEBUG=INFO image\n", 34},
		{"with a variable of the shell", "TC=136\nmpirun -x NCCL_IB_TC=$TC ./a\n", 34},
		{"NCCL's log", "node1:15718:15718 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0\nnode1:15718:15718 [0] NCCL INFO NCCL_IB_TC set by environment to 136.\n", 34},
		{"two ranks of a log", "a:1:1 [0] NCCL INFO NCCL_IB_TC set by environment to 136.\na:2:2 [1] NCCL INFO NCCL_IB_TC set by environment to 136.\n", 34},
	} {
		h, err := Read("h", []Source{{Name: "f", Text: c.text}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s := h.Streams(); len(s) != 1 || s[0].DSCP != c.dscp || s[0].Default || s[0].What != "NCCL" || len(h.Skipped) > 0 {
			t.Errorf("%s: %+v, skipped %v; want DSCP %d", c.name, s, h.Skipped, c.dscp)
		}
	}
}

// A class that only the shell knows is neither 0 nor known, until another line tells it.
func TestAClassThatOnlyTheShellKnowsIsNoDefault(t *testing.T) {
	for text, want := range map[string]int{
		"mpirun -x NCCL_IB_TC=$TC ./a\n":                               0,
		"#!/bin/sh\nexport NCCL_IB_TC=$1\n":                            0,
		"mpirun -x NCCL_IB_TC=$TC ./a\nNCCL_IB_TC=106\n":               1,
		"NCCL_IB_TC=106\nmpirun -x NCCL_IB_TC=$TC ./a\n":               1,
		"NCCL_DEBUG=INFO\nmpirun -x NCCL_IB_GID_INDEX=$GID ./a -b 8\n": 1,
	} {
		h, err := Read("h", []Source{{Name: "f", Text: text}})
		if err != nil || len(h.Streams()) != want || len(h.Skipped) != 1 {
			t.Errorf("%q: %+v, skipped %v, %v; want %d", text, h.Streams(), h.Skipped, err, want)
		}
	}
}

// A file that only mentions a variable is not read, and is said not to be.
func TestAFileWithoutAReadableVariableIsNotTakenAsRead(t *testing.T) {
	for _, text := range []string{
		"import os\nos.environ[\"NCCL_IB_TC\"] = \"136\"\n",
		"spec:\n  env:\n  - name: NCCL_IB_TC\n    value: \"136\"\n",
		"# set NCCL_IB_TC before a run\n",
	} {
		h, err := Read("h", []Source{{Name: "f", Text: text, Optional: true}})
		if err != nil || !reflect.DeepEqual(h.Skipped, []string{"f"}) {
			t.Errorf("%q: skipped %v, %v; want f", text, h.Skipped, err)
		}
		if _, err := Read("h", []Source{{Name: "f", Text: text}}); err == nil || !strings.Contains(err.Error(), "f: no known RoCE setting in it") {
			t.Errorf("%q: %v", text, err)
		}
	}
	h, err := Read("h", []Source{{Name: "f", Text: "NCCL_DEBUG=INFO\nos.environ['NCCL_IB_TC'] = '136'\n", Optional: true}})
	if err != nil || !reflect.DeepEqual(h.Skipped, []string{"f:2"}) {
		t.Errorf("skipped %v, %v; want line 2", h.Skipped, err)
	}
}

// NCCL sends its clear-to-send messages with a class of their own if NCCL_IB_FIFO_TC is set, and with
// that of the data if it is -1.
func TestNCCLsClearToSendMessagesAreAStream(t *testing.T) {
	for _, c := range []struct {
		value string
		dscps []int
	}{{"192", []int{26, 48}}, {"-1", []int{26}}, {"106", []int{26}}} {
		h, err := Read("h", []Source{{Name: "f", Text: "NCCL_IB_TC=106\nNCCL_IB_FIFO_TC=" + c.value + "\n"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, s := range h.Streams() {
			got = append(got, s.DSCP)
		}
		if !reflect.DeepEqual(got, c.dscps) {
			t.Errorf("%s: DSCPs %v, want %v", c.value, got, c.dscps)
		}
	}
	if _, err := Read("h", []Source{{Name: "f", Text: "NCCL_IB_FIFO_TC=256\n"}}); err == nil {
		t.Error("a class of 256 is taken")
	}
}

// TestTheCaptureOfAHost: outputs one after the other in one file are read as files of their own.
func TestTheCaptureOfAHost(t *testing.T) {
	text := "[root@gpu1 ~]# ethtool ens1\nSettings for ens1:\n\tSpeed: 400000Mb/s\n" +
		"[root@gpu1 ~]# uptime\n 08:00 up 3 days\n[root@gpu1 ~]# ethtool -a ens1\nPause parameters for ens1:\nAutonegotiate: off\nRX: on\nTX: off\n" +
		"[root@gpu1 ~]# env | grep NCCL\nNCCL_IB_TC=106\n[root@gpu1 ~]# ethtool -S ens1\nNIC statistics:\n     rx_prio3_pause: 7\n"
	h, err := Read("gpu1", []Source{{Name: "gpu1.txt", Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	if h.Counters["rx_prio3_pause"].Value != 7 || h.Speed.At.Line != 3 || h.Pause[0].At.Line != 9 || len(h.Streams()) != 1 || h.Streams()[0].DSCP != 26 {
		t.Errorf("speed at %v, pause at %v, %+v", h.Speed.At, h.Pause[0].At, h.Streams())
	}
	if want := []string{"gpu1.txt:4"}; !reflect.DeepEqual(h.Skipped, want) {
		t.Errorf("skipped %q, want %q", h.Skipped, want)
	}
}

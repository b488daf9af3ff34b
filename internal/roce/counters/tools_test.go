package counters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/portstate"
	"weft/units"
)

// read reads a file of testdata, or a text, by the reader that knows it.
func read(t *testing.T, name, text string) (*portstate.Set, string) {
	t.Helper()
	if text == "" {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw)
	}
	set := portstate.NewSet()
	for _, r := range Readers {
		if r.Is(text) {
			r.Read(&portstate.Input{Name: name, Text: text, Set: set, Kind: r.Name})
			return set, r.Name
		}
	}
	t.Fatalf("%s is of no known kind", name)
	return nil, ""
}

// at is the reading of a port.
func at(t *testing.T, set *portstate.Set, name string) *portstate.Reading {
	t.Helper()
	for _, r := range set.Readings {
		if r.Port.Name == name {
			return r
		}
	}
	t.Fatalf("there is no reading of %s", name)
	return nil
}

// value is a counter of a reading; ok is false if it is unknown.
func value(r *portstate.Reading, name string) (uint64, bool) {
	for _, c := range r.Counters {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

func expect(t *testing.T, r *portstate.Reading, want map[string]uint64) {
	t.Helper()
	for name, n := range want {
		if v, ok := value(r, name); !ok || v != n {
			t.Errorf("%s of %s is %d (known: %t), want %d", name, r.Port, v, ok, n)
		}
	}
}

// TestEveryKindIsRecognisedByItsContent: with a byte order mark and Windows' line ends, too.
func TestEveryKindIsRecognisedByItsContent(t *testing.T) {
	for file, kind := range map[string]string{
		"interfaces.txt": "show interfaces counters", "fec.txt": "show interfaces counters fec-stats", "status.txt": "show interfaces status",
		"pfc.txt": "show pfc counters", "queues.txt": "show queue counters", "pg-watermark.txt": "watermark", "queue-watermark.txt": "watermark",
		"transceiver.txt": "show interfaces transceiver eeprom", "bgp.txt": "show ip bgp summary", "ethtool-S.txt": "ethtool -S",
		"mlnx_qos.txt": "mlnx_qos", "rdma-statistic.txt": "rdma statistic", "rdma-statistic.json": "rdma -j statistic", "show_gids.txt": "show_gids", "ibdev2netdev.txt": "ibdev2netdev",
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		windows := "\ufeff" + strings.ReplaceAll(string(raw), "\n", "\r\n")
		plain, _ := read(t, file, string(raw))
		for form, text := range map[string]string{"as it is": string(raw), "of Windows": windows} {
			set, got := read(t, file, text)
			if got != kind || len(set.Readings) != len(plain.Readings) || len(set.Sessions) != len(plain.Sessions) {
				t.Errorf("%s %s is taken for %s with %d readings, want %s with %d", file, form, got, len(set.Readings), kind, len(plain.Readings))
			}
		}
	}
}

// The counters are those of rdma-statistic.txt: 11 of the responder's errors and 11 of the requester's are no flush errors.
func TestStatisticsOfRDMAAsJSON(t *testing.T) {
	set, _ := read(t, "rdma-statistic.json", "")
	if len(set.Readings) != 2 {
		t.Fatalf("%d links, want 2", len(set.Readings))
	}
	r := at(t, set, "mlx5_0/1")
	expect(t, r, map[string]uint64{"out_of_buffer": 135, "resp_cqe_error without flush": 11, "req_cqe_error without flush": 11})
	if r.At.Line != 1 || at(t, set, "mlx5_1/1").At.Line != 11 {
		t.Errorf("the links are in lines %d and %d, want 1 and 11", r.At.Line, at(t, set, "mlx5_1/1").At.Line)
	}
	cut, _ := read(t, "cut.json", `[{"ifname": "mlx5_0", "port": 1, "out_of_buffer": 3}, {"ifname": "mlx5_1", "po`)
	if len(cut.Readings) != 1 || len(cut.Notes) != 1 || !strings.Contains(cut.Notes[0], "is the output truncated?") {
		t.Errorf("a cut file: %d links, notes %q", len(cut.Readings), cut.Notes)
	}
}

// sonic-utilities, tests/portstat_test.py: N/A is unknown, 1,000 is 1000, the unit changes by cell, and
// 2000 MB/s that are 64 % are of a port with 25 Gb/s.
func TestInterfaceCounters(t *testing.T) {
	set, _ := read(t, "interfaces.txt", "")
	if len(set.Readings) != 4 {
		t.Fatalf("%d ports, want 4", len(set.Readings))
	}
	r := at(t, set, "Ethernet0")
	expect(t, r, map[string]uint64{"RX_ERR": 10, "RX_DRP": 100, "RX_OK": 8, "TX_OK": 10})
	if r.State.Value != portstate.Down || r.Link.Value.Rate() != 25*units.Gbps {
		t.Errorf("Ethernet0 is %v with %v, want down with 25 Gb/s", r.State.Value, r.Link.Value)
	}
	if v, ok := value(r, "RX_OVR"); ok {
		t.Errorf("RX_OVR N/A is %d, want unknown", v)
	}
	expect(t, at(t, set, "Ethernet4"), map[string]uint64{"RX_DRP": 1000})
	if at(t, set, "Ethernet4").State.Known() {
		t.Error("a state of N/A is known")
	}
	for text, want := range map[string]float64{"2000.00 MB/s": 2e9, "204.80 KB/s": 204800, "0.00 B/s": 0, "1.5 GB/s": 1.5e9} {
		if got, ok := BytesPerSecond(text); !ok || got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

// tests/portstat_test.py: lost frames and the observed share; a prediction with its accuracy in one cell.
func TestFECStats(t *testing.T) {
	set, _ := read(t, "fec.txt", "")
	r := at(t, set, "Ethernet0")
	expect(t, r, map[string]uint64{"FEC_CORR": 130402, "FEC_UNCORR": 3, "FEC_SYMBOL_ERR": 4})
	if r.FrameLoss.Value != 4.21e-10 || r.Raw.Known() || r.Effective.Known() {
		t.Errorf("share of lost frames %v, rates %v %v: want 4.21e-10, and N/A unknown", r.FrameLoss, r.Raw, r.Effective)
	}
	if r := at(t, set, "Ethernet9"); r.FrameLoss.Known() {
		t.Errorf("FLR(O) N/A of Ethernet9 is %v", r.FrameLoss)
	}
}

// tests/intfutil_test.py; an older version has no FEC and no Vlan column.
func TestInterfaceStatus(t *testing.T) {
	set, _ := read(t, "status.txt", "")
	if len(set.Readings) != 10 {
		t.Fatalf("%d ports, want 10: a PortChannel is none", len(set.Readings))
	}
	if r := at(t, set, "Ethernet0"); r.State.Value != portstate.Down || !r.Cabled.Value {
		t.Errorf("Ethernet0 is %v, with a module %t", r.State.Value, r.Cabled.Value)
	}
	if r := at(t, set, "Ethernet112"); r.Link.Value.Lanes != 4 || r.Link.Value.Rate() != 40*units.Gbps || r.Port.Label != "etp29" || r.Cabled.Value {
		t.Errorf("Ethernet112 has %d lanes, %v, alias %s, a module %t", r.Link.Value.Lanes, r.Link.Value, r.Port.Label, r.Cabled.Value)
	}
	if len(set.Remarks) != 1 || !strings.Contains(set.Remarks[0].Value, "PortChannel0001 is down though its member Ethernet112 is up") {
		t.Errorf("remarks %+v", set.Remarks)
	}
	older, _ := read(t, "x", `  Interface        Lanes    Speed    MTU     Alias    Oper    Admin
-----------  -----------  -------  -----  --------  ------  -------
  Ethernet0      0,1,2,3      40G   9100      etp1    down     down
`)
	if r := at(t, older, "Ethernet0"); r.State.Value != portstate.Disabled || r.Cabled.Known() {
		t.Errorf("the older form gives %v, a module known %t", r.State.Value, r.Cabled.Known())
	}
}

// tests/pfcstat_test.py: two tables, whose names stand in their headings.
func TestPFCCounters(t *testing.T) {
	set, _ := read(t, "pfc.txt", "")
	if len(set.Readings) != 6 {
		t.Fatalf("%d rows, want 6", len(set.Readings))
	}
	expect(t, set.Readings[2], map[string]uint64{"PFC3 Rx": 803, "PFC0 Rx": 1800})
	expect(t, set.Readings[5], map[string]uint64{"PFC3 Tx": 813, "PFC0 Tx": 1810})
}

// tests/queue_counter_test.py: a table for each port with an empty namespace before it; N/A of ALL.
func TestQueueCounters(t *testing.T) {
	set, _ := read(t, "queues.txt", "")
	if len(set.Readings) != 3 {
		t.Fatalf("%d ports, want 3", len(set.Readings))
	}
	r := at(t, set, "Ethernet0")
	expect(t, r, map[string]uint64{"queue UC3 packets": 52, "queue UC3 dropped packets": 19, "queue MC19 dropped packets": 12})
	if v, ok := value(r, "queue ALL20 packets"); ok {
		t.Errorf("ALL20 N/A is %d, want unknown", v)
	}
}

// tests/wm_test_vectors.py: bytes by namespace, inner ports, columns of two widths.
func TestWatermarks(t *testing.T) {
	set, _ := read(t, "pg-watermark.txt", "")
	r := at(t, set, "Ethernet4")
	expect(t, r, map[string]uint64{"watermark PG3": 203})
	if r.Port.Chip != "asic0" || r.Port.Device != "" || len(set.Readings) != 4 {
		t.Errorf("the port is of %q among %d, want asic0 among 4", r.Port.Chip, len(set.Readings))
	}
	set, _ = read(t, "queue-watermark.txt", "")
	r = at(t, set, "Ethernet-BP256")
	expect(t, r, map[string]uint64{"watermark UC0": 2057328, "watermark UC7": 28})
	if r.Port.Chip != "asic1" || len(at(t, set, "Ethernet-BP260").Counters) != 0 {
		t.Errorf("the port is of %q; N/A gives %v", r.Port.Chip, at(t, set, "Ethernet-BP260").Counters)
	}
}

// tests/sfp_test.py: values with their unit behind them, and the limits of the module.
func TestTransceiver(t *testing.T) {
	set, _ := read(t, "transceiver.txt", "")
	r := at(t, set, "Ethernet0")
	if want := (portstate.Cable{Vendor: "Mellanox", Part: "MFA1A00-C003", Serial: "SN00000001", Length: "3 m"}); r.Cable.Value != want {
		t.Errorf("the cable is %+v, want %+v", r.Cable.Value, want)
	}
	found := map[string]portstate.Limits{}
	for _, m := range r.Measured {
		found[m.Name] = m
	}
	if m := found["power received on lane 2"]; m.Value != -0.4871 || m.Low != -9.5001 || m.LowAlarm != -13.5067 || m.At.Line != 20 {
		t.Errorf("lane 2 receives %+v", m)
	}
	if m := found["temperature"]; m.Value != 30.9258 || m.HighAlarm != 75 || m.High != 70 || m.LowAlarm != -5 {
		t.Errorf("temperature %+v", m)
	}
	if m := found["supply voltage"]; m.Value != 3.2824 || m.HighAlarm != 3.63 {
		t.Errorf("voltage %+v", m)
	}
	if len(r.Measured) != 10 {
		t.Errorf("%d values, want 4 lanes received, 4 currents, temperature and voltage", len(r.Measured))
	}
	empty, _ := read(t, "x", "Ethernet4: SFP EEPROM Not detected\n")
	if r := at(t, empty, "Ethernet4"); !r.Cabled.Known() || r.Cabled.Value {
		t.Errorf("a port without a module is %+v", r.Cabled)
	}
}

// tests/bgp_commands_test.py: the header is spelt Neighbhor; a number says that the session is up.
func TestBGPSummary(t *testing.T) {
	set, _ := read(t, "bgp.txt", "")
	up, never := 0, 0
	for _, s := range set.Sessions {
		if s.State == "Established" {
			up++
		}
		if s.State == "Active" && s.Since == "never" {
			never++
		}
	}
	if up != 8 || never != 16 || len(set.Sessions) != 24 || len(set.Notes) != 0 {
		t.Errorf("%d up, %d never up of %d, notes %q: want 8 and 16 of 24", up, never, len(set.Sessions), set.Notes)
	}
	if s := set.Sessions[0]; s.Neighbour != "10.0.0.1" || s.AS != "65200" || s.Name != "ARISTA01T2" {
		t.Errorf("the first is %+v", s)
	}
	frr, _ := read(t, "x", `admin@leaf1:~$ show ip bgp summary
Neighbor        V         AS   MsgRcvd   MsgSent   TblVer  InQ OutQ  Up/Down State/PfxRcd   PfxSnt Desc
10.0.0.1        4      65200      5919      2717        0    0    0 1d21h11m         6402       12 N/A
10.0.0.3        4      65200         0         0        0    0    0    never Idle (Admin)        0 x
10.0.0.5        4      65200         1
`)
	if len(frr.Sessions) != 2 || frr.Sessions[1].State != "Idle (Admin)" || frr.Sessions[0].Device != "leaf1" || len(frr.Notes) != 1 {
		t.Errorf("FRR's form gives %+v, notes %q", frr.Sessions, frr.Notes)
	}
}

// A public course has the excerpt: the host sends pauses.
func TestEthtool(t *testing.T) {
	set, _ := read(t, "ethtool-S.txt", "")
	if len(set.Pauses) != 1 || set.Pauses[0].Sent != 1290418 || set.Pauses[0].Received != 41927 || set.Pauses[0].SentAt.Line != 8 {
		t.Errorf("pauses %+v: want 1290418 sent, 41927 received; rx_pause_ctrl_phy has the same frames", set.Pauses)
	}
	expect(t, set.Readings[0], map[string]uint64{"rx_prio3_marked": 9147732, "rx_prio3_buf_discard": 0})
}

// Public notes have the lines: of 1009 errors 998 are of queue pairs that were torn down.
func TestRDMAStatistic(t *testing.T) {
	want := map[string]uint64{"out_of_buffer": 135, "resp_cqe_error": 1009, "resp_cqe_flush_error": 998, "resp_cqe_error without flush": 11, "req_cqe_error without flush": 11}
	set, _ := read(t, "rdma-statistic.txt", "")
	if len(set.Readings) != 2 {
		t.Fatalf("%d links, want 2", len(set.Readings))
	}
	expect(t, at(t, set, "mlx5_0/1"), want)
	raw, err := os.ReadFile("testdata/rdma-statistic.txt")
	if err != nil {
		t.Fatal(err)
	}
	one := strings.ReplaceAll(strings.ReplaceAll(string(raw), " ", "\n  "), "link\n  ", "link ") // as -p, or wrapped by a terminal
	set, _ = read(t, "x", one)
	expect(t, at(t, set, "mlx5_0/1"), want)
	cut, _ := read(t, "x", string(raw[:60]))
	if len(cut.Notes) != 1 || !strings.Contains(cut.Notes[0], "truncated") {
		t.Errorf("a cut line gives the notes %q", cut.Notes)
	}
}

// Public programs and notes have both tables.
func TestGIDsAndNetdevs(t *testing.T) {
	set, _ := read(t, "show_gids.txt", "")
	if len(set.Remarks) != 1 || !strings.HasPrefix(set.Remarks[0].Value, "mlx5_1/1 (eth02) has addresses of the link alone") {
		t.Errorf("remarks %+v: want mlx5_1 alone, which has no routable address", set.Remarks)
	}
	set, _ = read(t, "ibdev2netdev.txt", "")
	up := 0
	for _, r := range set.Readings {
		if r.State.Value == portstate.Up {
			up++
		}
	}
	if len(set.Readings) != 8 || up != 3 || at(t, set, "mlx5_5/1").Port.Label != "ib0" {
		t.Errorf("%d devices, %d up: want 8, 3; mlx5_5 is %s", len(set.Readings), up, at(t, set, "mlx5_5/1").Port.Label)
	}
	long, _ := read(t, "x", "0000:05:00.0 mlx5_0 (MT4119 - MCX556A-EDAT) CX556A - ConnectX-5 QSFP28 fw 16.29.1016 port 1 (ACTIVE) ==> ib0 (Up)\n0000:05:00.1 mlx5_1 (MT4119 - NA) fw 16.29.1016 port 1 (DOWN  ) ==> ib1 (Down)\n")
	if at(t, long, "mlx5_0/1").State.Value != portstate.Up || at(t, long, "mlx5_1/1").State.Value != portstate.Down {
		t.Errorf("-v gives %+v", long.Readings)
	}
}

// A public how-to has the output, cut after traffic class 3: PFC on 3 alone, DCBX in the firmware.
func TestMlnxQoSIsReadAndItsCutNoted(t *testing.T) {
	set, _ := read(t, "mlnx_qos.txt", "")
	var all []string
	for _, r := range set.Remarks {
		all = append(all, r.Value)
	}
	for _, want := range []string{"PFC is on for priorities [3]", "the NIC trusts dscp", "DCBX runs in the firmware"} {
		if !strings.Contains(strings.Join(all, "; "), want) {
			t.Errorf("remarks %q, want %q", all, want)
		}
	}
	if len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "truncated") {
		t.Errorf("notes %q", set.Notes)
	}
}

// A prompt names the switch; a row that is cut is noted and left out.
func TestPromptAndTruncation(t *testing.T) {
	raw, err := os.ReadFile("testdata/interfaces.txt")
	if err != nil {
		t.Fatal(err)
	}
	set, _ := read(t, "x", "admin@leaf7:~$ show interfaces counters\n"+string(raw)+"admin@leaf7:~$ \n")
	if r := at(t, set, "Ethernet0"); r.Port.Device != "leaf7" || len(set.Readings) != 4 {
		t.Errorf("the device is %q with %d ports", r.Port.Device, len(set.Readings))
	}
	cut, _ := read(t, "x", string(raw[:len(raw)-80]))
	if len(cut.Readings) != 3 || len(cut.Notes) != 1 || !strings.Contains(cut.Notes[0], "truncated") {
		t.Errorf("a cut row gives %d ports and the notes %q", len(cut.Readings), cut.Notes)
	}
}

// Other forms of the tables: errors alone, virtual output queues, drops of priority groups, and pauses of
// the whole link.
func TestOtherFormsOfTheTables(t *testing.T) {
	set, _ := read(t, "x", `    IFACE    STATE    RX_ERR    RX_DRP    RX_OVR    TX_ERR    TX_DRP    TX_OVR
---------  -------  --------  --------  --------  --------  --------  --------
Ethernet0        U        12         0         0         0         0         0
`)
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"RX_ERR": 12})
	set, _ = read(t, "x", `For namespace asic0:
                  Port    Voq    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes    Credit-WD-Del/pkts
----------------------  -----  --------------  ---------------  -----------  ------------  --------------------
      testsw|Ethernet0   VOQ0              54                8           19            76                     6
testsw|asic1|Ethernet4   VOQ0               1                0            0             0                     0
`)
	if p := at(t, set, "Ethernet4").Port; p.String() != "testsw asic1 Ethernet4" {
		t.Errorf("the port of another card is %v", p)
	}
	if p := at(t, set, "Ethernet0").Port; p.String() != "testsw Ethernet0" {
		t.Errorf("the port of another card is %v", p)
	}
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"queue VOQ0 dropped packets": 19, "queue VOQ0 packets deleted by the credit watchdog": 6})
	set, kind := read(t, "x", `Ingress PG dropped packets:
     Port    PG0    PG1    PG2    PG3
---------  -----  -----  -----  -----
Ethernet0    800      0      0      7
`)
	if kind != "watermark" {
		t.Errorf("drops of priority groups are taken for %s", kind)
	}
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"queue PG0 dropped packets": 800, "queue PG3 dropped packets": 7})
	set, _ = read(t, "x", "root@node7:~# ethtool -S ens1\nNIC statistics:\n     rx_packets: 7\n     rx_pause_ctrl_phy: 4\n     tx_pause_ctrl_phy: 900\nroot@node7:~# ethtool -S ens2\nNIC statistics:\n     rx_packets: 8\n")
	if p := set.Pauses; len(p) != 1 || p[0].Sent != 900 || p[0].Received != 4 {
		t.Errorf("pauses of the whole link are %+v", p)
	}
	if len(set.Readings) != 2 || set.Readings[0].Port.String() != "node7 ens1" || set.Readings[1].Port.String() != "node7 ens2" {
		t.Errorf("two interfaces of a terminal's capture are %d readings, the first of %v", len(set.Readings), set.Readings[0].Port)
	}
}

// tests/lldp_test.py: two neighbours on one port are no cable.
func TestLLDPTable(t *testing.T) {
	set, kind := read(t, "lldp.txt", "")
	if kind != "show lldp table" || len(set.Readings) != 0 || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "Ethernet0 has several neighbours") {
		t.Errorf("%s: %d cables, notes %q", kind, len(set.Readings), set.Notes)
	}
	set, _ = read(t, "x", `Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  -----------------
Ethernet0    spine1          Ethernet48         BR            Eth7/1
Ethernet4    node 7          b8:3f:d2:00:00:01  R             ens1f0
eth0         mgmt-sw         Gi1/0/3            B             x
--------------------------------------------------
Total entries displayed:  3
`)
	if len(set.Readings) != 2 || set.Readings[0].Peer.String() != "spine1 Ethernet48" || set.Readings[1].Peer.String() != "node 7 ens1f0" {
		t.Errorf("%d cables: %+v", len(set.Readings), set.Readings)
	}
}

// tests/portstat_test.py: the histogram is of a port that only the command names.
func TestFECHistogram(t *testing.T) {
	table := `Symbol Errors Per Codeword      Codewords
----------------------------  -----------
BIN0                            1,000,000
BIN1                               900000
BIN15                                   3
`
	set, kind := read(t, "x", "admin@leaf1:~$ show interfaces counters fec-histogram Ethernet8\n"+table+
		"admin@leaf1:~$ show interfaces counters fec-histogram Ethernet16\n"+strings.ReplaceAll(table, " 3\n", " N/A\n"))
	if kind != "show interfaces counters fec-histogram" || len(set.Readings) != 2 {
		t.Fatalf("%d readings of %s", len(set.Readings), kind)
	}
	r := at(t, set, "Ethernet8")
	if r.Port.String() != "leaf1 Ethernet8" {
		t.Errorf("the port is %v", r.Port)
	}
	expect(t, r, map[string]uint64{"FEC BIN0": 1000000, "FEC BIN1": 900000, "FEC BIN15": 3})
	if v, ok := value(at(t, set, "Ethernet16"), "FEC BIN15"); ok {
		t.Errorf("N/A is %d, want unknown", v)
	}
	set, _ = read(t, "x", table)
	if len(set.Readings) != 1 || set.Readings[0].Port.Name == "" || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "does not name its port") {
		t.Errorf("readings %v, notes %v", set.Readings, set.Notes)
	}
}

// The last row of a table is of the switch and the time above it, not of those of the next table.
func TestTheLastRowIsOfThePromptAboveIt(t *testing.T) {
	table := `    IFACE    STATE    RX_OK    RX_ERR
---------  -------  -------  --------
Ethernet0        U        1         0
Ethernet4        U        1         7
`
	set, _ := read(t, "x", "2026-01-01 10:00:00\nadmin@leaf1:~$ show interfaces counters\n"+table+"2026-01-01 10:01:00\nadmin@leaf2:~$ show interfaces counters\n"+table)
	for i, want := range []string{"leaf1 Ethernet0", "leaf1 Ethernet4", "leaf2 Ethernet0", "leaf2 Ethernet4"} {
		r := set.Readings[i]
		if r.Port.String() != want || (r.Time-set.Readings[0].Time)/1e6 != int64(i/2*60) {
			t.Errorf("row %d is of %v at %d, want %s", i, r.Port, r.Time, want)
		}
	}
}

// A host without PFC, and an output that is cut off: the note has the place once.
func TestQoSWithoutPFC(t *testing.T) {
	set, _ := read(t, "x", "DCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   0   0   0   0   0\ntc: 1 ratelimit: unlimited, tsa: vendor\n\t priority:  0\n")
	if len(set.Remarks) != 2 || set.Remarks[0].Value != "PFC is off for all priorities" {
		t.Errorf("remarks %v", set.Remarks)
	}
	if len(set.Notes) != 1 || strings.Count(set.Notes[0], "x:") != 1 {
		t.Errorf("notes %q", set.Notes)
	}
}

// doc/Command-Reference.md of sonic-utilities: transitions and µs of each priority.
func TestPFCHistory(t *testing.T) {
	set, kind := read(t, "x", `     Port    Priority    RX Pause Transitions    Total RX Pause Time US    Recent RX Pause Time US    Recent RX Pause Timestamp
---------  ----------  ----------------------  ------------------------  -------------------------  ---------------------------
Ethernet0        PFC0                      12                    12,000                      1,200         01/10/2008, 21:20:00
Ethernet0        PFC3                      23                    20,003                      2,003         05/18/2033, 03:33:20

Ethernet4        PFC0                      14                    14,000                      1,400         05/13/2014, 16:53:20
Ethernet4        PFC3                     N/A                       N/A                        N/A                          N/A
`)
	if kind != "show pfc counters --history" || len(set.Readings) != 2 {
		t.Fatalf("%d readings of %s", len(set.Readings), kind)
	}
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"pauses received PFC0": 12, "pause time PFC0": 12000, "pauses received PFC3": 23, "pause time PFC3": 20003})
	r := at(t, set, "Ethernet4")
	expect(t, r, map[string]uint64{"pause time PFC0": 14000})
	if v, ok := value(r, "pause time PFC3"); ok {
		t.Errorf("N/A is %d, want unknown", v)
	}
}

// FRR's own table: sessions without an address are named by the interface and, in front, by the neighbour's host name.
func TestBGPUnnumbered(t *testing.T) {
	table := `Neighbor        V         AS   MsgRcvd   MsgSent   TblVer  InQ OutQ  Up/Down State/PfxRcd   PfxSnt Desc
10.0.0.2        4      65002     29999     29998        0    0    0 01w3d17h           12       13 spine1
spine2(swp2)    4      65003       100       200        0    0    0 00:12:00       Active        0 N/A
Ethernet8       4      65009         0         0        0    0    0    never Idle (Admin)        0 leaf9

Total number of neighbors 3
`
	if set, _ := read(t, "x", table+table); len(set.Sessions) != 6 || len(set.Notes) > 0 {
		t.Errorf("two tables have %d sessions, notes %q", len(set.Sessions), set.Notes)
	}
	set, _ := read(t, "x", table)
	if set.Sessions[1].Name != "" {
		t.Errorf("N/A is the name %q", set.Sessions[1].Name)
	}
	var all []string
	for _, s := range set.Sessions {
		all = append(all, s.Neighbour+" "+s.State)
	}
	if got := strings.Join(all, ", "); got != "10.0.0.2 Established, spine2(swp2) Active, Ethernet8 Idle (Admin)" || len(set.Notes) > 0 {
		t.Errorf("sessions %s, notes %q", got, set.Notes)
	}
}

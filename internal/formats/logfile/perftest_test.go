package logfile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// perftestLog is the output of ib_write_bw of perftest 4.5 for a size, its bandwidth in Gb/s and its rate.
func perftestLog(bytes int, gbps, rate float64) string {
	return fmt.Sprintf(`---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Mtu             : 4096[B]
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 %d      5000           %.2f            %.2f		     %.6f
---------------------------------------------------------------------------------------
`, bytes, gbps, gbps, rate)
}

func TestAPrefixOfPerftestsLinesHasAnyForm(t *testing.T) {
	text := perftestLog(65536, 98.01, .186940)
	for _, prefix := range []string{
		"", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[prterun-node1-1234@1,0]<stdout>: ", "[0] ", "[rank 7] ", "[rank7]: ", "[node7]", "0: ", " 3: ",
		"node7: ", "node7\t", "node7 | ", "rank 7 ", "[pod/bench-0/perftest] ", "(head, rank=0, pid=38) [1,0]<stdout>:",
		"[2026-11-28 19:58:0%d] ", "2026-11-28T19:58:0%dZ ", "178000000%d ", "[1,0]<stdout>:12:00:0%d ",
	} {
		var tagged strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if strings.Contains(prefix, "%d") { // the time of a line
				fmt.Fprintf(&tagged, prefix, i)
			} else {
				tagged.WriteString(prefix)
			}
			tagged.WriteString(line + "\n")
		}
		l := parse(t, tagged.String())
		if tab := l.Tables[0]; len(l.Tables) != 1 || l.Partial() || len(tab.Rows) != 1 || tab.Rows[0].Bytes != 65536 || tab.Rows[0].Gbps != 98.01 || tab.MTU != 4096 || tab.Op != "write" {
			t.Errorf("behind %q: %+v, notes %v, want 98.01 Gb/s of 65536 bytes", prefix, tab, l.Notes)
		}
	}
}

// A server of perftest begins with a blank line and one of stars. Only what begins as JSON does is JSON.
func TestALogThatBeginsWithABlankLineIsNoJSON(t *testing.T) {
	for _, first := range []string{
		"\n", " \n\t\n", "\n************************************\n* Waiting for client to connect... *\n************************************\n",
		"[ 0] a launcher's line\n", "\n[ 12.345678] the kernel's line\n", "{node7} a line\n", "[]\n",
	} {
		l := parse(t, first+perftestLog(65536, 98.01, .186940))
		if len(l.Tables) != 1 || l.Partial() != (first == "[]\n") || l.Tables[0].Rows[0].Gbps != 98.01 {
			t.Errorf("behind %q: %d tables, notes %v, want a whole one", first, len(l.Tables), l.Notes)
		}
	}
	const row = `{"size": 1048576, "time_us": 100, "op": "allreduce", "ranks": 16}`
	for _, text := range []string{row, "\n\n" + row, "[" + row + "]", "\n[ " + row + " ]", "[\n" + row + "\n]", "{\"rows\": [" + row + "]}", "[[" + row + "]]"} {
		if l := parse(t, text); len(l.Tables) != 1 || l.Partial() || l.Tables[0].Rows[0].Micros != 100 {
			t.Errorf("%q: %d tables, notes %v, want a whole one", text, len(l.Tables), l.Notes)
		}
	}
}

func TestEachProcessOfALogHasItsTable(t *testing.T) {
	first := strings.Split(strings.TrimSpace(perftestLog(65536, 98.01, .186940)), "\n")
	second := strings.Split(strings.TrimSpace(perftestLog(8192, 49.15, .75)), "\n")
	var mixed strings.Builder
	for i := range first {
		mixed.WriteString("[1,0]<stdout>:" + first[i] + "\n[1,1]<stdout>:" + second[i] + "\n")
	}
	l := parse(t, mixed.String())
	var got []string
	for _, tab := range l.Tables {
		for _, row := range tab.Rows {
			got = append(got, fmt.Sprint(row.Bytes, " ", row.Gbps))
		}
	}
	if want := []string{"65536 98.01", "8192 49.15"}; len(l.Tables) != 2 || l.Partial() || !slices.Equal(got, want) {
		t.Errorf("%d tables of %v, notes %v, want one of each of %v", len(l.Tables), got, l.Notes, want)
	}
}

// With -C perftest prints cycles under a heading in usec. The command line tells, if the log has it.
func TestCyclesOfTheProcessorAreNoMicroseconds(t *testing.T) {
	const table = `                    RDMA_Write Latency Test
 Mtu             : 4096[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          3012.00        9120.00      3080.00            3101.00        40.00           3300.00                9120.00
---------------------------------------------------------------------------------------
`
	for command, cycles := range map[string]bool{
		"$ ib_write_lat -C node1\n": true, "+ ib_write_lat -d mlx5_0 -FC -s 8 node1\n": true, "ib_send_lat --report-cycles\n": true, "sh -c 'ib_read_lat -a -C'\n": true,
		"$ ib_write_lat -c RC node1\n": false, "ib_write_lat --report-counters=x node1\n": false, "ib_write_lat -d mlx5_C\n": false, "ib_write_lat node1; tar -C /tmp\n": false,
		"$ ib_write_lat -C node1\n\n$ ib_write_lat node1\n": false, "": false,
	} {
		for _, prefix := range []string{"", "[1,0]<stdout>:"} {
			text := command + prefix + strings.ReplaceAll(strings.TrimSuffix(table, "\n"), "\n", "\n"+prefix)
			l, err := Read("x", strings.NewReader(text+"\n"))
			if got := err != nil && strings.Contains(err.Error(), "cycles of the processor"); got != cycles {
				t.Errorf("%q behind %q: %v, %v", command, prefix, l, err)
			}
		}
	}
	l := parse(t, "ib_write_lat -C node1\n"+table+"ib_write_lat node1\n"+table+"ib_write_bw node1\n"+perftestLog(65536, 98.01, .186940))
	if len(l.Tables) != 2 || len(l.Notes) != 1 || !l.Tables[0].Latency || l.Tables[1].Latency {
		t.Errorf("of a table in cycles and two others %d are read, notes %v", len(l.Tables), l.Notes)
	}
}

// With -R and raw Ethernet a column of service levels follows the sizes.
func TestAColumnOfServiceLevelsIsNoBandwidth(t *testing.T) {
	l := parse(t, " #bytes    #sl      #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536    3           1000           99.50            98.01                  0.186940\n")
	if row := l.Tables[0].Rows[0]; row.Gbps != 98.01 || row.Most != 99.5 || row.Bytes != 65536 {
		t.Errorf("%+v, want 98.01 Gb/s of 65536 bytes", row)
	}
}

func TestTheNamesOfPerftestsOtherTests(t *testing.T) {
	for name, want := range map[string]string{"RDMA_Write Bidirectional Post List BW Test": "write", "RDMA_Write_imm BW Test": "write", "Send Bidirectional BW Test": "send"} {
		tab := parse(t, strings.Replace(perftestLog(65536, 98.01, .186940), "RDMA_Write BW Test", name, 1)).Tables[0]
		if tab.Op != want || tab.Bidirectional != strings.Contains(name, "Bidir") || tab.Latency {
			t.Errorf("%s is %+v, want the operation %s", name, tab, want)
		}
	}
}

// The reports of testdata are of perftest 4.5-0.17 with --report_gbits, and of ib_write_lat -D; that version
// writes names without quotation marks.
func TestAReportOfPerftestIsReadWithAndWithoutQuotationMarks(t *testing.T) {
	bw := read(t, "perftest-bw.report")
	if tab := bw.Tables[0]; len(bw.Tables) != 1 || bw.Partial() || tab.Op != "write" || tab.Test != "RDMA_Write BW" || tab.MTU != 4096 || tab.LinkType != "Ethernet" || tab.Rows[0].Bytes != 65536 || tab.Rows[0].Gbps != 24.36 {
		t.Errorf("%+v, notes %v, want 24.36 Gb/s", tab, bw.Notes)
	}
	lat := read(t, "perftest-duration.report")
	if tab := lat.Tables[0]; !tab.Latency || tab.Rows[0].Micros != 3.33 || tab.Rows[0].Bytes != 8 {
		t.Errorf("%+v, want a mean of 3.33 us", tab)
	}
	const info = `"test_info": {"test": "Send_Bidirectional_BW_Test", "Device": "mlx5_0", "cuda_device": 0, "Mtu": 1024, "Link_type": "IB"}`
	const mib = `"results": {"MsgSize": 4096, "n_iterations": 500, "BW_peak": 1900.75, "BW_average": 1244.76, "MsgRate": 0.318658}`
	for _, text := range []string{
		"{" + info + "," + mib + "}", "{" + mib + "," + info + "}", // compact, and sorted by jq -S
		"[\n{" + info + "," + mib + "}\n]\n", strings.NewReplacer(",", ",\n", "{", "{\n", "}", "\n}").Replace("{" + info + "," + mib + "}"),
	} {
		tab := parse(t, text).Tables[0]
		if row := tab.Rows[0]; !near(row.Gbps, 1244.76*8*1048576/1e9) || !tab.Bidirectional || !tab.GPUMemory || tab.MTU != 1024 {
			t.Errorf("%s\n%+v, want 1244.76 MiB/s", text, tab)
		}
	}
}

func TestAReportThatCannotBeUsedSaysWhy(t *testing.T) {
	text, err := os.ReadFile("testdata/perftest-bw.report")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	for change, want := range map[string]string{
		"MsgRate: 0.046468,": "says no unit of its bandwidth", "MsgSize: 65536,": "no MsgSize", "MsgRate: 0.046468": "neither in Gb/s nor in MiB/s",
	} {
		with := ""
		if !strings.HasSuffix(change, ",") {
			with = "MsgRate: 3.5"
		}
		_, err := Read("x", strings.NewReader(strings.Replace(whole, change, with, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q for %q: %v, want %q", with, change, err, want)
		}
	}
	if _, err := Read("x", strings.NewReader(whole[:len(whole)-30])); err == nil || !strings.Contains(err.Error(), "is cut") {
		t.Errorf("a cut report: %v", err)
	}
}

// The lists of nccl-tests before NCCL 2.4 (2019) name no process.
func TestAListOfRanksWithoutProcesses(t *testing.T) {
	l := parse(t, `# nThread 1 nGpus 2 minBytes 1 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 validation: 0
# NCCL Tests compiled with NCCL 2.4
# Using devices
#   Rank  0 on       ncrh device  0 [0x05] GeForce RTX 2080 Ti
#   Rank  1 on       ncrh device  1 [0x06] GeForce RTX 2080 Ti
#   Rank  2 on       ncri device  0 [0x05] GeForce RTX 2080 Ti
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1   100.00   10.49   13.98      0   100.00   10.49   13.98      0
# Avg bus bandwidth    : 13.98
`)
	if tab := l.Tables[0]; tab.Listed != 3 || tab.PerHost != 2 || !slices.Equal(tab.Hosts, []string{"ncrh", "ncri"}) || !slices.Equal(tab.GPUs, []string{"GeForce RTX 2080 Ti"}) {
		t.Errorf("%+v, want three ranks on two nodes", tab)
	}
}

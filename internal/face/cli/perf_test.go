package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/live/perf"
	"weft/internal/test/wiretest"
	"weft/units"
	"weft/wire"
)

// freePort is a port that is free on TCP and, most likely, on UDP.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// perfServed is a weft live perf serve of the test, and the flags that reach it.
func perfServed(t *testing.T, more ...string) (flags []string) {
	t.Helper()
	port := freePort(t)
	serving(t, append([]string{"perf", "serve", "-p", port, "--udp-port", port}, more...)...)
	return []string{"-p", port, "--udp-port", port}
}

// serving runs a server until the test ends, and returns after its first line of output.
func serving(t *testing.T, given ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	said := &lines{ready: make(chan struct{})}
	done := make(chan exit.Code, 1)
	go func() {
		e := environment(given)
		e.Stdout = said
		done <- Main(ctx, e)
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != exit.OK {
			t.Errorf("the server ended with %d", code)
		}
	})
	select {
	case <-said.ready:
	case code := <-done:
		done <- code // the cleanup waits for it
		t.Fatalf("the server ended with %d", code)
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not begin")
	}
}

// lines says when the first line has been written.
type lines struct {
	once  sync.Once
	ready chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	if bytes.ContainsRune(p, '\n') {
		l.once.Do(func() { close(l.ready) })
	}
	return len(p), nil
}

// perfRows are the rows of what weft live perf prints with --json.
func perfRows(text string) ([]perf.ResultRecord, error) {
	var out struct {
		Version int
		perf.Record
	}
	err := json.Unmarshal([]byte(text), &out)
	if err == nil && out.Version != process.DocumentVersion {
		err = fmt.Errorf("version %d", out.Version)
	}
	return out.Results, err
}

func TestPerfMeasuresEveryOperation(t *testing.T) {
	flags := perfServed(t)
	for _, verb := range []string{"write-bw", "read-bw", "send-bw", "write-lat", "read-lat", "send-lat"} {
		given := append([]string{"perf", verb, "127.0.0.1", "-n", "50", "--warmup", "5", "--json"}, flags...)
		out, errs, code := runMain(t, given...)
		rows, err := perfRows(out)
		if err != nil || code != exit.OK || len(rows) != 1 {
			t.Fatalf("%s: exit code %d, %v: %s%s", verb, code, err, out, errs)
		}
		r := rows[0]
		if !r.Whole || r.Iterations != 50 || r.Packets == 0 {
			t.Errorf("%s: %+v", verb, r)
		}
		if bandwidth := strings.HasSuffix(verb, "bw"); bandwidth != (r.Average > 0) || bandwidth == (r.Typical > 0) {
			t.Errorf("%s: %+v", verb, r)
		}
	}
}

func TestPerfPrintsPerftestsColumnsAndTCPBesideThem(t *testing.T) {
	flags := perfServed(t)
	file := filepath.Join(t.TempDir(), "run.pcapng")
	given := append([]string{"perf", "write-bw", "127.0.0.1", "-n", "20", "--warmup", "0", "-s", "10000", "--against", "tcp", "--pcap", file}, flags...)
	out, errs, code := runMain(t, given...)
	if code != exit.OK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, part := range []string{
		"                    RDMA_Write BW Test\n",
		" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]",
		"\n 10000      20         ",
		" the same over kernel TCP",
		" the received data equals the sent data\n",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
	if strings.Count(out, "\n 10000  ") != 2 {
		t.Errorf("want one row over RDMA and one over TCP:\n%s", out)
	}
	if n := capturedWrites(t, file); n != 20*3 {
		t.Errorf("the capture has %d packets of WRITEs, 20 of 10000 bytes are 60", n)
	}
}

// capturedWrites counts the WRITE packets of a capture; a retransmitted packet counts once.
func capturedWrites(t *testing.T, file string) int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[units.PSN]bool{}
	for _, p := range wiretest.Packets(t, f) {
		var c wire.RoCEv2
		if err := c.Parse(p.Data); err != nil {
			t.Fatal(err)
		}
		if op := c.Packet.BTH.Opcode; op >= wire.RCWriteFirst && op <= wire.RCWriteOnlyImm {
			all[c.Packet.BTH.PSN] = true
		}
	}
	return len(all)
}

func TestADeviceWhoseAddressIsTakenSaysWhatToDo(t *testing.T) {
	flags := perfServed(t)
	_, errs, code := runMain(t, append([]string{"perf", "write-bw", "127.0.0.1", "--addr", "127.0.0.1"}, flags...)...)
	if code != exit.Failed || !strings.Contains(errs, "another address by --addr") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestSelectiveRepeatRetransmitsOnlyLostPackets(t *testing.T) {
	flags := perfServed(t, "--lose", "0.01")
	repeated := map[bool]int64{}
	for _, selective := range []bool{false, true} {
		given := append([]string{"perf", "write-bw", "127.0.0.1", "-n", "200", "--lose", "0.01", "--json"}, flags...)
		if !selective {
			given = append(given, "--selective-repeat=false")
		}
		out, errs, code := runMain(t, given...)
		rows, err := perfRows(out)
		if err != nil || code != exit.OK || len(rows) != 1 {
			t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
		}
		r := rows[0]
		if r.Selective != selective || r.Lost == 0 || !r.Whole {
			t.Errorf("selective repeat %v: %+v", selective, r)
		}
		repeated[selective] = r.Repeated
	}
	// Of 3200 packets 32 are lost; go-back-N sends a window again for each.
	if repeated[true] == 0 || repeated[false] < 2*repeated[true] {
		t.Errorf("%d packets were sent again, and %d by go-back-N", repeated[true], repeated[false])
	}
}

func TestPerfWithoutAServerAsksForIt(t *testing.T) {
	port := freePort(t)
	_, errs, code := runMain(t, "perf", "write-bw", "127.0.0.1", "-p", port, "--udp-port", port)
	if code != exit.Failed || !strings.Contains(errs, "does weft live perf serve run there?") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestPerfRefusesImpossibleValues(t *testing.T) {
	for _, given := range [][]string{
		{"write-bw", "127.0.0.1", "-s", "0"},
		{"write-bw", "127.0.0.1", "-q", "100000"},
		{"write-bw", "127.0.0.1", "-m", "100"},
		{"write-bw", "127.0.0.1", "-m", "1000"},
		{"read-bw", "127.0.0.1", "--against", "tcp"},
		{"read-lat", "127.0.0.1", "--against", "smoke"},
		{"write-bw", "127.0.0.1", "--addr", "here"},
		{"write-bw", "127.0.0.1", "--lose", "1.5"},
		{"write-bw", "127.0.0.1", "--lose", "NaN"},
		{"write-bw"},
		{"write-bw", "127.0.0.1", "--dcqcn", "fast"},
		{"write-bw", "127.0.0.1", "--dcqcn", "1Mbps"},
	} {
		if _, errs, code := runMain(t, append([]string{"perf"}, given...)...); code != exit.BadInput {
			t.Errorf("%v: exit code %d, want %d: %s", given, code, exit.BadInput, errs)
		}
	}
}

func TestRanksAddUpTheirVectorsAndPrintTheTableOfNCCLTests(t *testing.T) {
	dir := t.TempDir()
	out, errs, code := runMain(t, "live", "all-reduce", "--ranks", "3", "-b", "64", "-e", "4K", "-f", "8", "--iters", "3", "-w", "1",
		"--in-process", "--addr", "127.2.0.1", "--udp-port", freePort(t), "--pcap", filepath.Join(dir, "run.pcapng"))
	if code != exit.OK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	rows := 0
	for line := range strings.SplitSeq(out, "\n") {
		cells := strings.Fields(line)
		if len(cells) != 13 || cells[2] != "float" {
			continue
		}
		rows++
		size, err := strconv.Atoi(cells[0])
		if err != nil || cells[8] != "0" || cells[12] != "0" {
			t.Errorf("size %d: %s", size, line)
		}
	}
	for _, rank := range []string{"0", "1", "2"} {
		if capturedWrites(t, filepath.Join(dir, "run."+rank+".pcapng")) == 0 {
			t.Errorf("the capture of rank %s has no WRITE", rank)
		}
	}
	if rows != 3 || !strings.Contains(out, "# Out of bounds values : 0 OK\n") {
		t.Errorf("%d rows, want 3:\n%s", rows, out)
	}
}

// runMain runs the whole command line.
func runMain(t *testing.T, given ...string) (out, errs string, code exit.Code) {
	t.Helper()
	e := environment(given)
	var stdout, stderr bytes.Buffer
	e.Stdout, e.Stderr = io.Writer(&stdout), &stderr
	code = Main(context.Background(), e)
	return stdout.String(), stderr.String(), code
}

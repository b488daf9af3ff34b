package preload

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests of this file run sockets over RDMA: rdma-core's programs, and calls that these do not make.

// rstream sends each way; -T v compares every byte that has arrived.
func TestStreamsCarryTheirDataBothWays(t *testing.T) {
	for _, options := range []string{
		"-S 1 -C 1 -I 2000 -T v",
		"-S 1000 -C 1000 -I 2 -T v",
		"-S 100000 -C 100 -I 2 -T v -T b",        // calls that wait
		"-S 5000000 -C 3 -I 1 -T v -T a",         // rpoll, without a wait
		"-S 64 -C 1 -I 500 -T v -T a -T b",       // and with one
		"-S 3000 -C 1000 -I 1 -B 4096 -T v -T b", // buffers of the least size
		"-S 70000 -C 100 -I 1 -T r -k 1",         // rdma_getaddrinfo, keep-alive
	} {
		t.Run(options, func(t *testing.T) {
			need(t, "rstream")
			argv := append([]string{"rstream"}, strings.Fields(options)...)
			for _, out := range streamed(t, argv) {
				if !regexp.MustCompile(`(?m)^custom +.* [\d.]*[1-9][\d.]*$`).MatchString(out) || strings.Contains(out, "failed") {
					t.Errorf("no row, or other data than was sent:\n%s", out)
				}
			}
		})
	}
}

// streamed is the output of rstream at both ends. With -T a an end polls, and takes the good bye of the other for an error
// if it comes with the last data (do_poll: POLLHUP, exit code 16; the other end's is then 255). Such a run counts for nothing.
func streamed(t *testing.T, argv []string) (outputs []string) {
	t.Helper()
	for try := 0; ; try++ {
		s, address := server(t, argv...)
		here, err := start(t, append(argv, "-s", address)...).wait()
		there, theirs := s.wait()
		if err = errors.Join(err, theirs); err == nil {
			return []string{here, there}
		}
		if !slices.Contains(argv, "a") || try == 4 || strings.Contains(here+there, "verif") {
			t.Fatalf("%v: %v\n%s\n%s", argv, err, here, there)
		}
	}
}

// udpong asks for each answer again until it comes, so the test needs no datagram to arrive. Waiting is polling, rpoll, or
// a call that blocks; -T s is a program of plain sockets.
func TestDatagramsGoFromSocketToSocket(t *testing.T) {
	need(t, "udpong", "stdbuf", "env")
	for n, c := range []struct {
		options, row string
		plain        bool
	}{
		{"-C 300 -S 64 -T e", "64 +600 ", false},
		{"-C 300 -S 2000 -T e -T b", `1\.9k +600 `, false},
		{"-C 300 -S 1000 -T e -T a -T b", "1000 +600 ", false},
		{"-C 1000 -S 1000", `1000 +[\d.]+k? `, false},
		{"-C 300 -S 100 -T s", `100 +[\d.]+k? `, true}, // not -T e: librspreload does not see __recv_chk
	} {
		t.Run(c.options, func(t *testing.T) {
			argv := append([]string{"stdbuf", "-oL", "udpong"}, strings.Fields(c.options)...)
			if c.plain {
				argv = append(overSockets(t), argv...)
			}
			address := fmt.Sprintf("127.78.1.%d", n+1)
			s := startOn(t, []string{address}, append(argv, "-b", address)...)
			time.Sleep(500 * time.Millisecond)
			out := start(t, append(argv, "-s", address)...).end(t)
			if !regexp.MustCompile(`(?m)^custom +` + c.row).MatchString(out) {
				t.Errorf("no row %s:\n%s\nThe server says:\n%s", c.row, out, s.out.String())
			}
			s.says(t, "client login from 127.")
		})
	}
}

// riostream writes into memory that the peer has mapped, and the peer looks there.
func TestMappedMemoryIsWrittenDirectly(t *testing.T) {
	need(t, "riostream")
	argv := strings.Fields("riostream -S 100000 -C 1 -I 50 -T v -T b")
	s, address := server(t, argv...)
	for _, out := range []string{client(t, append(argv, "-s", address)...), s.end(t)} {
		if !regexp.MustCompile(`(?m)^custom +97k`).MatchString(out) || strings.Contains(out, "failed") {
			t.Errorf("no row, or other data than was sent:\n%s", out)
		}
	}
}

func TestFilesAreCopiedWhole(t *testing.T) {
	need(t, "rcopy")
	_, address := server(t, "rcopy", "-p", "7900")
	for _, size := range []int{1, 10_000_001} {
		from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
		data := make([]byte, size)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
		if err := os.WriteFile(from, data, 0o600); err != nil {
			t.Fatal(err)
		}
		client(t, "rcopy", from, address+":"+to, "-p", "7900")
		if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, data) {
			t.Errorf("a file of %d bytes arrived with %d, or others: %v", len(data), len(got), err)
		}
	}
}

// The other end of a stream learns of a peer that is killed, whether it sends or waits.
func TestAKilledPeerEndsTheStream(t *testing.T) {
	need(t, "rstream")
	for _, options := range []string{"-T b", "-T a -T b", "-T n"} {
		t.Run(options, func(t *testing.T) {
			argv := append(strings.Fields("rstream -C 1000000000 -S 1000 -I 1"), strings.Fields(options)...)
			s, address := server(t, argv...)
			c := start(t, append(argv, "-s", address)...)
			time.Sleep(time.Second)
			_ = c.cmd.Process.Kill() // the server of such a transfer only receives
			began := time.Now()
			out, err := s.wait()
			if took := time.Since(began); err == nil || took > 30*time.Second {
				t.Errorf("the server ended %v later with %v, want an error:\n%s", took, err, out)
			}
		})
	}
}

// What rdma-core's programs do not do: half a connection, parts, peeking, sets of descriptors, threads
// that read and write one socket, errors.
func TestCallsOfSocketsOverRDMA(t *testing.T) {
	need(t)
	program := filepath.Join(t.TempDir(), "rsockets")
	if out, err := exec.Command("gcc", "-Wall", "-O2", "-o", program, "testdata/rsockets.c", "-lrdmacm", "-libverbs", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const address = "127.78.0.1"
	startOn(t, []string{address}, program, address).end(t)
}

// overSockets are the words that put sockets over RDMA under a program.
func overSockets(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/*/rsocket/librspreload.so")
	if err != nil || len(found) == 0 {
		t.Skip("librdmacm1 is not installed: bash .ci/run tools")
	}
	return []string{"env", "LD_PRELOAD=" + found[0]}
}

// librspreload puts sockets over RDMA under the sockets of a program; rstream -T s is one of those.
func TestProgramsOfPlainSocketsRunOnThem(t *testing.T) {
	need(t, "rstream", "env")
	argv := append(overSockets(t), strings.Fields("rstream -T s -T v -T b -S 10000 -C 100 -p 7555")...)
	s, address := server(t, argv...)
	if table, err := os.ReadFile("/proc/net/tcp"); err != nil || bytes.Contains(table, []byte(":1D83 ")) {
		t.Errorf("the program listens at a port of TCP: %v", err)
	}
	for _, out := range []string{client(t, append(argv, "-s", address)...), s.end(t)} {
		if !regexp.MustCompile(`(?m)^custom +9.7k`).MatchString(out) || strings.Contains(out, "failed") {
			t.Errorf("no row, or other data than was sent:\n%s", out)
		}
	}
}

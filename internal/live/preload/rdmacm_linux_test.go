package preload

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/verbs"
)

// The tests of this file run programs that connect by librdmacm.

var addresses atomic.Int32

// server starts a program with a device at an address of its own, and waits until the device is open.
func server(t *testing.T, argv ...string) (r *running, address string) {
	t.Helper()
	n := 2 + addresses.Add(1)%250 // a soak comes around
	address = fmt.Sprintf("127.77.%d.%d", os.Getpid()%250+1, n)
	r = startOn(t, []string{address}, argv...)
	entry := regexp.MustCompile(fmt.Sprintf(`: %02X%02X4D7F:12B7 `, n, os.Getpid()%250+1))
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if table, err := os.ReadFile("/proc/net/udp"); err == nil && entry.Match(table) {
			return r, address
		}
	}
	t.Fatalf("%s opens no device", argv[0])
	return nil, ""
}

// client runs a program, which must end well. A server has its device before it listens: a connection waits.
func client(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := start(t, argv...).wait()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	return out
}

// A server without an address of its own is at the first free one. Its client asks at 127.0.0.1, though another program's
// device has that.
func TestAServerIsFoundAtLocalhostBesideAnotherProgram(t *testing.T) {
	need(t, "rping", "udaddy", "ib_send_bw", "ib_write_bw")
	other := []string{"ib_write_bw", "-p", freePort(t)}
	start(t, other...).listens(t, other[2]) // with a device, if nobody had one yet at 127.0.0.1
	for _, c := range []struct{ server, client string }{
		{"rping -s -C 5 -p PORT", "rping -c -C 5 -V -a 127.0.0.1 -p PORT"},
		{"udaddy", "udaddy -s 127.0.0.1"},
		{"ib_send_bw -R -n 200 -p PORT", "ib_send_bw -R -n 200 127.0.0.1 -p PORT"},
	} {
		t.Run(c.server, func(t *testing.T) {
			port := strings.NewReplacer("PORT", freePort(t))
			s := start(t, strings.Fields(port.Replace(c.server))...)
			client(t, strings.Fields(port.Replace(c.client))...)
			s.end(t)
		})
	}
}

// Programs of librdmacm connect, exchange data and part, with queue pairs of the library and of their
// own (rping -q), with endpoints, with datagrams and with multicast groups.
func TestProgramsOfLibrdmacmConnect(t *testing.T) {
	for _, c := range []struct{ server, client, says string }{
		{"rping -s -C 5 -v", "rping -c -C 5 -v -a", "ping data: rdma-ping-4: "},
		{"rping -s -C 3 -q", "rping -c -C 3 -q -v -a", "ping data: rdma-ping-2: "},
		{"rping -s -C 3 -S 60000", "rping -c -C 3 -V -S 60000 -a", ""},
		{"ucmatose", "ucmatose -s", "return status 0"},
		{"ucmatose -c 20", "ucmatose -c 20 -s", "return status 0"},
		{"ucmatose -m 1", "ucmatose -m 1 -s", "return status 0"}, // rdma_migrate_id
		{"udaddy", "udaddy -s", "return status 0"},
		{"rdma_server", "rdma_client -s", "rdma_client: end 0"},
		{"rdma_xserver -c r", "rdma_xclient -c r -s", "rdma_xclient: end 0"}, // inline, without having asked for it
		{"rdma_xserver -c x", "rdma_xclient -c x -s", "rdma_xclient: end 0"}, // XRC
		{"ib_write_bw -R -n 500", "ib_write_bw -R -n 500", "65536 +500 +"},
		{"ib_read_bw -R -n 200 -q 8", "ib_read_bw -R -n 200 -q 8", "65536 +1600 +"},
		{"ib_send_bw -R -n 500 -r 600 -c UD", "ib_send_bw -R -n 500 -r 600 -c UD", "4096 +500 +"},
		{"ib_send_bw -R -n 200 -q 128 -s 64 -b --report_gbits", "ib_send_bw -R -n 200 -q 128 -s 64 -b --report_gbits", "64 +25600 +"},
		{"ib_read_lat -R -n 100 -s 1000003", "ib_read_lat -R -n 100 -s 1000003", "1000003 +100 +"},
		{"ib_send_lat -R -n 200 -s 1000 -c UD -e", "ib_send_lat -R -n 200 -s 1000 -c UD -e", "1000 +200 +"},
		{"ib_atomic_lat -R -n 100", "ib_atomic_lat -R -n 100", "8 +100 +"},
	} {
		t.Run(c.client, func(t *testing.T) {
			argv, with := strings.Fields(c.server), strings.Fields(c.client)
			need(t, argv[0], with[0])
			if strings.HasPrefix(argv[0], "ib_") {
				port := freePort(t)
				argv, with = append(argv, "-F", "-p", port), append(with, "-F", "-p", port) // -F: the processor's clock may change
			}
			s, address := server(t, argv...)
			if out := client(t, append(with, address)...); !regexp.MustCompile(c.says).MatchString(out) {
				t.Errorf("the client does not say %q:\n%s", c.says, out)
			}
			if out := s.end(t); strings.Contains(out, "FAILED") {
				t.Errorf("the server says:\n%s", out)
			}
		})
	}
}

func TestMulticastByLibrdmacm(t *testing.T) {
	need(t, "mckey")
	group := fmt.Sprintf("239.77.%d.1", os.Getpid()%250)
	to, _ := server(t, "mckey", "-m", group)
	time.Sleep(300 * time.Millisecond) // datagrams before it has joined are lost
	client(t, "mckey", "-s", "-m", group)
	if out := to.end(t); !strings.Contains(out, "data transfers complete") {
		t.Errorf("the receiver says:\n%s", out)
	}
}

// A program that ends without good bye is told to its peer, as by the kernel; cmtime's server goes on
// for the next client.
func TestAServerOutlivesItsClients(t *testing.T) {
	t.Parallel() // its programs wait for the greater part of their time
	need(t, "cmtime")
	_, address := server(t, "cmtime", "-c", "20")
	if out := client(t, "cmtime", "-c", "20", "-s", address); !regexp.MustCompile(`connect +: +[\d.]+`).MatchString(out) {
		t.Errorf("cmtime says:\n%s", out)
	}
}

func TestNobodyListensForLibrdmacm(t *testing.T) {
	t.Parallel() // its programs wait for the greater part of their time
	need(t, "rping")
	_, address := server(t, "rping", "-s", "-p", "7999")
	to := func(address string) *running { return start(t, "rping", "-c", "-C", "1", "-a", address) }
	nobody, noRoute, otherFamily := to(address), to("192.0.2.77"), to("::1")
	if out, err := nobody.wait(); err == nil || !strings.Contains(out, "RDMA_CM_EVENT_REJECTED") {
		t.Errorf("rping to a port where nobody listens: %v\n%s", err, out)
	}
	if out, err := noRoute.wait(); err == nil {
		t.Errorf("rping to an address without a route:\n%s", out)
	}
	if out, err := otherFamily.wait(); err == nil || !strings.Contains(out, "Network is unreachable") {
		t.Errorf("rping from a device of IPv4 to an address of IPv6: %v\n%s", err, out)
	}
}

// A program that is killed says no good bye: its device's end on the same machine stands for the kernel's.
func TestAKilledPeerIsToldAsADisconnection(t *testing.T) {
	t.Parallel() // its programs wait for the greater part of their time
	need(t, "rping")
	s, address := server(t, "rping", "-s", "-v")
	c := start(t, "rping", "-c", "-v", "-a", address)
	time.Sleep(time.Second)
	_ = c.cmd.Process.Kill()
	began := time.Now()
	out, err := s.wait()
	if took := time.Since(began); took > 5*time.Second || !strings.Contains(out, "DISCONNECT EVENT") || !strings.Contains(out, "rdma-ping-") {
		t.Errorf("the server ended %v later with %v:\n%s", took, err, out)
	}
}

// A server has a listener for each family at one port, on a device and at a shared address; options have an effect or
// fail.
func TestListenersHaveAnAddressAndAFamily(t *testing.T) {
	need(t)
	program := filepath.Join(t.TempDir(), "listeners")
	if out, err := exec.Command("gcc", "-Wall", "-O2", "-o", program, "testdata/listeners.c", "-lrdmacm", "-libverbs").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const own, together = "127.78.0.11", "127.78.0.12"
	s, err := verbs.Share(netip.MustParseAddrPort(together + ":0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, address := range []string{own, together} {
		startOn(t, []string{address}, program, address).end(t)
	}
}

package ibsim

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"weft/wire/mad"
)

// asUser is the environment variable that makes the test's program another user's client.
const asUser = "WEFT_TEST_IBSIM"

// stranger is a command of this program as another user, who runs one test of it.
func stranger(t *testing.T, test, socket string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can run a program as another user")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The other user may not be able to read the program: it is passed as an open file.
	file, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	cmd := exec.Command("/proc/self/fd/3", "-test.run", "^"+test+"$", "-test.v")
	cmd.ExtraFiles, cmd.Dir = []*os.File{file}, "/"
	cmd.Env = append(os.Environ(), asUser+"="+socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

func chainOfTwo(t *testing.T) *bench {
	t.Helper()
	return serve(t, chain(2))
}

// The simulator refuses every other user, and goes on to serve its own.
func TestASimulatorIsItsUsersOwn(t *testing.T) {
	if socket := os.Getenv(asUser); socket != "" {
		if _, err := Dial(socket, ""); errors.Is(err, errRefused) {
			t.Log("REFUSED")
		} else {
			t.Errorf("the simulator does not refuse another user: %v", err)
		}
		return
	}
	b := chainOfTwo(t)
	out, err := stranger(t, t.Name(), b.socket).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "REFUSED") {
		t.Errorf("another user: %v\n%s", err, out)
	}
	c, err := Dial(b.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Node == (mad.NodeInfo{}) {
		t.Error("the user's own program did not learn its node")
	}
}

// The error says that another user has taken the simulator's name.
func TestANameThatAnotherUserHasTakenIsSaid(t *testing.T) {
	if socket := os.Getenv(asUser); socket != "" {
		c, err := net.ListenUnixgram("unixgram", address(socket, "ctl"))
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("READY\n")
		var m [messageSize]byte
		for {
			_, from, err := c.ReadFromUnix(m[:])
			if err != nil {
				return
			}
			from.Name = strings.TrimSuffix(from.Name, "\x00") + "\x00"
			_, _ = c.WriteToUnix(m[:], from)
		}
	}
	b := &bench{socket: "weft-test-squatted"}
	cmd := stranger(t, t.Name(), b.socket)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	said := ""
	for buf := make([]byte, 256); !strings.Contains(said, "READY"); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("the other user's program: %v, %s", err, said)
		}
		said += string(buf[:n])
	}
	if _, err := Dial(b.socket, ""); !errors.Is(err, ErrUser) {
		t.Errorf("another user's simulator: %v, want %v", err, ErrUser)
	}
}

// Root and the user are trusted; a datagram of an unknown sender is not.
func TestUsersTrustThemselvesAndRoot(t *testing.T) {
	for _, c := range []struct {
		own, other user
		want       bool
	}{{0, 0, true}, {1000, 1000, true}, {1000, 0, true}, {1000, 1001, false}, {0, 1000, false}, {0, nobody, false}, {1000, nobody, false}} {
		if got := c.own.trusts(c.other); got != c.want {
			t.Errorf("user %d trusts %d: %v, want %v", c.own, c.other, got, c.want)
		}
	}
}

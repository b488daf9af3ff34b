//go:build linux

// Command guest is the first process of the virtual machine in which Linux's
// soft-RoCE runs: it brings the machine up and then runs, one connection each, the
// commands that the tests of package interop send it. It is of no use outside of that machine.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"weft/interop"
)

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "guest: this is the first process of a virtual machine; run make interop")
		os.Exit(2)
	}
	fmt.Println("guest:", serve())
	// The kernel panics if its first process ends: the machine is powered off instead.
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// serve brings the machine up and takes commands; it returns only with an error.
func serve() error {
	if err := bringUp(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", interop.Port))
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go answer(c)
	}
}

// answer runs the command of one connection.
func answer(c net.Conn) {
	defer c.Close()
	var cmd interop.Command
	if err := json.NewDecoder(c).Decode(&cmd); err != nil || len(cmd.Argv) == 0 {
		return
	}
	ctx, kill := context.WithTimeout(context.Background(), time.Duration(cmd.Seconds)*time.Second)
	defer kill()
	go func() {
		_, _ = io.Copy(io.Discard, c) // ends when the test wants the end, or has gone
		kill()
	}()
	out := run(ctx, cmd.Argv)
	_ = json.NewEncoder(c).Encode(&out) // a test that has gone wants no answer
}

// run runs a program until ctx ends.
func run(ctx context.Context, argv []string) interop.Outcome {
	var all strings.Builder
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Start(); err != nil {
		return interop.Outcome{Output: err.Error(), Exit: -1}
	}
	err := cmd.Wait()
	out := interop.Outcome{Output: all.String(), Exit: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		out.Exit = -1
	}
	return out
}

// bringUp brings up a network interface and a soft-RoCE device on it. The kernel's
// command line gives the address, as weft_addr, and the interface's MTU, as weft_mtu.
func bringUp() error {
	for _, m := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}, {"tmpfs", "/run"},
	} {
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := loadModules(); err != nil {
		return err
	}
	if err := os.Setenv("PATH", "/usr/bin:/usr/sbin"); err != nil {
		return err
	}
	for _, line := range []string{
		"ip link set lo up",
		"ip link set eth0 mtu " + os.Getenv("weft_mtu"),
		"ip addr add " + os.Getenv("weft_addr") + " dev eth0",
		"ip link set eth0 up",
		"rdma link add rxe0 type rxe netdev eth0",
	} {
		if out := run(context.Background(), strings.Fields(line)); out.Exit != 0 {
			return fmt.Errorf("%s: %s", line, out.Output)
		}
	}
	return nil
}

// loadModules loads the modules that /modules names, in its order.
func loadModules() error {
	list, err := os.ReadFile("/modules")
	if err != nil {
		return err
	}
	for path := range strings.FieldsSeq(string(list)) {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		f.Close()
		// A module fails to load if the processor lacks an instruction that it uses.
		if err != nil && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.ENODEV) {
			return fmt.Errorf("module %s: %w", path, err)
		}
	}
	return nil
}

//go:build linux

package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// bootTime is the time that the machine has to boot: some 5 s on an idle host.
	bootTime = 2 * time.Minute
	// runTime bounds one program in the guest.
	runTime = 90 * time.Second
)

// vm is a virtual machine with a soft-RoCE device.
type vm struct {
	qemu *exec.Cmd
	log  string // of the kernel
}

// boot starts the machine, and waits until it takes commands.
func boot(image string) (*vm, error) {
	v := &vm{log: filepath.Join(os.TempDir(), fmt.Sprintf("weft-interop-%d.log", os.Getpid()))}
	v.qemu = exec.Command("qemu-system-x86_64",
		"-accel", "tcg", "-cpu", "max", "-M", "q35", "-m", "384", "-smp", "2", "-nodefaults", "-no-user-config", "-no-reboot",
		"-display", "none", "-serial", "file:"+v.log,
		"-kernel", filepath.Join(image, "vmlinuz"), "-initrd", filepath.Join(image, "initrd"),
		"-append", "console=ttyS0 quiet panic=-1 mitigations=off audit=0 weft_addr="+guestAddr+prefix+" weft_mtu="+mtu,
		"-netdev", "tap,id=net,ifname="+tap+",script=no,downscript=no", "-device", "virtio-net-pci,netdev=net,romfile=")
	v.qemu.Stdout, v.qemu.Stderr = os.Stderr, os.Stderr
	v.qemu.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := v.qemu.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(bootTime); time.Now().Before(deadline); {
		if out, err := v.run("rdma", "link"); err == nil && strings.Contains(out.Output, "rxe0/1 state ACTIVE") {
			return v, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	v.halt()
	log, _ := os.ReadFile(v.log)
	return nil, fmt.Errorf("the machine has no soft-RoCE device after %v: %s", bootTime, log)
}

func (v *vm) halt() {
	_ = v.qemu.Process.Kill()
	_ = v.qemu.Wait()
	_ = os.Remove(v.log)
}

// run runs a program in the machine.
func (v *vm) run(argv ...string) (Outcome, error) { return v.runUntil(context.Background(), argv...) }

// runUntil runs a program in the machine and kills it after runTime, or when ctx ends.
func (v *vm) runUntil(ctx context.Context, argv ...string) (out Outcome, err error) {
	d := net.Dialer{Timeout: 2 * time.Second}
	c, err := d.Dial("tcp", net.JoinHostPort(guestAddr, strconv.Itoa(Port)))
	if err != nil {
		return out, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.(*net.TCPConn).CloseWrite() })()
	err = c.SetDeadline(time.Now().Add(runTime + 10*time.Second))
	if err == nil {
		err = json.NewEncoder(c).Encode(&Command{Argv: argv, Seconds: int(runTime.Seconds())})
	}
	return out, errors.Join(err, json.NewDecoder(c).Decode(&out))
}

// lossy is the loss of a run: one of so many packets that arrive in the machine, and one of
// so many that arrive from it.
type lossy struct{ in, out int }

// lose drops arriving RoCE packets from now on, and returns the function that ends this and
// returns the number of dropped packets. (soft-RoCE would notice a drop of leaving packets,
// and send again at once.)
func (v *vm) lose(l lossy) (heal func() (dropped int, err error), err error) {
	sides := []struct {
		run   func(argv ...string) (Outcome, error)
		every int
	}{{v.run, l.in}, {here, l.out}}
	for _, side := range sides {
		rule := fmt.Sprintf("iptables -A INPUT -p udp --dport 4791 -m statistic --mode nth --every %d --packet %d -j DROP", side.every, side.every/2)
		if out, err := side.run(strings.Fields(rule)...); err != nil || out.Exit != 0 {
			return nil, fmt.Errorf("%s: %w: %s", rule, err, out.Output)
		}
	}
	return func() (dropped int, err error) {
		for _, side := range sides {
			n, err := healed(side.run)
			if err != nil {
				return 0, err
			}
			dropped += n
		}
		return dropped, nil
	}, nil
}

// here runs a program beside the test, in its network namespace.
func here(argv ...string) (Outcome, error) {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	return Outcome{Output: string(out)}, err
}

// healed ends the loss and returns the number of dropped packets.
func healed(run func(argv ...string) (Outcome, error)) (dropped int, err error) {
	counted, err := run("iptables", "-nvxL")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(counted.Output) {
		var packets int
		if strings.Contains(line, "DROP") {
			if _, err := fmt.Sscan(line, &packets); err != nil {
				return 0, fmt.Errorf("%q: %w", line, err)
			}
		}
		dropped += packets
	}
	out, err := run("iptables", "-F")
	if err == nil && out.Exit != 0 {
		err = errors.New(out.Output)
	}
	return dropped, err
}

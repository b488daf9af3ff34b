package umad

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe" //nolint:depguard // ioctl takes the address of its argument
)

// file is a device of Linux.
type file struct {
	*os.File
	manager *os.File // issmN: while it is open, the port says that a Subnet Manager runs on it
}

// Open opens a device such as /dev/infiniband/umad0, and with it issm0, and registers a manager's classes.
func Open(path string) (*Port, error) {
	p, f, err := openAs(path, New)
	if err != nil {
		return nil, err
	}
	number := strings.TrimPrefix(filepath.Base(path), "umad")
	if f.manager, err = os.OpenFile(filepath.Join(filepath.Dir(path), "issm"+number), os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("the port cannot be a Subnet Manager's: %w", err)
	}
	return p, nil
}

// OpenReader opens a device such as /dev/infiniband/umad0 for a program that reads the fabric. The port does not say that a
// Subnet Manager runs on it.
func OpenReader(path string) (*Port, error) {
	p, _, err := openAs(path, NewReader)
	return p, err
}

// openAs opens a device and registers classes at it.
func openAs(path string, register func(Device) (*Port, error)) (*Port, *file, error) {
	if !strings.HasPrefix(filepath.Base(path), "umad") {
		return nil, nil, fmt.Errorf("%s is no umad device: expected a path such as /dev/infiniband/umad0", path)
	}
	d, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	f := &file{File: d}
	p, err := register(f)
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return p, f, nil
}

// Control implements Device.
func (f *file) Control(request uintptr, arg []byte) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var at unsafe.Pointer
	if len(arg) > 0 {
		at = unsafe.Pointer(&arg[0])
	}
	var failed syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, failed = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(at))
	}); err != nil {
		return err
	}
	if failed != 0 {
		return failed
	}
	return nil
}

// SetReadDeadline implements Device.
func (f *file) SetReadDeadline(t time.Time) error { return f.File.SetReadDeadline(t) }

// Close implements Device.
func (f *file) Close() error {
	if f.manager != nil {
		f.manager.Close()
	}
	return f.File.Close()
}

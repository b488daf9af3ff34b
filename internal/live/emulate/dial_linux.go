package emulate

import (
	"os"
	"unsafe" //nolint:depguard // devices read the clock in memory that they share with the fabric

	"golang.org/x/sys/unix"

	"weft/internal/sim/channel"
)

// shared is the memory of the fabric's clock, which devices can read and not write.
type shared struct {
	*channel.Dial
	memory []byte
	fd     int // of the memory, for devices
}

// share makes the memory.
func share() (*shared, error) {
	fd, err := unix.MemfdCreate("weft-fabric-clock", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	s := &shared{fd: fd}
	if err = unix.Ftruncate(fd, channel.DialBytes); err == nil {
		s.memory, err = unix.Mmap(fd, 0, channel.DialBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err == nil { // who maps it from now on can only read
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_FUTURE_WRITE|unix.F_SEAL_SEAL)
	}
	if err != nil {
		_ = s.close()
		return nil, os.NewSyscallError("memory for the clock", err)
	}
	s.Dial = (*channel.Dial)(unsafe.Pointer(&s.memory[0]))
	return s, nil
}

func (s *shared) close() error {
	err := unix.Close(s.fd)
	if s.memory != nil {
		_ = unix.Munmap(s.memory)
	}
	return err
}

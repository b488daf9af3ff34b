package preload

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Program is a program with weft's libraries in its way.
type Program struct {
	Libraries string   // the folder that Build has filled
	Devices   []string // "name=address", "name" or "address"; none: one device, weft0 or the NIC of an emulated fabric in WEFT_NIC, at the first free address
	// SocketOnly has all packets go by UDP, also to devices of the same user on this machine.
	SocketOnly bool
	// FabricTime has the program's wall clocks run as the clock of its emulated fabric does.
	FabricTime bool
	Explain    bool // the libraries write the reason of each refused call to standard error
}

// The variables that the libraries read.
const (
	devicesVariable = "WEFT_VERBS_DEVICES"
	explainVariable = "WEFT_VERBS_EXPLAIN"
	socketVariable  = "WEFT_VERBS_SOCKET_ONLY"
	pathVariable    = "LD_LIBRARY_PATH"
	preloadVariable = "LD_PRELOAD"

	emulatorVariable = "WEFT_EMULATOR"
	nicVariable      = "WEFT_NIC"
)

// monitorVariable says how libfabric learns that registered memory is unmapped. By default it rewrites the
// beginning of munmap in the C library while the program runs, and a thread of weft's core that is in munmap at that moment
// crashes. weft pins no memory, so it needs no monitor.
const monitorVariable = "FI_MR_CACHE_MONITOR"

// Variables are the variables that the program's environment needs, with getenv as it is now.
func (p *Program) Variables(getenv func(string) string) (map[string]string, error) {
	dir, err := filepath.Abs(p.Libraries)
	if err != nil {
		return nil, err
	}
	for _, name := range libraries {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, fmt.Errorf("no %s in %s: build it in a checkout of weft with weft verbs build", name, dir)
		}
	}
	if err := p.needsFabric(getenv); err != nil {
		return nil, err
	}
	named := p.Devices
	if nic := strings.ReplaceAll(getenv(nicVariable), "/", "_"); len(named) == 0 && validName.MatchString(nic) {
		named = []string{nic} // of an emulated fabric
	}
	list, err := devices(named)
	if err != nil {
		return nil, err
	}
	v := map[string]string{
		pathVariable:    before(dir, getenv(pathVariable)),
		preloadVariable: before(filepath.Join(dir, files), getenv(preloadVariable)),
	}
	if p.FabricTime {
		v[preloadVariable] = before(filepath.Join(dir, clock), v[preloadVariable])
	}
	if list != "" {
		v[devicesVariable] = list
	}
	if getenv(monitorVariable) == "" {
		v[monitorVariable] = "disabled"
	}
	setPieces(v, getenv, named)
	if p.Explain {
		v[explainVariable] = "1"
	}
	if p.SocketOnly {
		v[socketVariable] = "1"
	}
	return v, nil
}

// needsFabric complains of what has a meaning on an emulated fabric only, where the environment has none: the program would
// run on the loopback instead.
func (p *Program) needsFabric(getenv func(string) string) error {
	if getenv(emulatorVariable) != "" {
		return nil
	}
	if nic := getenv(nicVariable); nic != "" {
		return fmt.Errorf("%s is %s, a NIC of an emulated fabric, but %s is not set: export it as weft emulate has printed it", nicVariable, nic, emulatorVariable)
	}
	if p.FabricTime {
		return fmt.Errorf("there is no emulated fabric whose time the program could have: export %s as weft emulate has printed it", emulatorVariable)
	}
	return nil
}

// before is a list of paths with one more at its head.
func before(path, list string) string {
	if list == "" {
		return path
	}
	return path + ":" + list
}

// maxDevices bounds the devices of a process, as libibverbs/devices.c does.
const maxDevices = 64

var validName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)

// devices checks a list of devices and writes it as the libraries read it.
func devices(list []string) (string, error) {
	if len(list) > maxDevices {
		return "", fmt.Errorf("%d devices: at most %d", len(list), maxDevices)
	}
	var out, names []string
	for i, d := range list {
		name, address, named := strings.Cut(d, "=")
		if _, err := netip.ParseAddr(d); !named && err == nil {
			name, address = "", d
		}
		name = cmp.Or(name, fmt.Sprintf("weft%d", i))
		if slices.Contains(names, name) {
			return "", fmt.Errorf("device %q: %s is there already", d, name)
		}
		names = append(names, name)
		if !validName.MatchString(name) {
			return "", fmt.Errorf("device %q: a name begins with a letter and has up to 63 letters, digits, - and _; an address is IPv4 or IPv6", d)
		}
		if address != "" {
			if _, err := netip.ParseAddr(address); err != nil {
				return "", fmt.Errorf("device %q: valid is NAME, ADDRESS or NAME=ADDRESS with an address of this machine: %w", d, err)
			}
			name += "=" + address
		} else if named {
			return "", fmt.Errorf("device %q: no address behind =", d)
		}
		out = append(out, name)
	}
	return strings.Join(out, ","), nil
}

// Environ is an environment with variables in the place of its own.
func Environ(base []string, variables map[string]string) []string {
	out := slices.DeleteFunc(slices.Clone(base), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		_, replaced := variables[name]
		return replaced
	})
	for name, value := range variables {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// ErrPlatform says that this is not Linux.
var ErrPlatform = errors.New("programs run on weft's verbs on Linux only")

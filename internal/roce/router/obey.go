package router

import (
	"path"
	"strings"
)

// Obey is the text of a file with a command on its switch: vtysh with lines of FRR's configuration, or sysctl -w. ok is false if
// the command is none for this kind of file.
func Obey(file, text, command string) (obeyed string, ok bool) {
	setting, sysctl := strings.CutPrefix(command, "sysctl -w ")
	_, parts, vtysh := strings.Cut(command, "vtysh -c ")
	frr := ReaderOf(file) != nil && isFRR(file)
	switch {
	case sysctl && !frr && strings.HasPrefix(path.Base(file), "fib_multipath_hash_"):
		_, value, _ := strings.Cut(setting, "=")
		return value + "\n", true
	case sysctl && !frr:
		return strings.TrimRight(text, "\n") + "\n" + setting + "\n", true
	case vtysh && frr:
		lines := strings.Split(strings.Trim(parts, "' "), "' -c '")
		if lines[0] == "configure terminal" {
			lines = lines[1:]
		}
		return strings.TrimRight(text, "\n") + "\n" + strings.Join(lines, "\n") + "\n", true
	}
	return text, false
}

// Configure is the command that gives FRR lines of configuration.
func Configure(lines ...string) string {
	return "vtysh -c 'configure terminal' -c '" + strings.Join(lines, "' -c '") + "'"
}

package cabling

import (
	"path"
	"regexp"
	"strings"
)

// Output is what one command printed, in a file that holds the outputs of several: the capture of a terminal, or files
// put one behind the other with a line above each that says the command or the file.
type Output struct {
	Text    string // from the line of the prompt on
	Line    int    // the number of lines above
	Device  string // in the prompt; empty if there is none
	Command string // behind the prompt; empty above the first prompt
}

const escapes = `^(?:\x1b\[[0-9;?]*[a-zA-Z])*\s*`

// command is a command whose output says something about ports, cables or RoCE.
const command = `(?:sudo\s+)?(?:show|sh|lldp\w*|cat|vtysh|nv|net|docker|sonic|date|portstat|pfcstat|queuestat|watermarkstat|fecstat|intfutil|sfputil|ethtool|mlnx_qos|cma_roce_\w+|rdma|ip|ib[a-z0-9]+|perfquery|show_gids)(?:\s|$)`

var (
	// userPrompt is admin@leaf1:~$ show …, or [root@gpu1 ~]# …, with any command or none.
	userPrompt = regexp.MustCompile(escapes + `\[?[\w.-]+@([\w.-]+)(?:[: ][^$#>]*)?[$#>](?:\s+(.*))?$`)
	// hostPrompt is leaf1#show …, or leaf1(config)# show …
	hostPrompt = regexp.MustCompile(escapes + `([A-Za-z][\w.-]*)(?:\([\w-]+\))?(?::[^\s$#>]*)?\s?[$#>]\s*(` + command + `.*)$`)
	// banner is a line that a script prints above an output: "=== show pfc counters ===", "# ethtool -S ens1", "+ show …".
	banner = regexp.MustCompile(escapes + `[$=+#*-]+\s*(` + command + `.*?)[\s=+#*-]*$`)
	// remote is a command on another device: ssh admin@leaf1 show …
	remote = regexp.MustCompile(`^ssh\s+(?:-[bcEFiJLlmopRW]\s*\S+\s+|-[A-Za-z0-9]+\s+)*(?:[\w.-]+@)?([A-Za-z][\w.-]*)\s+["']?(` + command + `.*?)["']?$`)
	// fileBanner is the line that tail and head print above each of several files.
	fileBanner = regexp.MustCompile(`^==> (.+) <==\s*$`)
)

// Prompt takes a line apart that stands above the output of a command. The device is empty if the line does not name it.
func Prompt(line string) (device, command string, ok bool) {
	begin := strings.TrimLeft(line[:min(len(line), 200)], " \t")
	if begin == "" || !strings.ContainsAny(begin, "$#>=+*-") {
		return "", "", false
	}
	line = strings.TrimRight(line, " \t\r")
	mark := strings.ContainsAny(begin, "$#>")
	for _, form := range []*regexp.Regexp{userPrompt, hostPrompt} {
		if !mark || form == userPrompt && !strings.Contains(begin, "@") {
			continue
		}
		if m := form.FindStringSubmatch(line); m != nil {
			if there := remote.FindStringSubmatch(m[2]); there != nil {
				return there[1], there[2], true
			}
			return m[1], m[2], true
		}
	}
	if !strings.ContainsAny(begin[:1], "\x1b$=+#*-") {
		return "", "", false
	}
	if m := banner.FindStringSubmatch(line); m != nil {
		return "", m[1], true
	}
	if m := fileBanner.FindStringSubmatch(line); m != nil {
		if device = path.Base(path.Dir(m[1])); device == "." || device == "/" {
			device = ""
		}
		return device, m[1], true
	}
	return "", "", false
}

// Outputs cuts a text at its prompts. A text without a prompt is one Output; a text in front of the first prompt is one
// if it is not blank. A line that names no device is about the device of the prompt above it.
func Outputs(text string) []Output {
	var out []Output
	begin, lines := 0, 0
	now := Output{}
	end := func(at int) {
		if now.Text = text[begin:at]; now.Command != "" || strings.TrimSpace(now.Text) != "" {
			out = append(out, now)
		}
	}
	for at := 0; at < len(text); lines++ {
		line, _, _ := strings.Cut(text[at:], "\n")
		if device, command, ok := Prompt(line); ok {
			end(at)
			if device == "" {
				device = now.Device
			}
			begin, now = at, Output{Line: lines, Device: device, Command: command}
		}
		at += len(line) + 1
	}
	end(len(text))
	return out
}

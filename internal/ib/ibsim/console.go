package ibsim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Console carries out the commands of ibsim's console, one a line.
type Console struct {
	server *Server
	out    io.Writer
	read   func(name string) ([]byte, error) // reads the file of a line !FILE
	depth  int                               // nesting depth of such files
}

// NewConsole is the console of a server. The output of commands goes to out; read reads the file of
// a line !FILE.
func NewConsole(s *Server, out io.Writer, read func(name string) ([]byte, error)) *Console {
	return &Console{server: s, out: out, read: read}
}

// ErrQuit is the result of a console command that ends the simulator.
var ErrQuit = errors.New("the simulator ends: Quit")

// command is a command of the console. Any prefix of its name stands for it, in upper or lower
// case; of several commands with the prefix, the first in the list counts.
type command struct {
	name, usage, does string
	run               func(c *Console, ctx context.Context, rest string) error
}

// commands lists ibsim's commands in its order, then weft's own. It is a function because help uses
// it.
func commands() []command {
	return []command{
		{"Dump", `["NODE"]`, "the nodes, their ports and LIDs", (*Console).dump},
		{"Route", "FROM-LID TO-LID", "the path between two LIDs by the current tables", (*Console).route},
		{"Link", `"NODE"[PORT] "NODE"[PORT]`, "join two ports that have no cable", (*Console).link},
		{"Unlink", `"NODE"[PORT] or "NODE"`, "take a cable away, or all of a node", (*Console).unlink},
		{"Clear", `"NODE"[PORT] or "NODE"`, "unlink, and reset the port to its state after power-on", (*Console).clear},
		{"Guid", `"NODE"[PORT] GUID`, "give a node or a port of an adapter another GUID", (*Console).guid},
		{"Error", `"NODE"[PORT] PERCENT [ATTRIBUTE]`, "drop a share of arriving datagrams, or of requests for an attribute", (*Console).loss},
		{"Baselid", `"NODE"[PORT] LID [LMC]`, "give a port another LID", (*Console).baseLID},
		{"Start", "", "nothing: the network has started", func(*Console, context.Context, string) error { return nil }},
		{"Verbose", "[LEVEL]", "nothing: this simulator is silent", func(*Console, context.Context, string) error { return nil }},
		{"Wait", "SECONDS", "carry out the next command later", (*Console).wait},
		{"Attached", "", "the programs that are attached", (*Console).attached},
		{"X", "CLIENT", "detach a program", (*Console).detach},
		{"Help", "", "this list", (*Console).help},
		{"?", "", "this list", (*Console).help},
		{"Quit", "", "end the simulator", func(*Console, context.Context, string) error { return ErrQuit }},
		{"ReLink", `"NODE"[PORT] or "NODE"`, "put back cables that were taken away", (*Console).relink},
		{"PerformanceSet", `"NODE"[PORT] ATTRIBUTE.FIELD=VALUE`, "set a performance counter", (*Console).performance},
		{"down", "NODE[PORT]", "as Unlink", (*Console).unlink},
		{"up", "NODE[PORT]", "as ReLink", (*Console).relink},
		{"restart", "NODE", "interrupt the power of a node", (*Console).restart},
	}
}

// Run carries out the lines of r until the end of r or of the context, or a line that quits. It
// repeats each finished line on the console, so scripts can wait for it. It prints errors there
// too, and goes on with the next line.
func (c *Console) Run(ctx context.Context, r io.Reader) error {
	lines := bufio.NewScanner(r)
	for ctx.Err() == nil && lines.Scan() {
		switch err := c.Do(ctx, lines.Text()); {
		case errors.Is(err, ErrQuit):
			return err
		case err != nil:
			fmt.Fprintf(c.out, "# %s: %v\n", strings.TrimSpace(lines.Text()), err)
		case strings.TrimSpace(lines.Text()) != "":
			fmt.Fprintln(c.out, strings.TrimSpace(lines.Text()))
		}
	}
	return lines.Err()
}

// Do carries out one line.
func (c *Console) Do(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	switch {
	case line == "", line[0] == '#':
		return nil
	case line[0] == '!':
		return c.file(ctx, strings.TrimSpace(line[1:]))
	}
	word, rest := line, ""
	if end := strings.IndexAny(line, " \t"); end > 0 {
		word, rest = line[:end], line[end:]
	}
	for _, k := range commands() {
		if len(word) <= len(k.name) && strings.EqualFold(word, k.name[:len(word)]) {
			return k.run(c, ctx, strings.TrimSpace(rest))
		}
	}
	return fmt.Errorf("there is no command %q: Help lists all", word)
}

// file carries out the lines of a file, which may name further files.
func (c *Console) file(ctx context.Context, name string) error {
	if c.depth == maxScripts {
		return fmt.Errorf("%s: more than %d files name each other", name, maxScripts)
	}
	text, err := c.read(name)
	if err != nil {
		return err
	}
	c.depth++
	defer func() { c.depth-- }()
	return c.Run(ctx, strings.NewReader(string(text)))
}

func (c *Console) help(context.Context, string) error {
	for _, k := range commands() {
		fmt.Fprintf(c.out, "  %-15s %-36s %s\n", k.name, k.usage, k.does)
	}
	fmt.Fprintf(c.out, "  %-15s %-36s %s\n", "!FILE", "", "carry out the lines of a file")
	return nil
}

// place takes "NODE"[PORT] from the front of a line; without [PORT], port is below 0.
func (c *Console) place(text string) (node int32, port int, rest string, err error) {
	var name string
	port = -1
	if strings.HasPrefix(text, `"`) {
		var closed bool
		if name, rest, closed = strings.Cut(text[1:], `"`); !closed {
			return 0, 0, "", fmt.Errorf("the name %s has no second quotation mark", text)
		}
	} else if at := strings.IndexAny(text, "[ \t"); at >= 0 {
		name, rest = text[:at], text[at:]
	} else {
		name = text
	}
	if strings.HasPrefix(rest, "[") {
		number, behind, closed := strings.Cut(rest[1:], "]")
		n, perr := strconv.ParseUint(number, 10, 8)
		if !closed || perr != nil {
			return 0, 0, "", fmt.Errorf("%s: want the number of a port in brackets", rest)
		}
		port, rest = int(n), behind
	}
	end, known := c.server.names[name]
	if !known {
		return 0, 0, "", fmt.Errorf("there is no node %q: Dump lists all", name)
	}
	n := &c.server.fabric.Subnet().Nodes[end.Node]
	if port >= len(n.Ports) || port == 0 && n.Kind != subnet.Switch {
		return 0, 0, "", fmt.Errorf("%q has no port %d: its ports are %d to %d", name, port, firstPort(n), len(n.Ports)-1)
	}
	return end.Node, port, strings.TrimSpace(rest), nil
}

func firstPort(n *subnet.Node) int {
	if n.Kind == subnet.Switch {
		return 0
	}
	return 1
}

// each calls do for a port, or for all external ports of a node. For a node, one success is enough.
func (c *Console) each(text string, do func(f *sma.Fabric, at subnet.End) error) (err error) {
	node, port, rest, err := c.place(text)
	if err != nil {
		return err
	}
	if rest != "" && rest[0] != '#' {
		return fmt.Errorf("%q is too much", rest)
	}
	c.server.Do(func(f *sma.Fabric) {
		if port >= 0 {
			err = do(f, subnet.End{Node: node, Port: uint16(port)})
			return
		}
		done := false
		for p := 1; p < len(f.Subnet().Nodes[node].Ports); p++ {
			one := do(f, subnet.End{Node: node, Port: uint16(p)})
			if done = done || one == nil; one != nil {
				err = one
			}
		}
		if done {
			err = nil
		}
	})
	return err
}

func (c *Console) unlink(_ context.Context, rest string) error {
	return c.each(rest, (*sma.Fabric).Unlink)
}

func (c *Console) relink(_ context.Context, rest string) error {
	return c.each(rest, (*sma.Fabric).Relink)
}

func (c *Console) clear(_ context.Context, rest string) error {
	return c.each(rest, func(f *sma.Fabric, at subnet.End) error { f.Clear(at); return nil })
}

func (c *Console) restart(_ context.Context, rest string) error {
	node, port, more, err := c.place(rest)
	if err != nil || port >= 0 || more != "" {
		return errors.Join(err, errors.New("want restart NODE"))
	}
	c.server.Do(func(f *sma.Fabric) { f.Restart(node) })
	return nil
}

func (c *Console) link(_ context.Context, rest string) (err error) {
	var ends [2]subnet.End
	for i := range ends {
		node, port, more, err := c.place(rest)
		if err != nil {
			return err
		}
		if port < 1 {
			return errors.New(`want Link "NODE"[PORT] "NODE"[PORT], ports from 1`)
		}
		ends[i], rest = subnet.End{Node: node, Port: uint16(port)}, more
	}
	c.server.Do(func(f *sma.Fabric) { err = f.Link(ends[0], ends[1]) })
	return err
}

func (c *Console) guid(_ context.Context, rest string) error {
	node, port, value, err := c.place(rest)
	if err != nil {
		return err
	}
	guid, err := strconv.ParseUint(value, 0, 64)
	if err != nil {
		return fmt.Errorf("%q is no GUID: want a number such as 0x2c9030010000c", value)
	}
	c.server.Do(func(f *sma.Fabric) { f.SetGUID(node, uint8(max(0, port)), units.GUID(guid)) })
	return nil
}

func (c *Console) loss(_ context.Context, rest string) error {
	node, port, values, err := c.place(rest)
	if err != nil {
		return err
	}
	fields := strings.Fields(values)
	if len(fields) == 0 || len(fields) > 2 {
		return errors.New(`want Error "NODE"[PORT] PERCENT [ATTRIBUTE]`)
	}
	percent, err := strconv.ParseUint(fields[0], 0, 8)
	if err != nil || percent > 100 {
		return fmt.Errorf("%q is no error rate: want 0 to 100", fields[0])
	}
	attr := uint64(0)
	if len(fields) == 2 {
		if attr, err = strconv.ParseUint(fields[1], 0, 16); err != nil {
			return fmt.Errorf("%q is no attribute's number: NodeDescription has 16, NodeInfo 17, SwitchInfo 18, PortInfo 21", fields[1])
		}
	}
	c.server.Do(func(f *sma.Fabric) {
		for p := range f.Subnet().Nodes[node].Ports {
			if port < 0 || p == port {
				f.SetLoss(subnet.End{Node: node, Port: uint16(p)}, uint8(percent), mad.Attribute(attr))
			}
		}
	})
	return nil
}

func (c *Console) baseLID(_ context.Context, rest string) error {
	node, port, values, err := c.place(rest)
	if err != nil {
		return err
	}
	fields := strings.Fields(values)
	if port < 0 || len(fields) == 0 || len(fields) > 2 {
		return errors.New(`want Baselid "NODE"[PORT] LID [LMC]`)
	}
	lid, err := strconv.ParseUint(fields[0], 0, 16)
	if err != nil || lid == 0 || units.LID(lid) > units.LastUnicastLID {
		return fmt.Errorf("%q is no LID: want 1 to %d", fields[0], units.LastUnicastLID)
	}
	lmc := -1
	if len(fields) == 2 {
		n, err := strconv.ParseUint(fields[1], 0, 3)
		if err != nil {
			return fmt.Errorf("%q is no LMC: want 0 to 7", fields[1])
		}
		lmc = int(n)
	}
	c.server.Do(func(f *sma.Fabric) { f.SetLID(subnet.End{Node: node, Port: uint16(port)}, units.LID(lid), lmc) })
	return nil
}

func (c *Console) performance(_ context.Context, rest string) error {
	node, port, what, err := c.place(rest)
	if err != nil {
		return err
	}
	attribute, assignment, dot := strings.Cut(what, ".")
	field, value, equals := strings.Cut(assignment, "=")
	if port < 0 || !dot || !equals {
		return errors.New(`want PerformanceSet "NODE"[PORT] ATTRIBUTE.FIELD=VALUE, as PortCounters.SymbolErrorCounter=5`)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(value), 0, 64)
	if err != nil {
		return fmt.Errorf("%q is no value of a counter", value)
	}
	at := subnet.End{Node: node, Port: uint16(port)}
	c.server.Do(func(f *sma.Fabric) {
		err = f.SetCounter(at, strings.TrimSpace(attribute), strings.TrimSpace(field), n)
	})
	return err
}

func (c *Console) wait(ctx context.Context, rest string) error {
	seconds, err := strconv.ParseUint(rest, 10, 31)
	if err != nil || seconds == 0 {
		return fmt.Errorf("%q is no time: want whole seconds from 1", rest)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(seconds) * time.Second):
	}
	return nil
}

func (c *Console) attached(context.Context, string) error {
	var b strings.Builder // printed without the lock: the reader may be slow
	c.server.Do(func(f *sma.Fabric) {
		for _, id := range slices.Sorted(maps.Keys(c.server.clients)) {
			k := c.server.clients[id]
			n := &f.Subnet().Nodes[k.at.Node]
			fmt.Fprintf(&b, "Client %d: pid %d connected at %q port %v, lid %d", id, k.process&(1<<processBits-1), nodeID(n), n.Ports[k.at.Port].GUID, f.LID(k.at))
			if k.manager {
				b.WriteString(", SM")
			}
			b.WriteByte('\n')
		}
	})
	_, err := io.WriteString(c.out, b.String())
	return err
}

func (c *Console) detach(_ context.Context, rest string) error {
	id, err := strconv.ParseUint(rest, 0, 32)
	c.server.mu.Lock()
	k := c.server.clients[uint32(id)]
	c.server.mu.Unlock()
	if err != nil || k == nil {
		return fmt.Errorf("there is no client %q: Attached lists all", rest)
	}
	c.server.drop(k)
	return nil
}

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/ibsim"
	"weft/internal/sma"
	"weft/internal/subnet"
)

func newIbsim(e *Env) *cobra.Command {
	var c choice
	var socket string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ibsim FABRIC",
		Short: "let opensm and infiniband-diags attach to a fabric that exists only here",
		Long: `ibsim serves the protocol of the simulator ibsim, so that unmodified programs
manage and inspect a fabric that exists only here: a weft scenario, a file of
ibnetdiscover, or one of ibsim's nets. It runs until it is interrupted.

Attach a program with
  LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so IBSIM_SOCKNAME=weft opensm …
SIM_HOST=NODE says at which node: by GUID as in H-0002c9030010000c, or by name.

Lines on standard input break and mend the fabric: down NODE[PORT] and
up NODE[PORT] for a cable, restart NODE for a node that loses its power.`,
		Example: `  weft ibsim examples/h100-128.yaml
  weft ibsim fabric.topo --socket mine`,
		Args: args(1, 1, "one fabric"),
		RunE: func(cmd *cobra.Command, given []string) error {
			s, err := loadSubnet(e, given[0], &c)
			if err != nil {
				return err
			}
			return serveIbsim(cmd.Context(), e, s, socket, asJSON)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "weft", "the name that programs have in IBSIM_SOCKNAME; the real ibsim's default is sim")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what is served as JSON")
	c.register(cmd)
	return cmd
}

// served is what the verb says when programs can attach.
type served struct {
	Socket   string `json:"ibsim_sockname"`
	Switches int    `json:"switches"`
	Others   int    `json:"other_nodes"`
}

func serveIbsim(ctx context.Context, e *Env, s *subnet.Subnet, socket string, asJSON bool) error {
	fabric, err := sma.New(s)
	if err != nil {
		return err
	}
	server, err := ibsim.Listen(socket, fabric)
	if err != nil {
		return fail(Failed, "the sockets cannot be opened: %w", err)
	}
	ready := served{socket, s.Switches(), len(s.Nodes) - s.Switches()}
	if asJSON {
		err = printJSON(e, ready)
	} else {
		_, err = fmt.Fprintf(e.Stdout, "IBSIM_SOCKNAME=%s: %d switches, %d other nodes; ready\n", ready.Socket, ready.Switches, ready.Others)
	}
	if err != nil {
		return err
	}
	go breakAndMend(e, server, s)
	return server.Serve(ctx)
}

// breakAndMend carries out the lines of standard input, until it ends.
func breakAndMend(e *Env, server *ibsim.Server, s *subnet.Subnet) {
	for lines := bufio.NewScanner(e.Stdin); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		change, err := faultOf(s, line)
		if err != nil {
			fmt.Fprintf(e.Stderr, "%q: %v\n", line, err)
			continue
		}
		server.Do(change)
		fmt.Fprintln(e.Stdout, line)
	}
}

// faultOf is what a line does to the fabric.
func faultOf(s *subnet.Subnet, line string) (func(*sma.Fabric), error) {
	verb, what, _ := strings.Cut(line, " ")
	name, port, hasPort := portOf(strings.TrimSpace(what))
	node := nodeNamed(s, name)
	if verb == "restart" && node >= 0 && !hasPort {
		return func(f *sma.Fabric) { f.Restart(node) }, nil
	}
	if (verb != "down" && verb != "up") || node < 0 || !hasPort || int(port) >= len(s.Nodes[node].Ports) {
		return nil, errors.New("expected down NODE[PORT], up NODE[PORT] or restart NODE, with a node and a port of the fabric")
	}
	at := subnet.End{Node: node, Port: port}
	if !s.Peer(at).Exists() {
		return nil, errors.New("the port has no cable")
	}
	return func(f *sma.Fabric) { f.SetLink(at, verb == "up") }, nil
}

// portOf takes a port as in leaf1[5] apart.
func portOf(text string) (name string, port uint8, ok bool) {
	open := strings.LastIndexByte(text, '[')
	if open < 0 || !strings.HasSuffix(text, "]") {
		return strings.Trim(text, `"`), 0, false
	}
	n, err := strconv.ParseUint(text[open+1:len(text)-1], 10, 8)
	return strings.Trim(text[:open], `"`), uint8(n), err == nil
}

// nodeNamed finds a node by its description, its ID or an identifier made of its
// GUID; below 0 there is none.
func nodeNamed(s *subnet.Subnet, name string) int32 {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if name != "" && (n.Name == name || n.ID == name || strings.HasSuffix(name, "-"+n.GUID.Digits())) {
			return int32(i)
		}
	}
	return -1
}

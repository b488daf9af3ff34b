package cli

import (
	"bufio"
	"context"
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
	cmd := &cobra.Command{
		Use:   "ibsim FABRIC",
		Short: "let opensm and infiniband-diags attach to a fabric that exists only here",
		Long: `ibsim serves the protocol of the simulator ibsim, so that unmodified programs
manage and inspect a fabric that exists only here: a weft scenario, a file of
ibnetdiscover, or one of ibsim's nets. It runs until it is interrupted.

Attach a program with
  LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so IBSIM_SOCKNAME=weft opensm …
SIM_HOST=NODE says at which node: by GUID as in H-0002c9030010000c, or by name.

Lines on standard input break and mend cables: down NODE[PORT], up NODE[PORT].`,
		Example: `  weft ibsim examples/h100-128.yaml
  weft ibsim fabric.topo --socket mine`,
		Args: args(1, 1, "one fabric"),
		RunE: func(cmd *cobra.Command, given []string) error {
			s, err := loadSubnet(e, given[0], &c)
			if err != nil {
				return err
			}
			return serveIbsim(cmd.Context(), e, s, socket)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "weft", "the name that programs have in IBSIM_SOCKNAME; the real ibsim's default is sim")
	c.register(cmd)
	return cmd
}

func serveIbsim(ctx context.Context, e *Env, s *subnet.Subnet, socket string) error {
	fabric, err := sma.New(s)
	if err != nil {
		return err
	}
	server, err := ibsim.Listen(socket, fabric)
	if err != nil {
		return fail(Failed, "the sockets cannot be opened: %w", err)
	}
	fmt.Fprintf(e.Stdout, "IBSIM_SOCKNAME=%s: %d switches, %d other nodes; ready\n", socket, s.Switches(), len(s.Nodes)-s.Switches())
	go breakAndMend(e, server, s)
	return server.Serve(ctx)
}

// breakAndMend carries out the lines of standard input, until it ends.
func breakAndMend(e *Env, server *ibsim.Server, s *subnet.Subnet) {
	for lines := bufio.NewScanner(e.Stdin); lines.Scan(); {
		verb, what, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if verb == "" {
			continue
		}
		at, ok := endNamed(s, strings.TrimSpace(what))
		if (verb != "down" && verb != "up") || !ok {
			fmt.Fprintf(e.Stderr, "%q: expected down NODE[PORT] or up NODE[PORT], with a node of the fabric\n", lines.Text())
			continue
		}
		cabled := false
		server.Do(func(f *sma.Fabric) { cabled = f.SetLink(at, verb == "up") })
		if !cabled {
			fmt.Fprintf(e.Stderr, "%q: the port has no cable\n", lines.Text())
			continue
		}
		fmt.Fprintf(e.Stdout, "%s %s\n", what, verb)
	}
}

// endNamed finds a port by its node's name, ID or GUID and its number, as in
// leaf1[5].
func endNamed(s *subnet.Subnet, text string) (subnet.End, bool) {
	open := strings.LastIndexByte(text, '[')
	if open < 0 || !strings.HasSuffix(text, "]") {
		return subnet.None, false
	}
	port, err := strconv.ParseUint(text[open+1:len(text)-1], 10, 8)
	name := strings.Trim(text[:open], `"`)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == name || n.ID == name || strings.HasSuffix(name, n.GUID.Digits()) {
			ok := err == nil && int(port) < len(n.Ports)
			return subnet.End{Node: int32(i), Port: uint8(port)}, ok
		}
	}
	return subnet.None, false
}

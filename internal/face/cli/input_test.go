package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/face/cli/exit"
)

// endless is a stream of lines that has no end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = "y\n"[i%2]
	}
	return len(b), nil
}

func TestAnEndlessStreamCanBeInterrupted(t *testing.T) {
	for _, args := range [][]string{{"fabric", "inspect", "-"}, {"fabric", "health", "-"}, {"sniff", "-"}} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		e := environment(args)
		e.Stdin = io.MultiReader(head(args[0]), endless{})
		e.Stdout, e.Stderr = io.Discard, io.Discard
		done := make(chan exit.Code, 1)
		go func() { done <- Main(ctx, e) }()
		select {
		case code := <-done:
			if code == exit.OK {
				t.Errorf("%v: exit code 0 for an interrupted stream", args)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%v does not end", args)
		}
	}
}

// head is the beginning of the verb's input format.
func head(verb string) io.Reader {
	if verb == "sniff" {
		return &once{classicHead}
	}
	return &once{"#\n# Topology file: generated on Sat Nov 21 07:04:05 2026\n#\n"}
}

const classicHead = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x01\x00\x00\x00"

type once struct{ text string }

func (o *once) Read(b []byte) (int, error) {
	if o.text == "" {
		return 0, io.EOF
	}
	n := copy(b, o.text)
	o.text = o.text[n:]
	return n, nil
}

// TestASilentInputCanBeInterrupted: for every verb with an input, a pipe without a
// writer and a standard input without data.
func TestASilentInputCanBeInterrupted(t *testing.T) {
	silent, _ := io.Pipe()
	fifo := filepath.Join(t.TempDir(), "fifo.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("skipped: no named pipes here: ", err)
	}
	for _, args := range [][]string{
		{"compare"},
		{"run"},
		{"train"},
		{"topology"},
		{"diagnose"},
		{"calibrate"},
		{"plan"},
		{"advise"},
		{"tune"},
		{"latency"},
		{"replay"},
		{"fabric", "inspect"},
		{"fabric", "health"},
		{"fabric", "convert", "--to", "ibsim"},
		{"sniff"},
		{"sm", "route"},
		{"sm", "bringup"},
		{"sm", "conf"},
		{"audit", "isolation"},
		{"roce", "check"},
		{"roce", "collisions"},
		{"ibsim"},
		{"roce", "lint", "--switch"},
		{"compare", "examples.yaml", "--overlay"},
		{"plan", "--gpus", "16", "--prices"},
		{"roce", "lint", "--host"},
	} {
		for _, input := range []string{"-", fifo} {
			last := args[len(args)-1]
			if input == "-" && (strings.HasPrefix(last, "--") || args[0] == "replay") {
				continue // these take no standard input
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			e := environment(append(slices.Clone(args), input))
			if last == "--host" {
				e.Args = append(e.Args, "--switch", filepath.Join("..", "..", "roce", "sonic", "testdata", "none.json"))
			}
			if last == "--overlay" {
				e.Args[1] = filepath.Join("..", "..", "..", "examples", "h100-128.yaml")
			}
			e.Stdin, e.Stdout, e.Stderr = silent, io.Discard, io.Discard
			done := make(chan exit.Code, 1)
			go func() { done <- Main(ctx, e) }()
			select {
			case code := <-done:
				if code != exit.Partial && last != "--host" {
					t.Errorf("%v: exit code %d, want %d", e.Args, code, exit.Partial)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%v does not end", e.Args)
			}
		}
	}
}

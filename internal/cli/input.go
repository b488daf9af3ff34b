package cli

import (
	"context"
	"io"
	"os"
)

// open opens a file for reading, which ends with the command: a stream that
// never does, such as a device or a pipe, can be interrupted.
func (e *Env) open(path string) (io.ReadCloser, error) {
	f, err := os.Open(e.path(path))
	if err != nil {
		return nil, err
	}
	return e.interruptible(f), nil
}

// interruptible is a reader that fails once the command is interrupted.
func (e *Env) interruptible(r io.ReadCloser) io.ReadCloser {
	if e.interrupted == nil {
		return r
	}
	return &interruptible{r, e.interrupted}
}

type interruptible struct {
	io.ReadCloser
	interrupted func() error
}

func (r *interruptible) Read(b []byte) (int, error) {
	if err := r.interrupted(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(b)
}

// listen makes what the command reads end with its context.
func (e *Env) listen(ctx context.Context) {
	e.interrupted = ctx.Err
	if e.Stdin != nil {
		e.Stdin = e.interruptible(io.NopCloser(e.Stdin))
	}
}

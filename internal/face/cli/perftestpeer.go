package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"

	"weft/internal/live/perf"
)

// runPerftest measures with perftest as the peer: at host, or the first client if host is empty.
func (p *perfRun) runPerftest(ctx context.Context, e *Env, host string) (err error) {
	p.test.Warmup = 0
	switch {
	case p.all:
		return errors.New("-a: with --perftest one size is measured at a time; give -s")
	case p.test.Selective && !p.cm:
		return errors.New("--selective-repeat: give -R too, because only the connection manager offers it to perftest")
	case p.against != "":
		return errors.New("--against: perftest does not measure TCP")
	}
	if err := p.test.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	dev, err := p.openFor(e, host, p.port, p.test.MTU)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	table := &perfTable{w: e.Stdout, gbits: p.gbits, kind: p.test.Kind}
	if p.json {
		table.w = io.Discard
	}
	side := perf.Perftest{Meeting: perf.Meeting{
		Dev: dev.Device, Server: host, Port: p.port, Waiting: table.waiting,
	}, CM: p.cm}
	r, err := side.Run(ctx, p.test, func(t *perf.Test, local, peer *perf.End) { table.head(t, p.cm, local, peer) })
	if err != nil {
		return fail(Failed, "%w", err)
	}
	if host != "" || r.Average > 0 {
		table.row(r)
	}
	table.end()
	table.notes([]*perf.Result{r})
	if p.json {
		return printJSON(e, perf.RecordOf(r))
	}
	return nil
}

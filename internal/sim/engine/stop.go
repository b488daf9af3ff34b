package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Stop ends a run early, and holds it while it is paused. The zero value and nil let it run.
type Stop struct {
	ctx   context.Context
	pause *pause
	ended atomic.Bool
}

// NewStop is a stop that follows a context: its end, and the pauses of [Pausable]. release frees it.
func NewStop(ctx context.Context) (s *Stop, release func() bool) {
	s = &Stop{ctx: ctx}
	s.pause, _ = ctx.Value(pauseKey{}).(*pause)
	return s, context.AfterFunc(ctx, s.End)
}

// End ends the run.
func (s *Stop) End() { s.ended.Store(true) }

// Ended waits while the run is paused, and reports whether it must end.
func (s *Stop) Ended() bool {
	if s == nil {
		return false
	}
	for p := s.pause; p != nil; p = p.outer {
		if p.held.Load() && !p.wait(s.ctx) {
			return true
		}
	}
	return s.ended.Load()
}

// yield leaves the core to others, while the run is paused for all of that time.
func (s *Stop) yield() {
	_ = s.Ended()
	runtime.Gosched()
}

type pauseKey struct{}

// Pausable is a context whose runs can be paused: after hold(true) they wait, without using a core, until
// hold(false) or the end of the context. Results do not depend on it.
func Pausable(ctx context.Context) (pausable context.Context, hold func(bool)) {
	p := &pause{}
	p.outer, _ = ctx.Value(pauseKey{}).(*pause)
	return context.WithValue(ctx, pauseKey{}, p), p.hold
}

// pause is where paused runs wait.
type pause struct {
	outer *pause // of the context around; nil if it cannot be paused
	held  atomic.Bool
	mu    sync.Mutex
	over  chan struct{} // closed at the end of the pause; nil if there is none
}

func (p *pause) hold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.over == nil:
		p.over = make(chan struct{})
	case !on && p.over != nil:
		close(p.over)
		p.over = nil
	}
	p.held.Store(on)
}

// wait waits for the end of the pause. It is false if the context has ended.
func (p *pause) wait(ctx context.Context) bool {
	p.mu.Lock()
	over := p.over
	p.mu.Unlock()
	if over == nil {
		return true
	}
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

package verbs

import (
	"context"
	"slices"
	"sync"
)

// backlog is the queue of peers' requests at a port that are not accepted yet, the oldest first.
// The manager's lock guards it.
type backlog[T comparable] struct {
	mu     *sync.Mutex     // the manager's
	end    <-chan struct{} // closed when the manager stops
	waits  []T
	more   chan struct{} // signals a waiting request
	closed chan struct{}
}

func newBacklog[T comparable](mu *sync.Mutex, end <-chan struct{}) backlog[T] {
	return backlog[T]{mu: mu, end: end, more: make(chan struct{}, 1), closed: make(chan struct{})}
}

// hasRoom reports whether there is room for another request.
func (b *backlog[T]) hasRoom() bool { return len(b.waits) < maxBacklog }

// append appends a request.
func (b *backlog[T]) append(v T) {
	b.waits = append(b.waits, v)
	b.signal()
}

// remove removes a request that its peer has withdrawn.
func (b *backlog[T]) remove(v T) {
	if i := slices.Index(b.waits, v); i >= 0 {
		b.waits = slices.Delete(b.waits, i, i+1)
	}
}

func (b *backlog[T]) signal() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// next waits for the oldest request.
func (b *backlog[T]) next(ctx context.Context) (v T, err error) {
	for {
		b.mu.Lock()
		if len(b.waits) > 0 {
			v, b.waits = b.waits[0], b.waits[1:]
			if len(b.waits) > 0 {
				b.signal() // wake other waiters, too
			}
			b.mu.Unlock()
			return v, nil
		}
		b.mu.Unlock()
		select {
		case <-b.more:
		case <-b.closed:
			return v, ErrClosed
		case <-b.end:
			return v, ErrClosed
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

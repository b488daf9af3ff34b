package sweep

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/ledger"
	"weft/internal/study/many"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Server runs a serving job; serve.Run is one.
type Server func(ctx context.Context, r *scenario.Resolved, o serve.Options) (*results.Serving, error)

// Options are the settings of a run. Rows do not depend on them.
type Options struct {
	Run     many.Runner
	Serve   Server
	Workers int         // simulations at the same time, at least 1
	Memory  units.Bytes // of all simulations at the same time, by their estimates; 0: no bound
	Worker  string      // the name of this process's place
	Host    string
	// Begin is the share of the variants, 0 to 1, at which this process begins: processes that share a
	// sweep begin at different places.
	Begin float64
	// Limit is the time that this process has, 0 if it has no end. A variant is not begun if it might not end in time.
	Limit time.Duration
	// Leave ends the work when others hold all that is left: each of them is begun again if it fails.
	Leave    bool
	Progress func(Progress) // nil, or called after each variant, never concurrently
}

// Progress is how far a sweep is.
type Progress struct {
	Done, Total int
	Left        time.Duration // estimated; 0: unknown
}

// claimsMost bounds the claims of a sweep: a claim holds several variants if there are more.
const claimsMost = 4096

// waitFor is how often a process without work looks whether others have ended.
const waitFor = time.Second

// Ending is how a process's work on a sweep ended.
type Ending struct {
	Done     int  // variants with a row, of all processes
	Late     bool // the time was nearly up
	TooLarge int  // variants whose estimate exceeds the memory by itself
}

// Work runs variants until all have a row, or the time is up, or ctx ends. Several processes may work on one folder.
func (f *Folder) Work(ctx context.Context, o Options) (Ending, error) {
	l, err := ledger.Open(f.Dir, o.Worker)
	if err != nil {
		return Ending{}, err
	}
	w := newWork(f, l, &o)
	if o.Progress != nil {
		o.Progress(w.progress)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cores.Each(max(1, o.Workers), max(1, o.Workers), func(int) {
		if err := w.run(ctx); err != nil {
			cancel(err)
		}
	})
	out := Ending{Done: l.Len(), Late: w.late, TooLarge: len(w.tooLarge)}
	err = context.Cause(ctx)
	return out, errors.Join(err, l.Close())
}

// work is a process's work on a sweep.
type work struct {
	*Folder
	l       *ledger.Ledger
	o       *Options
	started time.Time
	budget  *budget

	mu       sync.Mutex
	block    int   // variants of a claim
	queue    []int // of the claims that this process holds
	cursor   int   // claims that it has tried in this round
	left     map[int]int
	seen     bool // a claim was held by another process in this round
	longest  time.Duration
	late     bool
	tooLarge map[int]bool
	progress Progress
	pace     many.Left[string] // of variants by their size
}

func newWork(f *Folder, l *ledger.Ledger, o *Options) *work {
	n := f.Space.Len()
	w := &work{
		Folder: f, l: l, o: o, started: time.Now(), budget: newBudget(int64(o.Memory)),
		block: (n + claimsMost - 1) / claimsMost, left: map[int]int{}, tooLarge: map[int]bool{},
		progress: Progress{Done: l.Len(), Total: n},
	}
	file, works := f.Space.file.Copy(), map[string]float64{}
	w.pace.Work = func(kind string) float64 { return works[kind] }
	for i := range n {
		if l.Done(strconv.Itoa(i)) {
			continue
		}
		v := f.Space.Variant(i)
		kind := f.Space.sizeOf(&v)
		w.pace.Expect(kind, 1)
		if _, seen := works[kind]; !seen && len(works) < looksAt {
			if r, err := f.Space.Resolve(file, &v); err == nil {
				works[kind] = workOf(r)
			}
		}
	}
	return w
}

// run does variants one after the other.
func (w *work) run(ctx context.Context) error {
	file := w.Space.file.Copy()
	for ctx.Err() == nil {
		i, wait, err := w.next()
		switch {
		case err != nil:
			return err
		case i >= 0:
			err = w.variant(ctx, file, i)
		case !wait:
			return nil
		default:
			select {
			case <-time.After(waitFor):
			case <-ctx.Done():
			}
			err = w.l.Refresh()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next is a variant to run; below 0 if there is none now, and wait says whether there may be one later.
func (w *work) next() (i int, wait bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.o.Limit > 0 && time.Since(w.started)+w.longest*5/4 > w.o.Limit {
		w.late = true
		return -1, false, nil
	}
	blocks := (w.Space.Len() + w.block - 1) / max(1, w.block)
	for len(w.queue) == 0 {
		if w.cursor == blocks {
			w.cursor = 0
			again := w.seen && !w.o.Leave
			w.seen = false
			return -1, again, nil
		}
		b := (int(w.o.Begin*float64(blocks)) + w.cursor) % blocks
		w.cursor++
		if err := w.claim(b); err != nil {
			return -1, false, err
		}
	}
	i, w.queue = w.queue[0], w.queue[1:]
	return i, false, nil
}

// claim queues the variants of a claim that have no row, if this process gets it.
func (w *work) claim(b int) error {
	open := w.open(b)
	if len(open) == 0 {
		return nil
	}
	got, err := w.l.Claim(strconv.Itoa(b))
	if err != nil {
		return err
	}
	if !got {
		w.seen = w.seen || w.left[b] == 0 // else it is this process's own
		return nil
	}
	if err := w.l.Refresh(); err != nil { // rows of a holder that ended
		return err
	}
	w.queue = w.open(b)
	w.left[b] = len(w.queue)
	return nil
}

// open are the variants of a claim without a row.
func (w *work) open(b int) (out []int) {
	for i := b * w.block; i < min((b+1)*w.block, w.Space.Len()); i++ {
		if !w.tooLarge[i] && !w.l.Done(strconv.Itoa(i)) {
			out = append(out, i)
		}
	}
	return out
}

// variant runs a variant and keeps its row.
func (w *work) variant(ctx context.Context, file *scenario.File, i int) error {
	began := time.Now()
	v := w.Space.Variant(i)
	number := w.pace.Begin(w.Space.sizeOf(&v), began)
	row, err := w.row(ctx, file, &v)
	w.pace.End(number, time.Now())
	if err != nil || ctx.Err() != nil {
		return err
	}
	if row != nil {
		row.Host, row.WallSeconds = w.o.Host, time.Since(began).Seconds()
		if err := w.l.Add(strconv.Itoa(i), row); err != nil {
			return fmt.Errorf("the row of variant %d cannot be kept: %w", i, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := i / w.block
	if w.left[b]--; w.left[b] == 0 {
		delete(w.left, b)
		w.l.Finished(strconv.Itoa(b))
	}
	if row == nil {
		w.tooLarge[i] = true
		return nil
	}
	w.longest = max(w.longest, time.Since(began))
	w.progress.Done = w.l.Len()
	w.progress.Left = w.timeLeft()
	if w.o.Progress != nil {
		w.o.Progress(w.progress)
	}
	return nil
}

// timeLeft estimates the time until all variants have a row. Some have one from other processes.
func (w *work) timeLeft() time.Duration {
	ended, all := w.pace.Count()
	if ended == all {
		return 0
	}
	open := float64(w.progress.Total-w.progress.Done) / float64(all-ended)
	return time.Duration(float64(w.pace.Time(w.o.Workers, time.Now())) * open)
}

// row runs a variant; nil if it needs more memory than there is.
func (w *work) row(ctx context.Context, file *scenario.File, v *Variant) (row *Row, err error) {
	r, err := w.Space.Resolve(file, v)
	if err != nil {
		return &Row{Status: Invalid, Error: oneLine(err.Error())}, nil
	}
	need := int64(r.Estimate().Memory)
	if ok := w.budget.take(ctx, need); !ok {
		return nil, nil //nolint:nilnil // the variant stays without a row
	}
	defer w.budget.give(need)
	defer func() {
		if p := recover(); p != nil {
			row, err = &Row{Status: Failed, Fabric: r.Fabrics[0].Name, Error: oneLine(fmt.Sprintf("a defect of weft, please report it: %.200v", cores.Caught(p).Value))}, nil
		}
	}()
	if w.Space.Kind == &servingJobs {
		results, err := w.o.Serve(ctx, r, serve.Options{Workers: 1})
		return servingRow(r, results, err), nil
	}
	results, err := w.o.Run(ctx, r, sim.Options{Workers: 1})
	return rowOf(r, results, err), nil
}

// budget is memory that simulations share.
type budget struct {
	mu   sync.Mutex
	free chan struct{} // closed, and replaced, when memory is given back
	size int64         // 0: no bound
	used int64
	line int64 // whose turn it is
	last int64 // in the line
}

func newBudget(size int64) *budget { return &budget{size: size, free: make(chan struct{})} }

// take waits for memory, in the order of the calls; false if there never is as much, or ctx has ended.
func (b *budget) take(ctx context.Context, n int64) bool {
	if b.size == 0 {
		return true
	}
	if n > b.size {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.last
	b.last++
	for ctx.Err() == nil && (turn != b.line || b.used+n > b.size) {
		free := b.free
		b.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
		}
		b.mu.Lock()
	}
	if ctx.Err() != nil {
		return false
	}
	b.line++
	b.used += n
	b.wake()
	return true
}

// give returns memory.
func (b *budget) give(n int64) {
	if b.size == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.wake()
}

func (b *budget) wake() {
	close(b.free)
	b.free = make(chan struct{})
}

// BeginOf is where the worker with a name begins, if it has no number among all.
func BeginOf(worker string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(worker))
	return float64(h.Sum32()) / (1 << 32)
}

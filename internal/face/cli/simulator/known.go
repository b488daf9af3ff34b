package simulator

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"weft"
	"weft/internal/base/regular"
	"weft/internal/sim/known"
	"weft/internal/study/cache"
	"weft/internal/study/serve"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
)

// CacheVariable names the folder of known results, or is "off". One variable is the place and the switch, as GOCACHE
// was: it is a property of a machine or a job rather than of a command, and it reaches processes that weft starts.
const CacheVariable = "WEFT_CACHE"

// knownResults is the cache of this process. It is opened when a study first asks for it.
type knownResults struct {
	once  sync.Once
	cache *cache.Cache // nil: none
}

// CacheFolder is the folder of known results; "" if there is none.
func (e *Simulator) CacheFolder() string {
	switch named := e.Getenv(CacheVariable); {
	case named == "off":
		return ""
	case named != "":
		return e.Path(named)
	case e.UserCache == nil:
		return ""
	}
	dir, err := e.UserCache()
	if err != nil { // a process without a home
		return ""
	}
	return filepath.Join(dir, "weft")
}

// Store is the cache for the simulations of a study; nil if there is none.
func (e *Simulator) Store() known.Store {
	k := &e.known
	k.once.Do(func() {
		dir := e.CacheFolder()
		if dir == "" {
			return
		}
		p, err := e.Program()
		if err != nil {
			e.cacheProblem(fmt.Sprintf("the program cannot read itself, so no result is known: %v", regular.Reason(err)))
			return
		}
		k.cache = cache.Open(dir, cache.Options{Program: p, Now: e.Now, Tell: e.cacheProblem})
	})
	if k.cache == nil {
		return nil
	}
	return k.cache
}

// Program is this program as the maker of results.
func (e *Simulator) Program() (cache.Program, error) {
	digest, err := cache.Executable()
	return cache.Program{Digest: digest, Version: e.Version.Weft}, err
}

// cacheProblem reports a problem of the cache, beside a line of progress.
func (e *Simulator) cacheProblem(problem string) {
	e.ClearLine()
	e.Note("weft: %s\n", problem)
}

// Study is the runner of studies with many simulations: what is known is not simulated again.
func (e *Simulator) Study() Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		o.Cache = e.Store()
		return e.Run(ctx, r, o)
	}
}

// Training is training.Run for a study with many steps.
func (e *Simulator) Training(ctx context.Context, r *scenario.Resolved, o training.Options) (*results.Training, error) {
	o.Cache = e.Store()
	return training.Run(ctx, r, o)
}

// Serving is serve.Run for a study with many jobs.
func (e *Simulator) Serving(ctx context.Context, r *scenario.Resolved, o serve.Options) (*results.Serving, error) {
	o.Cache, o.Exact = e.Store(), e.Exact
	return serve.Run(ctx, r, o)
}

// Limit is serve.LimitOf for a study with many jobs.
func (e *Simulator) Limit(ctx context.Context, r *scenario.Resolved, o serve.Options) (*serve.Limit, error) {
	o.Cache, o.Exact = e.Store(), e.Exact
	return serve.LimitOf(ctx, r, o)
}

// TellKnown says how many simulations were known.
func (e *Simulator) TellKnown() {
	asked, found := e.known.cache.Counts()
	if found > 0 {
		e.Note("weft: %d of %d simulations were known (weft cache)\n", found, asked)
	}
}

package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"weft"
	"weft/internal/sim/known"
	"weft/internal/study/cache"
	"weft/internal/study/serve"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
)

// cacheVariable names the folder of known results, or is "off". One variable is the place and the switch, as GOCACHE
// was: it is a property of a machine or a job rather than of a command, and it reaches processes that weft starts.
const cacheVariable = "WEFT_CACHE"

// knownResults is the cache of this process. It is opened when a study first asks for it.
type knownResults struct {
	once  sync.Once
	cache *cache.Cache // nil: none
}

// cacheFolder is the folder of known results; "" if there is none.
func (e *Env) cacheFolder() string {
	switch named := e.Getenv(cacheVariable); {
	case named == "off":
		return ""
	case named != "":
		return e.path(named)
	case e.UserCache == nil:
		return ""
	}
	dir, err := e.UserCache()
	if err != nil { // a process without a home
		return ""
	}
	return filepath.Join(dir, "weft")
}

// store is the cache for the simulations of a study; nil if there is none.
func (e *Env) store() known.Store {
	k := e.known
	k.once.Do(func() {
		dir := e.cacheFolder()
		if dir == "" {
			return
		}
		p, err := e.program()
		if err != nil {
			e.cacheProblem(fmt.Sprintf("the program cannot read itself, so no result is known: %v", reason(err)))
			return
		}
		k.cache = cache.Open(dir, cache.Options{Program: p, Now: e.Now, Tell: e.cacheProblem})
	})
	if k.cache == nil {
		return nil
	}
	return k.cache
}

// program is this program as the maker of results.
func (e *Env) program() (cache.Program, error) {
	digest, err := cache.Executable()
	return cache.Program{Digest: digest, Version: e.Version.Weft}, err
}

// cacheProblem reports a problem of the cache, beside a line of progress.
func (e *Env) cacheProblem(problem string) {
	if e.StderrTerminal && !e.quiet {
		fmt.Fprint(e.screen, "\r\x1b[K")
	}
	e.note("weft: %s\n", problem)
}

// study is the runner of studies with many simulations: what is known is not simulated again.
func (e *Env) study() Runner {
	return func(ctx context.Context, r *scenario.Resolved, o weft.Options) (*results.Results, error) {
		o.Cache = e.store()
		return e.Run(ctx, r, o)
	}
}

// training is training.Run for a study with many steps.
func (e *Env) training(ctx context.Context, r *scenario.Resolved, o training.Options) (*results.Training, error) {
	o.Cache = e.store()
	return training.Run(ctx, r, o)
}

// serving is serve.Run for a study with many jobs.
func (e *Env) serving(ctx context.Context, r *scenario.Resolved, o serve.Options) (*results.Serving, error) {
	o.Cache = e.store()
	return serve.Run(ctx, r, o)
}

// limit is serve.LimitOf for a study with many jobs.
func (e *Env) limit(ctx context.Context, r *scenario.Resolved, o serve.Options) (*serve.Limit, error) {
	o.Cache = e.store()
	return serve.LimitOf(ctx, r, o)
}

// closeCache closes the cache, and says how many simulations were known.
func (e *Env) closeCache() {
	asked, found := e.known.cache.Counts()
	e.known.cache.Close()
	if found > 0 {
		e.note("weft: %d of %d simulations were known (weft cache)\n", found, asked)
	}
}

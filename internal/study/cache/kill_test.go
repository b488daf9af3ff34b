package cache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"weft/internal/sim/known"
)

// The variable makes the test binary a process that works on the cache of a folder.
const workVariable = "WEFT_TEST_CACHE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workVariable); dir != "" {
		os.Exit(work(dir))
	}
	os.Exit(m.Run())
}

const (
	workers = 8
	results = 400 // that the processes share
)

// longOf is the value of a result: up to 200 pages, so that a kill meets half of it.
func longOf(n int) []byte { return bytes.Repeat(valueOf(n), 128) }

// work gets and puts results until the process is killed. It prints what is wrong.
func work(dir string) int {
	wrong := 0
	say := func(format string, args ...any) {
		wrong++
		fmt.Printf(format+"\n", args...)
	}
	seed, _ := strconv.ParseUint(os.Getenv(workVariable+"_SEED"), 10, 64)
	rng := rand.New(rand.NewPCG(seed, 0))
	for { // the processes that begin anew are as many as those that go on
		c := Open(dir, Options{Program: programOf("program"), Now: time.Now, Tell: func(problem string) { say("told: %s", problem) }})
		c.max = 8 << 20 // results leave, too, so that there is always something to write
		for range 1 + rng.IntN(300) {
			n := rng.IntN(results)
			value, is := c.Get(keyOf(n))
			if is && !bytes.Equal(value, longOf(n)) {
				say("result %d has a wrong value of %d bytes", n, len(value))
			}
			if !is {
				c.Put(keyOf(n), known.Entry{Kind: "test", What: "a test", Recipe: []byte("recipe"), Value: longOf(n)})
			}
		}
		if wrong > 0 {
			return 1
		}
	}
}

// Eight processes share a file, and each is killed again and again.
func TestKilledProcessesLeaveASoundCache(t *testing.T) {
	dir := t.TempDir()
	for_ := 6 * time.Second
	if testing.Short() {
		for_ = time.Second
	}
	end := time.Now().Add(for_)
	failed, kills := make(chan string, workers), make(chan int, workers)
	for worker := range workers {
		go func() {
			n := 0
			defer func() { kills <- n }()
			for ; time.Now().Before(end); n++ {
				if out := killed(t, dir, uint64(worker*1000+n)); out != "" {
					failed <- out
					return
				}
			}
		}()
	}
	all := 0
	for range workers {
		all += <-kills
	}
	close(failed)
	for out := range failed {
		t.Error(out)
	}
	var told []string
	c := Open(dir, options(&told))
	n := 0
	for i := range results {
		if value, is := c.Get(keyOf(i)); is {
			if n++; !bytes.Equal(value, longOf(i)) {
				t.Errorf("result %d has a wrong value of %d bytes", i, len(value))
			}
		}
	}
	// A process that was killed as it removed results leaves this to the next that adds some.
	c.max = 8 << 20
	for i := range 20 {
		c.Put(keyOf(results+i), known.Entry{Kind: "test", What: "a test", Recipe: []byte("recipe"), Value: longOf(results + i)})
	}
	if has, err := Show(dir); err != nil || has.Bytes > 8<<20 {
		t.Errorf("after %d kills the folder takes %d bytes, want at most %d: %v", all, has.Bytes, 8<<20, err)
	}
	if n == 0 || all < 2*workers || len(told) > 0 {
		t.Errorf("after %d kills %d results are known; told: %q", all, n, told)
	}
	t.Logf("%d processes were killed; %d of %d results are known", all, n, results)
}

// killed runs a process and kills it at a random moment. It returns what the process found wrong.
func killed(t *testing.T, dir string, seed uint64) string {
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), workVariable+"="+dir, fmt.Sprintf("%s_SEED=%d", workVariable, seed))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return err.Error()
	}
	time.Sleep(time.Duration(20+rand.IntN(300)) * time.Millisecond)
	_ = c.Process.Kill()
	_ = c.Wait()
	return out.String()
}

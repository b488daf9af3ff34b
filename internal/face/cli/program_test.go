package cli

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"weft/internal/face/cli/simulator"
)

// asProgram makes this test binary the program weft, for tests with processes. Its value is a name of runners.
const asProgram = "WEFT_TEST_PROGRAM"

// runners are weft.Run as tests hold it up.
var runners = map[string]simulator.Runner{"gated": gated}

func TestMain(m *testing.M) {
	runner := os.Getenv(asProgram)
	if runner == "" {
		code := m.Run()
		if chromium.ctx != nil {
			_ = chromedp.Cancel(chromium.ctx) // which waits for its end
		}
		os.Exit(code)
	}
	e := environment(os.Args[1:])
	e.Getenv, e.Stdin, e.Stdout, e.Stderr, e.Now, e.Run = os.Getenv, os.Stdin, os.Stdout, os.Stderr, time.Now, runners[runner]
	os.Exit(int(Main(context.Background(), e)))
}

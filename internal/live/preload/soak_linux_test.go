package preload

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestProgramsRunForAsLongAsAsked has perftest measure for a time, a quarter with each program, and rping compare every byte for the last quarter:
//
//	WEFT_SOAK=1h go test ./internal/live/preload -run ForAsLong -timeout 2h -v
func TestProgramsRunForAsLongAsAsked(t *testing.T) {
	if os.Getenv("WEFT_SOAK") == "" {
		t.Skip("WEFT_SOAK gives no duration, such as 1h")
	}
	const shares, least = 4, 20 * time.Second // perftest takes whole seconds, and does not measure the first and the last two
	all, err := time.ParseDuration(os.Getenv("WEFT_SOAK"))
	if err != nil || all < least {
		t.Fatalf("WEFT_SOAK is %s: want a duration from %v on, such as 1h", os.Getenv("WEFT_SOAK"), least)
	}
	folderOf(t)
	seconds := int((all / shares).Seconds())
	for _, program := range []string{"ib_write_bw", "ib_read_bw", "ib_send_bw"} {
		t.Run(program, func(t *testing.T) {
			server, client := long(t, all, program, "-F", "-D", fmt.Sprint(seconds))
			if row := regexp.MustCompile(`(?m)^ 65536 +\d+ .*$`).FindString(client); row == "" {
				t.Errorf("no row:\n%s\nthe server:\n%s", client, server)
			} else {
				t.Log(row)
			}
		})
	}
	t.Run("rping", func(t *testing.T) {
		need(t, "rping")
		const bytes, texts = 60000, 1000 // each is read, written back and compared
		rounds := 0
		for until := time.Now().Add(all / shares); time.Now().Before(until); rounds++ {
			flags := []string{"-V", "-S", fmt.Sprint(bytes), "-C", fmt.Sprint(texts)}
			s, address := server(t, append([]string{"rping", "-s"}, flags...)...)
			c := start(t, append([]string{"rping", "-c", "-a", address}, flags...)...)
			for _, r := range []*running{c, s} {
				if out, err := r.wait(); strings.Contains(out, "mismatch") || err != nil {
					t.Fatalf("%s: %v\n%s", strings.Join(r.cmd.Args, " "), err, out)
				}
			}
		}
		t.Logf("%d MB there and back, and compared", rounds*texts*bytes/1e6)
	})
}

// long is pair for programs that may take as long as most, and the usual patience.
func long(t *testing.T, most time.Duration, argv ...string) (server, client string) {
	t.Helper()
	s, c := started(t, argv...)
	for _, r := range []*running{c, s} {
		select {
		case <-r.done:
		case <-time.After(most + patience):
			t.Fatalf("%s does not end:\n%s", strings.Join(argv, " "), r.out.String())
		}
		if r.err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), r.err, r.out.String())
		}
	}
	return s.out.String(), c.out.String()
}

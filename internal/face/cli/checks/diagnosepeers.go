package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats/metrics"
	"weft/internal/study/peers"
)

// peersToken is the variable with a token for a Prometheus that asks for one.
const peersToken = "WEFT_PROMETHEUS_TOKEN" // #nosec: the name of a variable

const (
	answerTime  = time.Minute
	answerBytes = 256 << 20
	// answerPoints is the number of values that are asked of each series: enough to see resets.
	answerPoints = 60
)

// comparing is the flags of diagnose that compare peers.
type comparing struct {
	from  []string
	last  time.Duration
	until string
	match string
}

func (c *comparing) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&c.from, "prometheus", nil, "compare ports, GPUs and ranks with their peers: a Prometheus's URL, its saved answer, a text dump, or NCCL Inspector's JSON; may be repeated")
	f.DurationVar(&c.last, "last", time.Hour, "with a URL: the length of the range")
	f.StringVar(&c.until, "until", "", "with a URL: the end of the range, such as 2026-11-23T05:00:00Z (default: now)")
	f.StringVar(&c.match, "match", "", `with a URL: labels that choose a part of the cluster, such as 'job="node",rack=~"a.*"'`)
}

// do compares and reports.
func (c *comparing) do(ctx context.Context, e *simulator.Simulator, asJSON bool) error {
	found, err := c.find(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Present(report.Peers(found, c.names()), asJSON, found); err != nil {
		return err
	}
	if len(found.Findings) > 0 {
		return exit.Errorf(exit.Refuted, "some ports, GPUs or ranks do not look like their peers")
	}
	if found.Judged == 0 {
		return exit.Errorf(exit.NotJudged, "no port, GPU or rank was judged")
	}
	return nil
}

// find reads the metrics and compares.
func (c *comparing) find(ctx context.Context, e *simulator.Simulator) (*peers.Result, error) {
	end := e.Now()
	if c.until != "" {
		var err error
		if end, err = time.Parse(time.RFC3339, c.until); err != nil {
			return nil, fmt.Errorf("--until %s: want a time such as 2026-11-23T05:00:00Z", flags.Abridged(c.until))
		}
	}
	if c.last < time.Minute || c.last > 366*24*time.Hour {
		return nil, fmt.Errorf("--last %v: want 1m to 8784h", c.last)
	}
	var d metrics.Data
	for _, from := range c.from {
		var err error
		if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
			err = c.ask(ctx, e, &d, from, end)
		} else {
			err = readMetrics(e, &d, from)
		}
		if err != nil {
			return nil, err
		}
	}
	return peers.Compare(&d), nil
}

// names is the sources in one text, without passwords.
func (c *comparing) names() string { return strings.Join(c.named(), ", ") }

// named are the sources without passwords.
func (c *comparing) named() (names []string) {
	for _, from := range c.from {
		if u, err := url.Parse(from); err == nil {
			from = u.Redacted()
		}
		names = append(names, from)
	}
	return names
}

func readMetrics(e *simulator.Simulator, d *metrics.Data, name string) error {
	if name == "-" {
		return d.Read("standard input", e.Stdin)
	}
	f, err := e.Open(name)
	if err != nil {
		return process.CannotRead("the file "+name, err)
	}
	defer f.Close()
	return d.Read(name, f)
}

// ask asks a Prometheus for the range, a metric of the table at a time.
func (c *comparing) ask(ctx context.Context, e *simulator.Simulator, d *metrics.Data, from string, end time.Time) error {
	base, err := url.Parse(from)
	if err != nil || base.Host == "" {
		return fmt.Errorf("--prometheus %s: want a URL such as http://prometheus:9090", flags.Abridged(from))
	}
	password, _ := base.User.Password()
	name := base.User.Username()
	shown := base.Redacted()
	base.User = nil
	line := e.Working("asking " + base.Host)
	defer line.End()
	for i := range metrics.Rows {
		row := &metrics.Rows[i]
		if !row.Judged() && row.Name != metrics.RateName {
			continue
		}
		form := url.Values{
			"query": {row.Selector(c.match)}, "start": {unixText(end.Add(-c.last))}, "end": {unixText(end)},
			"step": {strconv.FormatFloat(max(15, (c.last/answerPoints).Seconds()), 'f', 0, 64)},
		}
		if err := fetchAnswer(ctx, base.JoinPath("api/v1/query_range").String(), form, name, password, e.Getenv(peersToken), d); err != nil {
			return exit.Errorf(exit.Failed, "%s, %s: %w", shown, row.Name, err)
		}
	}
	if d.Empty() {
		return exit.Errorf(exit.Failed, "%s has none of the metrics of docs/METRICS.md in the last %v: see --last, --until and --match", shown, c.last)
	}
	return nil
}

func unixText(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// fetchAnswer sends a query and adds its answer.
func fetchAnswer(ctx context.Context, to string, form url.Values, name, password, token string, d *metrics.Data) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	switch {
	case token != "":
		request.Header.Set("Authorization", "Bearer "+token)
	case name != "":
		request.SetBasicAuth(name, password)
	}
	answer, err := http.DefaultClient.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", answerTime)
	}
	if err != nil {
		return errors.Unwrap(err) // without the URL, which the message has
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerBytes+1))
	switch {
	case err != nil:
		return err
	case len(text) > answerBytes:
		return fmt.Errorf("the answer is longer than %d bytes: choose a part of the cluster by --match", answerBytes)
	}
	if err := d.ReadAnswer("the answer", bytes.NewReader(text)); err != nil {
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %w", answer.Status, err)
		}
		return err
	}
	return nil
}

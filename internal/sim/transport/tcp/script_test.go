package tcp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/units"
)

// TestTranscripts plays testdata/*.txt, whose commands are:
//
//	net KEY=VALUE …         two ends, A and B, and the pipe in between
//	drop|mark|dup WHO N …   the N-th data segment of WHO (A, B) or
//	                        acknowledgement (a, b); N or N-M
//	hold WHO N TIME         delays it
//	send WHO BYTES ID       a message
//	run TIME                lets that much time pass and prints what happens
//	state WHO               prints the state of an end
func TestTranscripts(t *testing.T) {
	golden.Transcripts(t, "testdata/*.txt", func(t *testing.T) golden.Player {
		return &player{t: t, fates: map[string]fate{}}
	})
}

// player runs one transcript.
type player struct {
	t     *testing.T
	n     *network
	fates map[string]fate
	out   strings.Builder
}

func (p *player) Trace() string {
	defer p.out.Reset()
	return p.out.String()
}

func (p *player) printf(format string, args ...any) {
	fmt.Fprintf(&p.out, format+"\n", args...)
}

func (p *player) Command(words []string) error {
	name, args := words[0], words[1:]
	switch name {
	case "net":
		p.net(args)
	case "drop", "mark", "dup":
		for _, a := range args[1:] {
			lo, hi, _ := strings.Cut(a+"-"+a, "-")
			hi, _, _ = strings.Cut(hi, "-")
			for k := p.int(lo); k <= p.int(hi); k++ {
				f := p.fates[fmt.Sprint(args[0], k)]
				f.drop = f.drop || name == "drop"
				f.mark = f.mark || name == "mark"
				f.dup = f.dup || name == "dup"
				p.fates[fmt.Sprint(args[0], k)] = f
			}
		}
	case "hold":
		p.fates[args[0]+args[1]] = fate{delay: p.time(args[2])}
	case "send":
		p.n.send(end(args[0]), units.Bytes(p.int(args[1])), uint32(p.int(args[2])))
	case "run":
		if idle := !p.n.run(p.n.now + p.time(args[0])); idle {
			p.printf("(idle)")
		}
	case "state":
		v := p.n.ends[end(args[0])].Snapshot()
		alpha := ""
		if v.Alpha > 0 {
			alpha = fmt.Sprintf(", alpha %.4f", float64(v.Alpha)/alphaOne)
		}
		p.printf("%v, window %d, threshold %s, in flight %d, SRTT %s, RTO %s%s", v.State, v.Window,
			threshold(v.SSThresh), v.InFlight, clock(v.SRTT), clock(v.RTO), alpha)
		p.printf("%+v", p.n.ends[end(args[0])].Stats())
	default:
		return errors.New("unknown command")
	}
	return nil
}

// net makes the network.
func (p *player) net(args []string) {
	cfg := Linux(1500)
	cfg.MSS = 1000
	cfg.HyStart = false
	delay, byteTime := 50*us, units.Time(0)
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		switch key {
		case "cc":
			if value == "dctcp" {
				cfg.Algorithm, cfg.ECN = DCTCP, ECNDCTCP
			}
		case "ecn":
			cfg.ECN = map[string]ECN{"off": ECNOff, "classic": ECNClassic, "dctcp": ECNDCTCP}[value]
		case "delay":
			delay = p.time(value)
		case "byte":
			byteTime = p.time(value)
		case "window":
			cfg.Window = units.Bytes(p.int(value))
		case "iw":
			cfg.InitialWindow = uint32(p.int(value))
		case "rtt":
			cfg.InitialRTT = p.time(value)
		case "ackevery":
			cfg.AckEvery = uint32(p.int(value))
		case "ackpush":
			cfg.AckPush = value == "on"
		case "probe":
			cfg.LossProbe = value == "on"
		default:
			p.t.Fatalf("net: %q is unknown", key)
		}
	}
	p.n = newNetwork(p.t, &cfg, delay)
	p.n.byteTime = byteTime
	p.n.judge = func(from, k int, s *Segment) fate { return p.fates[fmt.Sprint(who(from, s), k)] }
	p.n.onSend = p.sent
	p.n.onComplete = func(end int, c Completion) {
		p.printf("%s %s completes %d: %s %d bytes", clock(p.n.now), who(end, nil), c.ID, c.Outcome, c.Bytes)
	}
	p.n.onTimeout = func(end int) { p.printf("%s %s timer", clock(p.n.now), who(end, nil)) }
	p.n.afterChange = func(end int) {
		if err := p.n.ends[end].Check(); err != nil {
			p.t.Fatalf("%s: %v", clock(p.n.now), err)
		}
	}
}

// sent prints one segment.
func (p *player) sent(from int, s *Segment, f fate) {
	var b strings.Builder
	v := p.n.ends[from].Snapshot()
	if s.Length > 0 {
		fmt.Fprintf(&b, "%s data %d+%d id %d", who(from, s), s.Seq, s.Length, s.ID)
	} else {
		fmt.Fprintf(&b, "%s ack %d", who(from, nil), s.Ack)
		if s.SACK.Length > 0 {
			at := s.Ack + uint64(s.SACK.Start)
			fmt.Fprintf(&b, " sack %d-%d", at, at+uint64(s.SACK.Length))
		}
	}
	names := []string{"PSH", "ECE", "CWR", "ECT", "CE", "DUP"} //nolint:misspell // ECN-capable transport
	for i, bit := range []Flags{FlagPSH, FlagECE, FlagCWR, FlagECT, FlagCE, FlagDup} {
		if s.Flags&bit != 0 {
			b.WriteString(" " + names[i])
		}
	}
	if s.Length > 0 {
		fmt.Fprintf(&b, " | %v %d/%d", v.State, v.InFlight, v.Window)
	}
	for i, hit := range []bool{f.drop, f.dup, f.delay > 0} {
		if hit {
			b.WriteString([]string{" ×dropped", " ×twice", " ×late"}[i])
		}
	}
	p.printf("%s %s", clock(p.n.now), b.String())
}

func who(end int, s *Segment) string {
	name := "AB"[end : end+1]
	if s != nil && s.Length == 0 {
		return strings.ToLower(name)
	}
	return name
}

func end(name string) int { return max(0, slices.Index([]string{"A", "B"}, name)) }

func threshold(n uint32) string {
	if n == noThreshold {
		return "none"
	}
	return fmt.Sprint(n)
}

func clock(t units.Time) string {
	return strconv.FormatFloat(float64(t)/float64(us), 'f', 2, 64) + "us"
}

func (p *player) int(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) time(s string) units.Time {
	for _, u := range []struct {
		name string
		unit units.Time
	}{{"ns", units.Nanosecond}, {"us", us}, {"ms", ms}, {"s", units.Second}} {
		if n, ok := strings.CutSuffix(s, u.name); ok {
			if v, err := strconv.ParseFloat(n, 64); err == nil {
				return units.Time(v * float64(u.unit))
			}
		}
	}
	p.t.Fatalf("%q is not a time", s)
	return 0
}

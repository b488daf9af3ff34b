package tcp

import (
	"errors"
	"fmt"

	"weft/units"
)

// Algorithm is a congestion control.
type Algorithm uint8

// The congestion controls.
const (
	Cubic Algorithm = iota // RFC 9438
	DCTCP                  // RFC 8257
)

func (a Algorithm) String() string {
	if a == DCTCP {
		return "dctcp"
	}
	return "cubic"
}

// ECN is the mode of congestion marks that the two ends have negotiated.
type ECN uint8

// The modes of ECN.
const (
	ECNOff     ECN = iota // segments are not ECN-capable: a full queue drops
	ECNClassic            // RFC 3168: ECE until CWR; new data is ECN-capable
	ECNDCTCP              // RFC 8257: ECE mirrors CE; every packet is ECN-capable
)

// Config is the configuration of a connection. It does not change while connections use it; many
// share one.
type Config struct {
	Algorithm Algorithm
	ECN       ECN
	MSS       units.Bytes // payload of a full segment; see MSS
	Window    units.Bytes // receive window, and the maximum that the peer may have outstanding

	InitialWindow uint32     // in packets; RFC 6928: 10
	InitialRTT    units.Time // the handshake's sample; 0: none, the first timeout is InitialRTO
	InitialRTO    units.Time // RFC 6298, 2.1: 1 s
	MinRTO        units.Time // minimum variance term of the timeout; Linux TCP_RTO_MIN: 200 ms
	TimerSlack    units.Time // addition to the loss probe's and the reordering timer; Linux TCP_TIMEOUT_MIN: two ticks, 2 ms

	// Tick is the granularity of all timers: a timer fires at the first tick not earlier than its
	// time, as in Linux (jiffies); 0 is exact. Ticks begin at a connection's phase, see SetPhase.
	// That Linux rounds timers of more than 63 ticks up to eight of them is left out.
	Tick units.Time

	AckEvery     uint32     // acknowledge at once beyond AckEvery−1 full segments; 2
	AckDelay     units.Time // otherwise after this; Linux TCP_DELACK_MIN: 40 ms
	AckPush      bool       // acknowledge the end of a message at once; Linux: yes
	LossProbe    bool       // tail loss probes, RFC 8985; Linux: yes
	HyStart      bool       // leave slow start on delay (CUBIC only); Linux: yes
	IdleRestart  bool       // decay the window after idle; Linux tcp_slow_start_after_idle: yes
	DCTCPShift   uint8      // g = 2^-shift; Linux dctcp_shift_g: 4, that is 1/16 as in RFC 8257
	InitialAlpha uint32     // DCTCP's first estimate in 2^-20; RFC 8257, 3.3: 1
}

// MSS is the payload of a full segment in IPv4 packets of at most mtu bytes:
// 1,448 for 1,500 and 8,948 for 9,000.
func MSS(mtu units.Bytes) units.Bytes { return mtu - HeaderBytes }

// DefaultWindow is Linux's maximum advertised window without tuning: half (tcp_adv_win_scale 1) of
// tcp_rmem's 6 MiB.
const DefaultWindow = 3 * units.MiB

// Linux is a kernel with its defaults: CUBIC, ECN not requested.
func Linux(mtu units.Bytes) Config {
	return Config{
		Algorithm:     Cubic,
		MSS:           MSS(mtu),
		Window:        DefaultWindow,
		InitialWindow: 10,
		InitialRTO:    units.Second,
		MinRTO:        200 * units.Millisecond,
		TimerSlack:    2 * units.Millisecond,
		AckEvery:      2,
		AckDelay:      40 * units.Millisecond,
		AckPush:       true,
		LossProbe:     true,
		HyStart:       true,
		IdleRestart:   true,
		DCTCPShift:    4,
		InitialAlpha:  alphaOne,
	}
}

// DataCenter is a kernel set up for a data centre: DCTCP with its marks, the buffers tuned to 64
// MiB (half of it window) and a shorter timeout (Linux: the route's rto_min; DCTCP's authors used
// 10 ms, SIGCOMM 2010, recalled).
func DataCenter(mtu units.Bytes) Config {
	c := Linux(mtu)
	c.Algorithm = DCTCP
	c.ECN = ECNDCTCP
	c.Window = 32 * units.MiB
	c.MinRTO = 10 * units.Millisecond
	return c
}

// Validate reports all errors of c.
func (c *Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("tcp: "+format, args...))
		}
	}
	check(c.Algorithm <= DCTCP, "algorithm %d is unknown", c.Algorithm)
	check(c.ECN <= ECNDCTCP, "ECN mode %d is unknown", c.ECN)
	check(c.Algorithm != DCTCP || c.ECN != ECNClassic,
		"DCTCP reads the share of marked segments and needs its own echo (or none), not the classic one")
	check(c.MSS > 0 && c.MSS <= maxMSS, "MSS is %d bytes, must be 1 to %d", c.MSS, maxMSS)
	check(c.Window >= 2*c.MSS && c.Window <= maxWindow,
		"receive window is %d bytes, must hold two segments (%d) and at most %d", c.Window, 2*c.MSS, maxWindow)
	check(c.InitialWindow >= 1 && c.InitialWindow <= maxCwnd, "initial window is %d packets, must be 1 to %d", c.InitialWindow, maxCwnd)
	check(c.InitialRTT >= 0, "initial RTT is %d ps, must not be negative", c.InitialRTT)
	check(c.InitialRTO > 0 && c.InitialRTO <= maxRTO, "initial timeout is %d ps, must be 1 to %d", c.InitialRTO, maxRTO)
	check(c.MinRTO > 0 && c.MinRTO <= maxRTO, "least timeout is %d ps, must be 1 to %d", c.MinRTO, maxRTO)
	check(c.TimerSlack >= 0, "timer slack is %d ps, must not be negative", c.TimerSlack)
	check(c.Tick >= 0 && c.Tick <= maxRTO, "a tick is %d ps, must be 0 to %d", c.Tick, maxRTO)
	check(c.AckEvery >= 1, "an acknowledgement is for at least 1 segment, not %d", c.AckEvery)
	check(c.AckDelay > 0 && c.AckDelay <= maxRTO, "acknowledgement delay is %d ps, must be 1 to %d", c.AckDelay, maxRTO)
	check(c.DCTCPShift <= 16, "DCTCP's g is 2^-%d, must be at least 2^-16", c.DCTCPShift)
	check(c.InitialAlpha <= alphaOne, "DCTCP's alpha is %d/%d, must be at most 1", c.InitialAlpha, alphaOne)
	return errors.Join(errs...)
}

package hpcc

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/units"
)

// A CC is a congestion control, as numbered in CC_MODE.
type CC int

// The congestion controls of HPCC's simulator.
const (
	CCDCQCN    CC = 1
	CCHPCC     CC = 3
	CCTIMELY   CC = 7
	CCDCTCP    CC = 8
	CCHPCCPINT CC = 10
)

var ccNames = map[CC]string{
	CCDCQCN: "DCQCN", CCHPCC: "HPCC", CCTIMELY: "TIMELY", CCDCTCP: "DCTCP", CCHPCCPINT: "HPCC-PINT",
}

// String is the name of the congestion control.
func (c CC) String() string {
	if name, ok := ccNames[c]; ok {
		return name
	}
	return "CC_MODE " + strconv.Itoa(int(c))
}

// A Config is config.txt. Each field names its key; a missing key has the simulator's default.
type Config struct {
	EnableQCN           bool // ENABLE_QCN: switches mark ECN
	DynamicPFCThreshold bool // USE_DYNAMIC_PFC_THRESHOLD: read there, never used
	PauseTime           units.Time

	Payload units.Bytes // PACKET_PAYLOAD_SIZE

	TopologyFile string // TOPOLOGY_FILE, as written
	FlowFile     string // FLOW_FILE, as written
	TraceFile    string // TRACE_FILE
	TraceOutput  string // TRACE_OUTPUT_FILE
	FCTOutput    string // FCT_OUTPUT_FILE
	PFCOutput    string // PFC_OUTPUT_FILE

	Stop units.Time // SIMULATOR_STOP_TIME

	CC CC // CC_MODE

	// DCQCN. The simulator truncates the three intervals to whole microseconds.
	AlphaInterval     units.Time // ALPHA_RESUME_INTERVAL
	DecreaseInterval  units.Time // RATE_DECREASE_INTERVAL
	IncreaseInterval  units.Time // RP_TIMER
	ClampTarget       bool       // CLAMP_TARGET_RATE
	Gain              Ratio      // EWMA_GAIN
	FastRecoveryTimes int        // FAST_RECOVERY_TIMES
	AI                units.Rate // RATE_AI
	HAI               units.Rate // RATE_HAI
	MinRate           units.Rate // MIN_RATE
	DCTCPAI           units.Rate // DCTCP_RATE_AI

	LossPerLink Ratio // ERROR_RATE_PER_LINK: of links whose own loss is 0

	ChunkBytes  units.Bytes // L2_CHUNK_SIZE
	AckInterval units.Bytes // L2_ACK_INTERVAL: bytes, not packets; 0 is no ACK
	BackToZero  bool        // L2_BACK_TO_ZERO

	Window         bool // HAS_WIN
	GlobalRTT      bool // GLOBAL_T
	VariableWindow bool // VAR_WIN
	RateBound      bool // RATE_BOUND

	// HPCC and PINT.
	FastReact      bool  // FAST_REACT
	TargetUtil     Ratio // U_TARGET
	MIThreshold    int   // MI_THRESH
	IntMulti       int   // INT_MULTI
	MultiRate      bool  // MULTI_RATE
	SampleFeedback bool  // SAMPLE_FEEDBACK
	PintLogBase    Ratio // PINT_LOG_BASE
	PintProb       Ratio // PINT_PROB

	NICPauses int // NIC_TOTAL_PAUSE_TIME: the number of PFC pauses that a NIC makes up

	AckHighPriority bool // ACK_HIGH_PRIO: in hosts; switches keep ACKs with the data

	LinkDown LinkDown // LINK_DOWN

	EnableTrace bool // ENABLE_TRACE

	// ECN thresholds by the rate of the port, in no order.
	KMax []RateBytes // KMAX_MAP
	KMin []RateBytes // KMIN_MAP
	PMax []RateRatio // PMAX_MAP

	Buffer units.Bytes // BUFFER_SIZE, per switch

	QlenFile  string     // QLEN_MON_FILE
	QlenStart units.Time // QLEN_MON_START
	QlenEnd   units.Time // QLEN_MON_END

	LegacyDataRate  string // DATA_RATE: read there, never used
	LegacyLinkDelay string // LINK_DELAY: read there, never used
}

// LinkDown takes the link between A and B down at After plus 2 s; the zero LinkDown is none.
type LinkDown struct {
	After units.Time
	A, B  int
}

// RateBytes is a threshold for ports of one rate.
type RateBytes struct {
	Rate  units.Rate
	Bytes units.Bytes
}

// RateRatio is a probability for ports of one rate.
type RateRatio struct {
	Rate  units.Rate
	Ratio Ratio
}

// An ECN is the marking of a port: never up to KMin, with a probability rising to PMax at KMax,
// always above.
type ECN struct {
	KMin, KMax units.Bytes
	PMax       Ratio
}

// ECN is the marking of the ports of one rate; it is false if one of the three maps lacks that
// rate.
func (c *Config) ECN(rate units.Rate) (ECN, bool) {
	var e ECN
	found := 0
	for _, m := range c.KMin {
		if m.Rate == rate {
			e.KMin, found = m.Bytes, found|1
		}
	}
	for _, m := range c.KMax {
		if m.Rate == rate {
			e.KMax, found = m.Bytes, found|2
		}
	}
	for _, m := range c.PMax {
		if m.Rate == rate {
			e.PMax, found = m.Ratio, found|4
		}
	}
	return e, found == 7
}

// defaultConfig has the simulator's initial values (scratch/third.cc). Its EWMA_GAIN is 0: the
// simulator divides the integers 1 and 16.
func defaultConfig() Config {
	return Config{
		EnableQCN: true, DynamicPFCThreshold: true, PauseTime: 5 * units.Microsecond,
		Payload:      1000,
		TopologyFile: topologyName, FlowFile: flowName, FCTOutput: "fct.txt", PFCOutput: "pfc.txt",
		Stop: 3010 * units.Millisecond, CC: CCDCQCN,
		AlphaInterval: 55 * units.Microsecond, DecreaseInterval: 4 * units.Microsecond,
		FastRecoveryTimes: 5, MinRate: 100 * units.Mbps, DCTCPAI: 1000 * units.Mbps,
		Window: true, GlobalRTT: true, RateBound: true,
		FastReact: true, TargetUtil: Ratio{19, 20}, MIThreshold: 5, IntMulti: 1, MultiRate: true,
		PintLogBase: Ratio{21, 20}, PintProb: Ratio{1, 1},
		EnableTrace: true, Buffer: 16 * units.MiB,
		QlenStart: 2 * units.Second, QlenEnd: 2100 * units.Millisecond,
	}
}

// A key is a key of config.txt: the number of its words, their valid form, and their target.
type key struct {
	words int
	want  string
	set   func(c *Config, words []string) bool
}

// keys are all keys of the simulator's two versions.
var keys = map[string]key{
	"ENABLE_QCN":                boolKey(func(c *Config) *bool { return &c.EnableQCN }),
	"USE_DYNAMIC_PFC_THRESHOLD": boolKey(func(c *Config) *bool { return &c.DynamicPFCThreshold }),
	"PAUSE_TIME":                timeKey("microseconds", units.Microsecond, func(c *Config) *units.Time { return &c.PauseTime }),
	"PACKET_PAYLOAD_SIZE":       bytesKey(1, maxPayload, func(c *Config) *units.Bytes { return &c.Payload }),
	"TOPOLOGY_FILE":             inputKey(func(c *Config) *string { return &c.TopologyFile }),
	"FLOW_FILE":                 inputKey(func(c *Config) *string { return &c.FlowFile }),
	"TRACE_FILE":                textKey(func(c *Config) *string { return &c.TraceFile }),
	"TRACE_OUTPUT_FILE":         textKey(func(c *Config) *string { return &c.TraceOutput }),
	"FCT_OUTPUT_FILE":           textKey(func(c *Config) *string { return &c.FCTOutput }),
	"PFC_OUTPUT_FILE":           textKey(func(c *Config) *string { return &c.PFCOutput }),
	"SIMULATOR_STOP_TIME":       timeKey("seconds", units.Second, func(c *Config) *units.Time { return &c.Stop }),
	"CC_MODE":                   {1, "1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) or 10 (HPCC-PINT)", setCC},
	"ALPHA_RESUME_INTERVAL":     intervalKey(func(c *Config) *units.Time { return &c.AlphaInterval }),
	"RATE_DECREASE_INTERVAL":    intervalKey(func(c *Config) *units.Time { return &c.DecreaseInterval }),
	"RP_TIMER":                  intervalKey(func(c *Config) *units.Time { return &c.IncreaseInterval }),
	"CLAMP_TARGET_RATE":         boolKey(func(c *Config) *bool { return &c.ClampTarget }),
	"EWMA_GAIN":                 ratioKey(1, func(c *Config) *Ratio { return &c.Gain }),
	"FAST_RECOVERY_TIMES":       countKey(0, func(c *Config) *int { return &c.FastRecoveryTimes }),
	"RATE_AI":                   rateKey(func(c *Config) *units.Rate { return &c.AI }),
	"RATE_HAI":                  rateKey(func(c *Config) *units.Rate { return &c.HAI }),
	"MIN_RATE":                  rateKey(func(c *Config) *units.Rate { return &c.MinRate }),
	"DCTCP_RATE_AI":             rateKey(func(c *Config) *units.Rate { return &c.DCTCPAI }),
	"ERROR_RATE_PER_LINK":       ratioKey(1, func(c *Config) *Ratio { return &c.LossPerLink }),
	"L2_CHUNK_SIZE":             bytesKey(0, maxFlowBytes, func(c *Config) *units.Bytes { return &c.ChunkBytes }),
	"L2_ACK_INTERVAL":           bytesKey(0, maxFlowBytes, func(c *Config) *units.Bytes { return &c.AckInterval }),
	"L2_BACK_TO_ZERO":           boolKey(func(c *Config) *bool { return &c.BackToZero }),
	"HAS_WIN":                   boolKey(func(c *Config) *bool { return &c.Window }),
	"GLOBAL_T":                  boolKey(func(c *Config) *bool { return &c.GlobalRTT }),
	"VAR_WIN":                   boolKey(func(c *Config) *bool { return &c.VariableWindow }),
	"RATE_BOUND":                boolKey(func(c *Config) *bool { return &c.RateBound }),
	"FAST_REACT":                boolKey(func(c *Config) *bool { return &c.FastReact }),
	"U_TARGET":                  ratioKey(1, func(c *Config) *Ratio { return &c.TargetUtil }),
	"MI_THRESH":                 countKey(0, func(c *Config) *int { return &c.MIThreshold }),
	"INT_MULTI":                 countKey(1, func(c *Config) *int { return &c.IntMulti }),
	"MULTI_RATE":                boolKey(func(c *Config) *bool { return &c.MultiRate }),
	"SAMPLE_FEEDBACK":           boolKey(func(c *Config) *bool { return &c.SampleFeedback }),
	"PINT_LOG_BASE":             ratioKey(1000, func(c *Config) *Ratio { return &c.PintLogBase }),
	"PINT_PROB":                 ratioKey(1, func(c *Config) *Ratio { return &c.PintProb }),
	"NIC_TOTAL_PAUSE_TIME":      countKey(0, func(c *Config) *int { return &c.NICPauses }),
	"ACK_HIGH_PRIO":             boolKey(func(c *Config) *bool { return &c.AckHighPriority }),
	"LINK_DOWN":                 {3, "microseconds after second 2, and the ids of two nodes", setLinkDown},
	"ENABLE_TRACE":              boolKey(func(c *Config) *bool { return &c.EnableTrace }),
	"KMAX_MAP":                  bytesMapKey(func(c *Config) *[]RateBytes { return &c.KMax }),
	"KMIN_MAP":                  bytesMapKey(func(c *Config) *[]RateBytes { return &c.KMin }),
	"PMAX_MAP":                  {mapWords, "a count, then per entry a rate in bits per second and a probability from 0 to 1", setPMax},
	"BUFFER_SIZE":               {1, wantInt(1, maxBufferMiB) + " MiB", setBuffer},
	"QLEN_MON_FILE":             textKey(func(c *Config) *string { return &c.QlenFile }),
	"QLEN_MON_START":            timeKey("nanoseconds", units.Nanosecond, func(c *Config) *units.Time { return &c.QlenStart }),
	"QLEN_MON_END":              timeKey("nanoseconds", units.Nanosecond, func(c *Config) *units.Time { return &c.QlenEnd }),
	"DATA_RATE":                 textKey(func(c *Config) *string { return &c.LegacyDataRate }),
	"LINK_DELAY":                textKey(func(c *Config) *string { return &c.LegacyLinkDelay }),
}

// mapWords is the number of words of a key whose first word counts its entries.
const mapWords = -1

func wantInt(low, high int64) string {
	return "a whole number from " + strconv.FormatInt(low, 10) + " to " + strconv.FormatInt(high, 10)
}

func boolKey(field func(*Config) *bool) key {
	return key{1, "0 or 1", func(c *Config, words []string) bool {
		v, ok := parseInt(words[0], 0, 1)
		*field(c) = v == 1
		return ok
	}}
}

func countKey(low int64, field func(*Config) *int) key {
	return key{1, wantInt(low, maxCount), func(c *Config, words []string) bool {
		v, ok := parseInt(words[0], low, maxCount)
		*field(c) = int(v)
		return ok
	}}
}

func bytesKey(low, high int64, field func(*Config) *units.Bytes) key {
	return key{1, wantInt(low, high) + " bytes", func(c *Config, words []string) bool {
		v, ok := parseInt(words[0], low, high)
		*field(c) = units.Bytes(v)
		return ok
	}}
}

func timeKey(name string, unit units.Time, field func(*Config) *units.Time) key {
	return key{1, "a number of " + name, func(c *Config, words []string) (ok bool) {
		*field(c), ok = parseTime(words[0], unit, maxSeconds)
		return ok
	}}
}

// intervalKey is the period of a timer. The simulator would truncate a period below a microsecond
// to 0 and never end.
func intervalKey(field func(*Config) *units.Time) key {
	return key{1, "a number of microseconds, at least 1", func(c *Config, words []string) (ok bool) {
		*field(c), ok = parseTime(words[0], units.Microsecond, maxSeconds)
		return ok && *field(c) >= units.Microsecond
	}}
}

func ratioKey(limit int64, field func(*Config) *Ratio) key {
	return key{1, "a number from 0 to " + strconv.FormatInt(limit, 10), func(c *Config, words []string) (ok bool) {
		*field(c), ok = parseRatio(words[0], limit)
		return ok
	}}
}

func rateKey(field func(*Config) *units.Rate) key {
	return key{1, "a rate such as 20Mb/s or 100Gbps", func(c *Config, words []string) (ok bool) {
		*field(c), ok = parseRate(words[0])
		return ok
	}}
}

func textKey(field func(*Config) *string) key {
	return key{1, "a file name", func(c *Config, words []string) bool {
		*field(c) = words[0]
		return true
	}}
}

// inputKey is the name of an input file. There, it is relative to the simulator's working folder;
// here, the file lies beside config.txt.
func inputKey(field func(*Config) *string) key {
	return key{1, "the name of a file beside config.txt", func(c *Config, words []string) bool {
		base := path.Base(words[0])
		if !fs.ValidPath(base) || base == "." || base == ConfigFile {
			return false
		}
		*field(c) = words[0]
		return true
	}}
}

func bytesMapKey(field func(*Config) *[]RateBytes) key {
	want := "a count, then per entry a rate in bits per second and " + wantInt(0, maxThresholdKB) + " KB"
	return key{mapWords, want, func(c *Config, words []string) bool {
		entries := make([]RateBytes, 0, len(words)/2)
		for i := 0; i < len(words); i += 2 {
			rate, rateOK := parseInt(words[i], 1, maxRate)
			kb, kbOK := parseInt(words[i+1], 0, maxThresholdKB)
			if !rateOK || !kbOK {
				return false
			}
			entries = append(entries, RateBytes{units.Rate(rate), units.Bytes(kb) * units.KB})
		}
		*field(c) = entries
		return true
	}}
}

func setPMax(c *Config, words []string) bool {
	entries := make([]RateRatio, 0, len(words)/2)
	for i := 0; i < len(words); i += 2 {
		rate, rateOK := parseInt(words[i], 1, maxRate)
		p, pOK := parseRatio(words[i+1], 1)
		if !rateOK || !pOK {
			return false
		}
		entries = append(entries, RateRatio{units.Rate(rate), p})
	}
	c.PMax = entries
	return true
}

func setCC(c *Config, words []string) bool {
	v, ok := parseInt(words[0], 0, 100)
	c.CC = CC(v)
	return ok && ccNames[c.CC] != ""
}

func setLinkDown(c *Config, words []string) bool {
	after, okT := parseInt(words[0], 0, maxSeconds*1_000_000)
	a, okA := parseInt(words[1], 0, maxNodes-1)
	b, okB := parseInt(words[2], 0, maxNodes-1)
	c.LinkDown = LinkDown{units.Time(after) * units.Microsecond, int(a), int(b)}
	return okT && okA && okB
}

func setBuffer(c *Config, words []string) bool {
	v, ok := parseInt(words[0], 1, maxBufferMiB)
	c.Buffer = units.Bytes(v) * units.MiB
	return ok
}

// parseConfig reads config.txt.
func parseConfig(text string, problems *Problems) (Config, []Ignored) {
	c := defaultConfig()
	var ignored []Ignored
	unknown := map[string]int{} // index in ignored
	first := map[string]int{}   // the line of a key
	t := table{file: ConfigFile, text: text, problems: problems}
	for l, ok := t.pull(); ok; l, ok = t.pull() {
		name := l.words[0]
		if remark(name) {
			continue
		}
		k, ok := keys[name]
		if !ok {
			i, seen := unknown[name]
			if !seen {
				i = len(ignored)
				unknown[name] = i
				ignored = append(ignored, Ignored{File: ConfigFile, Line: l.number, What: "unknown key " + wording.Abridged(name, 60)})
			}
			ignored[i].Count++
			continue
		}
		if before := first[name]; before > 0 {
			problems.add(ConfigFile, l.number, name, "each key once (it is already in line "+strconv.Itoa(before)+")")
			continue
		}
		first[name] = l.number
		words, ok := k.take(l.words[1:])
		if !ok || !k.set(&c, words) {
			problems.add(ConfigFile, l.number, join(l), name+" and "+k.want)
		}
	}
	return c, ignored
}

// remark reports whether a word starts a comment.
func remark(word string) bool {
	return strings.HasPrefix(word, "{") || strings.HasPrefix(word, "#") || strings.HasPrefix(word, "//")
}

// take is the words of the key, without a comment after them and without the count of a map. It is
// false if there are too few or too many.
func (k key) take(words []string) ([]string, bool) {
	for i, w := range words {
		if remark(w) {
			words = words[:i]
			break
		}
	}
	if k.words != mapWords {
		return words, len(words) == k.words
	}
	if len(words) == 0 {
		return nil, false
	}
	n, ok := parseInt(words[0], 0, maxMapEntries)
	return words[1:], ok && int64(len(words)-1) == 2*n
}

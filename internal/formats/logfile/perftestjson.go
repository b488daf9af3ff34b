package logfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// perftestReport reads the reports that perftest writes with --out_json: the parameters of the test and one
// size. Until 2024 (perftest 4.5-0.17, as in Debian 12) names and words had no quotation marks, which is no
// JSON; a report may have a comma too much since. So the reader goes by names and braces, and takes both.
//
// A report does not say the unit of its bandwidth. The rate of messages, in millions a second, tells it.
type perftestReport struct {
	b       *builder
	first   int // of the open report
	section string
	info    map[string]string
	results map[string]string

	settings []Setting
}

// reportNames are parameters of a report by their names in the banner of the same test.
var reportNames = []string{
	"Dual-port", "Device", "Number of qps", "Transport type", "Connection type", "Using SRQ", "PCIe relax order", "TX depth", "RX depth", "CQ Moderation",
	"Mtu", "Link type", "GID index", "Max inline data", "Outstand reads",
}

// reportToken matches a name with what follows it, or the end of an object.
var reportToken = regexp.MustCompile(`"?([A-Za-z_][\w.% ]*?)"?\s*:\s*(\{|"[^"]*"|[^\s,{}"]+)|\}`)

// reportTest matches the name of a test: RDMA_Write_Bidirectional_BW_Test.
var reportTest = regexp.MustCompile(`^(RDMA_Write|RDMA_Read|Send|Atomic)(\w*?(_Bidirectional)?(?:_Post_List)?_(BW|Latency)\w*_?Test)$`)

func (r *perftestReport) line(n int, text string) {
	if r.first == 0 && !strings.Contains(text, "test_info") && !strings.Contains(text, "results") {
		return
	}
	for _, m := range reportToken.FindAllStringSubmatch(text, maxReportNames) {
		switch name, value := m[1], strings.Trim(m[2], `"`); {
		case value == "{" && (name == "test_info" || name == "results"):
			r.open(n, name)
		case r.section == "":
		case m[0] == "}":
			r.closed()
		case r.section == "test_info":
			r.info[name] = value
			if plain := strings.ReplaceAll(name, "_", " "); slices.Contains(reportNames, plain) {
				r.settings = setIn(r.settings, n, plain, value)
			}
		default:
			r.results[name] = value
		}
	}
}

// maxReportNames bounds the names of a line of a report.
const maxReportNames = 256

// open begins an object of a report. Its two objects come in either order.
func (r *perftestReport) open(n int, name string) {
	switch {
	case name == "test_info" && r.info != nil || name == "results" && r.results != nil || r.section != "":
		r.cut()
		fallthrough
	case r.first == 0:
		r.first = n
	}
	if r.section = name; name == "test_info" {
		r.info = map[string]string{}
		return
	}
	r.results = map[string]string{}
}

// closed ends an object, and the report after both.
func (r *perftestReport) closed() {
	if r.section = ""; r.info != nil && r.results != nil {
		r.take()
		*r = perftestReport{b: r.b}
	}
}

// cut leaves out a report that has not both objects.
func (r *perftestReport) cut() {
	if r.info["test"] != "" || r.results["MsgSize"] != "" {
		r.b.note(r.first, "this report of perftest is cut: left out")
	}
	*r = perftestReport{b: r.b}
}

func (r *perftestReport) end(bool) { r.cut() }

// take makes a table of one row of a report.
func (r *perftestReport) take() {
	m := reportTest.FindStringSubmatch(r.info["test"])
	if m == nil {
		return
	}
	t := Table{
		Format: Perftest, Line: r.first, Test: strings.TrimSuffix(m[1]+strings.ReplaceAll(m[2], "_", " "), " Test"), Op: perfOps[m[1]],
		Settings: r.settings, Bidirectional: m[3] != "", Latency: m[4] == "Latency", LinkType: r.info["Link_type"],
		GPUMemory: r.info["cuda_device"] != "" || r.info["Use_ROCm_memory"] == "ON" || r.info["Use_MUSA_memory"] == "ON",
	}
	t.MTU, _ = strconv.ParseInt(r.info["Mtu"], 10, 32)
	row := Row{Line: r.first, Bytes: int64(min(r.number("MsgSize"), 1<<53))}
	switch {
	case row.Bytes == 0:
		r.b.note(r.first, "this report of perftest has no MsgSize, as with --output: left out")
		return
	case !t.Latency:
		unit, why := r.unit()
		if why != "" {
			r.b.note(r.first, "this report of perftest is left out: %s", why)
			return
		}
		row.Gbps, row.Most = r.number("BW_average")*unit, r.number("BW_peak")*unit
	default:
		row.Least, row.Most = r.number("t_min"), r.number("t_max")
		row.Micros = cmp.Or(r.number("t_typical"), r.number("t_avg"))
	}
	if row.Gbps == 0 && row.Micros == 0 {
		r.b.note(r.first, "this report of perftest is left out: it has no measurement")
		return
	}
	if to := r.b.table(t); to != nil {
		to.Rows = append(to.Rows, row)
		r.b.rows++
	}
}

// unit is the unit of the report's bandwidth in Gb/s, or the reason why it cannot be told. Perftest computes
// both from the same messages and time (print_report_bw), so that the bandwidth is the rate times the size.
func (r *perftestReport) unit() (gbps float64, why string) {
	average, rate, bytes := r.number("BW_average"), r.number("MsgRate"), r.number("MsgSize")
	if average == 0 || rate == 0 {
		return 0, "it says no unit of its bandwidth, and its BW_average or MsgRate is 0"
	}
	is := rate * bytes * 8 / 1e3 // Gb/s
	for _, unit := range []float64{1, mibit} {
		if ratio := average * unit / is; ratio < mostApart && ratio > 1/mostApart {
			return unit, ""
		}
	}
	return 0, fmt.Sprintf("its BW_average of %g is its MsgRate of %g million a second times its MsgSize neither in Gb/s nor in MiB/s", average, rate)
}

const (
	mibit = 8 * (1 << 20) / 1e9 // MiB/s in Gb/s
	// mostApart is between a rate of one digit, which is within a half, and the units, which are 119 apart.
	mostApart = 1.6
)

// number is a value of the results, 0 if it is not there.
func (r *perftestReport) number(name string) float64 {
	text := r.results[name]
	if !isNumber(text) {
		return 0
	}
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

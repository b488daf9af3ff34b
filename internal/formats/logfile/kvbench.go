package logfile

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Copies is the parameters of a test that copies blocks between two processes, as far as a log says them; others are 0.
type Copies struct {
	Batch   int      // requests of a call
	Devices []string // NICs that the test was told to use; none: not known
	GPUs    int      // that one process copies from
	// Assumed says that the block is not in the log: it is what its bytes are with the usual batch.
	Assumed bool
}

// maxBlock bounds a block: the buffers of these tests have some GB.
const maxBlock = 1 << 40

// measures reports whether a bandwidth in Gb/s can be one.
func measures(gbps float64) bool { return gbps > 1e-6 && gbps < 1e9 }

// nixlBench reads nixlbench's configuration and table (ai-dynamo/nixl@8770b655, benchmark/nixlbench/src/utils/utils.cpp):
// columns of fixed width, the first of them Block Size (B), Batch Size, B/W (GB/Sec) in 10^9 bytes, and with several
// initiators the sum of all. Left out are the columns of latencies, which are means over a batch.
type nixlBench struct {
	b     *builder
	about Table
	kv    Copies
	table *Table
	sum   int     // 1 if a column after the bandwidth has the sum over initiators
	unit  float64 // of the bandwidth, in Gb/s
	least int     // number of columns of a row
}

var (
	nixlHeading = regexp.MustCompile(`\bBlock Size \(B\)\s+Batch Size\s+B/W \((GB|GiB|MB|MiB)/[Ss]ec\)(.*)`)
	nixlOption  = regexp.MustCompile(`\(--(backend|device_list|op_type|initiator_seg_type|target_seg_type|num_initiator_dev)=[^)]*\)\s*:\s*(\S+)`)
)

func (r *nixlBench) line(n int, text string) {
	switch {
	case strings.Contains(text, "NIXLBench Configuration"):
		*r = nixlBench{b: r.b}
	case strings.Contains(text, "(--"):
		if m := nixlOption.FindStringSubmatch(text); m != nil {
			r.option(m[1], m[2])
		}
	case strings.Contains(text, "Block Size") && nixlHeading.MatchString(text):
		kv := r.kv
		r.commanded(&kv)
		t := r.about
		t.Format, t.Line, t.Test, t.Copies = NIXLBench, n, "nixlbench", &kv
		if t.Op == "" {
			t.Op = "write" // the program's default
		}
		m := nixlHeading.FindStringSubmatch(text)
		r.sum, r.unit, r.least = 0, engineUnits[m[1]]*8/1e9, min(4, 3+len(strings.Fields(m[2])))
		if strings.Contains(text, "Aggregate B/W (GB/Sec)") {
			r.sum = 1
		}
		r.table = r.b.table(t)
	case r.table != nil:
		r.row(n, text)
	}
}

// commanded takes the options of the command line, for what the configuration does not say.
func (r *nixlBench) commanded(kv *Copies) {
	said := *kv
	for _, s := range r.b.run.settings {
		switch s.Name {
		case "--op_type":
			if r.about.Op == "" {
				r.option("op_type", s.Value)
			}
		case "--device_list", "--num_initiator_dev":
			if said.Devices == nil && said.GPUs == 0 {
				r.option(strings.TrimPrefix(s.Name, "--"), s.Value)
			}
		case "--initiator_seg_type":
			r.about.GPUMemory = r.about.GPUMemory || s.Value == "VRAM"
		}
	}
	*kv = r.kv
}

// option takes a line of the configuration.
func (r *nixlBench) option(name, value string) {
	switch name {
	case "op_type":
		r.about.Op = map[string]string{"READ": "read", "WRITE": "write"}[value]
	case "device_list":
		if value != "all" {
			r.kv.Devices = strings.Split(value, ",")
		}
	case "initiator_seg_type":
		r.about.GPUMemory = value == "VRAM"
	case "num_initiator_dev":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < maxHosts {
			r.kv.GPUs = n
		}
	}
}

// row reads a row: the block, the batch, GB/s.
func (r *nixlBench) row(n int, text string) {
	fields := strings.Fields(text)
	if len(fields) < 2 || !isCount(fields[0]) || !isCount(fields[1]) {
		return
	}
	values := numbers(fields)
	if len(values) < r.least+r.sum {
		r.b.note(n, "the row of %s bytes is cut after %d columns: left out", fields[0], len(values))
		return
	}
	row := Row{Line: n, Bytes: int64(values[0]), Gbps: values[2+r.sum] * r.unit}
	if values[0] < 1 || values[0] > maxBlock || !measures(row.Gbps) {
		r.b.note(n, "the row of %s bytes has no size or no bandwidth: left out", fields[0])
		return
	}
	r.table.Copies.Batch = int(min(values[1], maxHosts))
	if r.b.rows++; len(r.table.Rows) < maxRows {
		r.table.Rows = append(r.table.Rows, row)
	}
}

func (r *nixlBench) end(cut bool) {
	if cut && r.table != nil {
		r.table.Cut = "the log ends in the table"
	}
}

// transferEngine reads the last line of Mooncake's transfer_engine_bench (kvcache-ai/Mooncake@3b5a5941,
// mooncake-transfer-engine/example/transfer_engine_bench.cpp): duration, batches and throughput. The block is on
// the command line, if the log has it; with neither block nor batch there, the batch is taken for the program's default.
type transferEngine struct {
	b     *builder
	about Table
	kv    Copies
	block float64 // of the command line; 0: not there
}

// usualBatch is transfer_engine_bench's default of --batch_size.
const usualBatch = 128

var (
	engineFlag = regexp.MustCompile(`--?(operation|device_name|batch_size|block_size|use_vram)[= ]"?([A-Za-z0-9_,]+)`)
	engineDone = regexp.MustCompile(`Test completed: duration ([0-9.]+), batch count (\d+), throughput ([0-9.]+)\s*([A-Za-z/]*)`)
)

// engineUnits are the units of its throughput, in bytes.
var engineUnits = map[string]float64{
	"GB": 1e9, "GiB": 1 << 30, "Gb": 1e9 / 8, "MB": 1e6, "MiB": 1 << 20, "Mb": 1e6 / 8, "KB": 1e3, "KiB": 1 << 10, "Kb": 1e3 / 8,
}

func (r *transferEngine) line(n int, text string) {
	if strings.Contains(text, "transfer_engine_bench") && strings.Contains(text, "-") {
		for _, m := range engineFlag.FindAllStringSubmatch(text, 16) {
			r.flag(m[1], m[2])
		}
	}
	switch {
	case strings.Contains(text, "VRAM is used"):
		r.about.GPUMemory = true
	case strings.Contains(text, "DRAM is used"):
		r.about.GPUMemory = false
	}
	if m := engineDone.FindStringSubmatch(text); m != nil {
		r.done(n, m)
	}
}

// flag takes a flag of the command line.
func (r *transferEngine) flag(name, value string) {
	switch name {
	case "operation":
		if value == "read" || value == "write" {
			r.about.Op = value
		}
	case "device_name":
		r.kv.Devices = strings.Split(value, ",")
	case "block_size":
		r.block = number(value)
	case "batch_size":
		if v := number(value); v >= 1 && v < maxHosts {
			r.kv.Batch = int(v)
		}
	case "use_vram":
		r.about.GPUMemory = value != "false" && value != "0"
	}
}

// done reads the last line of a run.
func (r *transferEngine) done(n int, m []string) {
	unit, known := engineUnits[strings.TrimSuffix(m[4], "/s")]
	if m[4] == "" {
		unit, known = 1e9, true
		r.b.note(n, "the throughput has no unit: it is taken for GB/s, the program's default (--report_unit)")
	}
	if !known {
		r.b.note(n, "this run of transfer_engine_bench is left out: its unit %q is none of the program's, such as GB/s or Gb/s", abridged(m[4]))
		return
	}
	seconds, batches, rate := number(m[1]), number(m[2]), number(m[3])*unit
	kv, block := r.kv, r.block
	if kv.Batch == 0 {
		kv.Batch = usualBatch
	}
	if block == 0 && batches > 0 { // the decimals of duration and throughput leave a range
		block = math.Pow(2, math.Round(math.Log2(rate*seconds/batches/float64(kv.Batch))))
		kv.Assumed = true
	}
	if !measures(rate*8/1e9) || !(block >= 1 && block <= maxBlock) {
		r.b.note(n, "this run of transfer_engine_bench has no throughput or no block size: left out")
		return
	}
	t := r.about
	t.Format, t.Line, t.Test, t.Copies = TransferEngine, n, "transfer_engine_bench", &kv
	if t.Op == "" {
		t.Op = "read" // the program's default
	}
	if out := r.b.table(t); out != nil {
		r.b.rows++
		out.Rows = []Row{{Line: n, Bytes: int64(block), Gbps: rate * 8 / 1e9}}
	}
}

func (r *transferEngine) end(bool) {}

package randomtest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/scenario"
	"weft/units"
)

// The number of packet-hops of a run; fewHops is the least. The number is drawn so that each power
// of two between is as frequent as any other.
const (
	fewHops    = 500
	calmHops   = 20_000
	mostHops   = 50_000
	steadyHops = 250_000 // of a steady scenario, or up to twice as many
)

// mostRingMessages bounds the messages of a ring over all channels: a short message costs as many
// events as a full packet.
const mostRingMessages = mostHops / usualPath

// usualPath is the number of hops that a packet is taken to have.
const usualPath = 4

// payload draws the bytes that all messages of a run have together.
func (d *draw) payload() float64 {
	least, most := float64(fewHops), float64(mostHops)
	switch {
	case d.steady:
		least, most = steadyHops, 2*steadyHops
	case d.calm:
		least = calmHops
	}
	hops := least * math.Pow(most/least, d.Float64())
	return hops / usualPath * float64(min(d.fabric().MTU, 4*units.KiB))
}

// workload draws a collective or a pattern.
func (d *draw) workload() {
	total := d.payload()
	if c := &d.resolved.Cluster; d.steady || c.Endpoints() < 2 || c.Nodes == 1 || d.odds(2) {
		d.collective(total)
	} else {
		d.pattern(total)
	}
}

// sized is the field of a size, or several.
func (d *draw) sized(bytes, multiple float64) []string {
	size := int64(max(1, bytes/multiple) * multiple)
	size -= size % int64(multiple)
	if !d.calm && d.odds(8) {
		size = (size/4 + 7) / 8 * 8
		return []string{"workload.sizes", d.one(fmt.Sprintf("[%dB, %dB]", size, 2*size), fmt.Sprintf("{from: %dB, to: %dB}", size, 2*size),
			fmt.Sprintf("{from: %dB, to: %dB, factor: 3}", size, 3*size), fmt.Sprintf("{from: %dB, to: %dB, step: %[1]dB}", size, 2*size))}
	}
	return []string{"workload.sizes", fmt.Sprintf("[%dB]", size)}
}

// times is about how often a rank sends the size of a collective; acknowledgements and short packets
// at the ends of chunks count.
var times = map[string]float64{
	"all-reduce": 3, "all-gather": 2, "reduce-scatter": 2, "broadcast": 2, "reduce": 2, "scatter": 0.5, "gather": 0.5, "all-to-all": 2, "send-recv": 2,
}

// collective draws a collective, and how often it runs.
func (d *draw) collective(total float64) {
	operation := d.oneOf("all-reduce | all-reduce | all-reduce | all-reduce | all-gather | all-gather | reduce-scatter | reduce-scatter | broadcast | reduce | scatter | gather | all-to-all | send-recv")
	ranks := d.resolved.Cluster.Ranks()
	pairs := []string{"workload.collective", operation}
	runs := 1
	if d.odds(3) {
		iterations, warmup := d.between(1, 3), d.between(0, 2)
		if d.steady {
			iterations = d.between(4, 24)
		}
		pairs = append(pairs, "run.iterations", strconv.Itoa(iterations), "run.warmup", strconv.Itoa(warmup))
		runs = iterations + warmup
		total /= float64(runs)
	}
	size := total / (times[operation] * float64(ranks))
	var sizes, more []string
	if d.steady {
		sizes, more = d.even(size, ranks)
	} else {
		sizes = d.sized(size, 8)
	}
	d.try(append(pairs, sizes...)...)
	d.algorithm()
	if !d.steady && (d.calm || d.odds(2)) {
		channels := min(d.between(1, 4), max(1, mostRingMessages/(2*ranks*ranks*runs)))
		chunk := max(float64(d.fabric().MTU), size/float64(channels*ranks*d.between(4, 24)))
		more = []string{"workload.channels", strconv.Itoa(channels), "workload.chunk", fmt.Sprintf("%dB", int64(chunk)/8*8)}
	}
	if slices.Contains([]string{"broadcast", "reduce", "scatter", "gather"}, operation) {
		more = append(more, d.number("workload.root", 1, ranks-1)...)
	}
	d.tryAll(join(more, d.some(d.number("workload.window", 1, 8)),
		d.perhaps(2, "workload.datatype", "half | bfloat16 | double | int8 | uint8 | int32 | int64 | float"),
		d.perhaps(4, "workload.nodes", strconv.Itoa(d.between(1, d.resolved.Cluster.Nodes)))))
}

// even is the field of a size of about a number of bytes, and the fields that cut it into many chunks, mostly equal ones.
func (d *draw) even(bytes float64, ranks int) (size, cut []string) {
	channels, rounds := d.between(1, 2), d.between(4, 60)
	chunk := int64(max(float64(d.fabric().MTU), bytes/float64(channels*ranks*rounds))) / 64 * 64
	total := max(1, int64(bytes)/(chunk*int64(channels*ranks))) * chunk * int64(channels*ranks)
	if d.odds(4) {
		total += int64(d.between(1, 99)) * 8
	}
	return []string{"workload.sizes", fmt.Sprintf("[%dB]", total)},
		[]string{"workload.channels", strconv.Itoa(channels), "workload.chunk", fmt.Sprintf("%dB", chunk)}
}

// reducible has the collectives that switches may reduce or copy for.
var reducible = map[scenario.Collective]bool{scenario.AllReduce: true, scenario.AllGather: true, scenario.ReduceScatter: true}

// algorithm draws the algorithm and the protocol of the collective; some need switches that reduce.
func (d *draw) algorithm() {
	w := &d.resolved.Workload
	if d.odds(8) {
		d.try("nccl.harness", "for-all", "nccl.per-thread", "1")
	}
	if d.steady && !d.odds(4) && d.try("workload.algorithm", "ring", "workload.protocol", "simple") {
		return
	}
	if d.odds(4) {
		if onInfiniBand(d) && !d.steady {
			d.tryPlanned("fabric.ib.sharp", "true")
		}
		return
	}
	algorithm := "ring | tree | hierarchical | halving-doubling | nvls | nvls-tree | nvls-tree | nvls-tree | collnet-direct | collnet-chain | direct"
	switch w.Collective {
	case scenario.AllReduce:
	case scenario.AllGather, scenario.ReduceScatter:
		algorithm = "ring | hierarchical | nvls | collnet-direct | collnet-direct | collnet-direct"
	case scenario.Broadcast:
		algorithm = "ring | tree"
	case scenario.Reduce:
		algorithm = "ring"
	default:
		algorithm = "direct"
	}
	if onInfiniBand(d) && reducible[w.Collective] && d.odds(2) {
		algorithm = "nvls | collnet-direct | collnet-direct"
		if w.Collective == scenario.AllReduce {
			algorithm = "nvls | collnet-direct | collnet-chain | collnet-chain"
		}
	}
	if d.resolved.Cluster.Nodes == 1 {
		algorithm = strings.ReplaceAll(algorithm, "nvls-tree", "nvls")
	}
	pairs := []string{"workload.algorithm", d.oneOf(algorithm)}
	if !d.try(pairs...) && (!onInfiniBand(d) || !d.tryPlanned(append(pairs, "fabric.ib.sharp", "true")...)) {
		return
	}
	if w.Collective == scenario.AllReduce && d.resolved.Cluster.Nodes > 1 && d.odds(3) && d.try("workload.protocol", "ll128", "cluster.node.preset", "dgx-h100") {
		return // NCCL has it for few others
	}
	d.try("workload.protocol", d.one("simple", "ll"))
}

func (d *draw) pattern(total float64) {
	service := []string{"workload.transport", "rc", "workload.operation", d.one("write", "send")}
	if d.protocol().Reads {
		service = d.service()
	}
	most := math.MaxFloat64
	if service[1] == "ud" {
		most = float64(d.fabric().MTU)
	}
	patterns := []func(total, most float64) []string{d.flows, d.flows, d.incast, d.permutation, d.uniform}
	if d.calm {
		patterns = []func(total, most float64) []string{d.flows, d.flows, d.flows, d.incast, d.permutation}
	}
	if !d.try(join(patterns[d.IntN(len(patterns))](total, most), service)...) {
		d.try(d.permutation(total, most)...)
	}
	if d.odds(4) && !d.calm && d.protocol().Reads && d.resolved.Workload.Operation != scenario.Read {
		d.try("workload.receive-queue", strconv.Itoa(d.between(1, 64)), "workload.repost", d.one("0", "500ns", "5us"))
	}
	if d.resolved.Workload.Transport == scenario.UD && d.odds(2) {
		d.try("workload.qkey", "0x1234")
	}
}

// service is the service and the operation of messages.
func (d *draw) service() []string {
	if d.calm {
		return []string{"workload.transport", "rc", "workload.operation", d.one("write", "send", "read")}
	}
	return strings.Fields(d.oneOf(`workload.transport rc workload.operation write | workload.transport rc workload.operation write | workload.transport rc workload.operation read |
		workload.transport rc workload.operation send | workload.transport uc workload.operation write | workload.transport uc workload.operation send | workload.transport ud workload.operation send`))
}

func (d *draw) permutation(total, most float64) []string {
	return append(d.sized(min(most, total/float64(d.resolved.Cluster.Endpoints())), 1), "workload.pattern", "permutation")
}

func (d *draw) incast(total, most float64) []string {
	nics := d.resolved.Cluster.Endpoints()
	fan, receivers := d.between(1, nics-1), d.between(1, min(3, nics))
	return append(d.sized(min(most, total/float64(fan*receivers)), 1),
		"workload.pattern", "incast", "workload.fan-in", strconv.Itoa(fan), "workload.receivers", strconv.Itoa(receivers))
}

// uniform offers a total in messages of a drawn length.
func (d *draw) uniform(total, most float64) []string {
	load := d.between(10, 100)
	nics, rate := d.resolved.Cluster.Endpoints(), float64(d.fabric().Link.Rate())/8
	took := total / (float64(nics) * rate * float64(load) / 100) // seconds
	size := min(most, max(1, total/float64(d.between(2*nics, 20*nics))))
	return []string{
		"workload.pattern", "uniform", "workload.load", fmt.Sprintf("%d%%", load),
		"workload.duration", fmt.Sprintf("%dns", int64(took*1e9)+1), "workload.sizes", fmt.Sprintf("[%dB]", int64(size)),
	}
}

// flows lists messages: between all pairs, one after the other between two NICs as perftest does,
// or anyhow.
func (d *draw) flows(total, most float64) []string {
	nics := d.resolved.Cluster.Endpoints()
	var ends [][2]int
	switch d.between(0, 2) {
	case 0:
		for from := range min(nics, 8) {
			for to := range min(nics, 8) {
				if from != to {
					ends = append(ends, [2]int{from, to})
				}
			}
		}
	case 1:
		from, to := d.pair()
		for range d.between(1, 16) {
			ends = append(ends, [2]int{from, to})
		}
	default:
		for range d.between(1, 2*nics) {
			from, to := d.pair()
			ends = append(ends, [2]int{from, to})
		}
	}
	var list []string
	class, classed := "priority", !d.calm && d.odds(4)
	var served []string
	for _, q := range d.fabric().Ethernet.Queues {
		served = append(served, strconv.Itoa(q.Priority))
	}
	if d.protocol().ServiceLevels {
		class, served = "sl", []string{"1", "2", "3"}
	}
	for _, e := range ends {
		bytes := max(1, min(most, total/float64(len(ends))*(0.25+1.5*d.Float64())))
		f := fmt.Sprintf("src: %d, dst: %d, bytes: %dB", e[0], e[1], int64(bytes))
		if d.odds(4) {
			f = fmt.Sprintf("from: %s, to: %s, bytes: %dB", d.nic(e[0]), d.nic(e[1]), int64(bytes))
		}
		if d.odds(3) {
			f += fmt.Sprintf(", start: %dns", d.IntN(20_000))
		}
		if classed {
			f += fmt.Sprintf(", %s: %s", class, d.one(served...))
		}
		if d.odds(12) && most < math.MaxFloat64 {
			f += ", qkey: 0x1234"
		}
		list = append(list, "{"+f+"}")
	}
	return []string{"workload.pattern", "flows", "workload.flows", "[" + strings.Join(list, ", ") + "]"}
}

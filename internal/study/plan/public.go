package plan

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"weft/internal/sim/catalog"
	"weft/units"
)

// Public prices: what web shops, resellers and papers state, as a range with its year. They are no quotes. An item
// without one has a bound by its kind: the most that one of its kind with a public price costs for each bit per second.

//go:embed data/prices.csv
var publicText string

// PublicPrice is the range of the public prices of an item.
type PublicPrice struct {
	Item, Low, High string // amounts; a Low of 0 says that High is a bound alone
	Year            int
	Tag             catalog.Tag
	Source          string
}

// PublicCurrency is the currency of the public prices.
const PublicCurrency = "USD"

// PublicPrices are the items with a public price.
var PublicPrices = sync.OnceValue(func() (out []PublicPrice) {
	rows, err := csv.NewReader(strings.NewReader(publicText)).ReadAll()
	if err != nil {
		panic("plan: data/prices.csv: " + err.Error())
	}
	for _, row := range rows[1:] {
		year, err := strconv.Atoi(row[3])
		if err != nil {
			panic(fmt.Sprintf("plan: data/prices.csv: the year of %s: %v", row[0], err))
		}
		out = append(out, PublicPrice{row[0], row[1], row[2], year, catalog.Tag(row[4]), row[5]})
	}
	return out
})

// Public are the public prices, for a request without a price file. They have no price of electricity, so that a cost is the
// equipment alone.
func Public() *Prices {
	p := &Prices{Currency: PublicCurrency, Years: 1, Public: true, each: map[string]Part{}}
	known := map[string]Part{}
	for _, x := range PublicPrices() {
		low, err1 := amount(x.Low, "")
		high, err2 := amount(x.High, "")
		if err1 != nil || err2 != nil || high.Value < low.Value {
			panic("plan: data/prices.csv: the amounts of " + x.Item)
		}
		part := Part{Least: low.Value, Most: high.Value, Tag: x.Tag}
		switch low.Value {
		case high.Value:
			part = Part{Value: low.Value, Known: true, Tag: x.Tag}
		case 0:
			part.What = "the price of " + x.Item
		}
		known[x.Item] = part
	}
	for item, own := range ownPrices() {
		known[item] = own
	}
	all := measures()
	for _, item := range Items() {
		part, ok := known[item]
		if !ok {
			part = Part{What: "the price of " + item, Most: mostPrice(all[item], all, known)}
		}
		p.each[item] = part
	}
	return p
}

// ownPrices are the prices that a user's devices state.
func ownPrices() map[string]Part {
	out := map[string]Part{}
	for _, kind := range []catalog.Kind{catalog.Switch, catalog.NIC, catalog.Cable} {
		for _, e := range catalog.Entries(kind) {
			f, ok := e.Known("about.price")
			if !ok {
				continue
			}
			item := e.Name
			if kind == catalog.Cable {
				item = module(e, "switch-module")
			}
			if part, err := amount(f.Value, "the price of "+item); err == nil {
				out[item] = part
			}
		}
	}
	return out
}

// measure is what a price is compared by.
type measure struct {
	kind     string     // switch and its protocol, nic, module
	port     units.Rate // of a port at its fastest; of a switch, of a cage
	capacity float64    // bits per second of all ports
}

// measures are the measures of all items, but for fibre.
func measures() map[string]measure {
	out := map[string]measure{}
	for _, s := range switches() {
		out[s.entry.Name] = measure{"switch " + s.protocol, s.cageRate(), s.capacity()}
	}
	for _, n := range nics() {
		out[n.entry.Name] = measure{"nic", n.rate, float64(n.rate)}
	}
	for _, e := range catalog.Entries(catalog.Cable) {
		rate, links := rateOf(catalog.Cable, e.Name, "rate"), number(e, "cage-links")
		for _, f := range e.Facts {
			if !strings.HasSuffix(f.Field, "-module") || f.Value == "none" {
				continue
			}
			m := measure{"module", rate, float64(rate) * float64(max(1, links))}
			if strings.HasSuffix(f.Field, "nic-module") {
				m.capacity = float64(rate)
			}
			if m.capacity > out[f.Value].capacity {
				out[f.Value] = m
			}
		}
	}
	return out
}

// mostPrice bounds the price of an item: the most for each bit per second among those of its kind with a public price, of the
// same rate of a port if there are some; 0 if there are none.
func mostPrice(m measure, all map[string]measure, known map[string]Part) int64 {
	var same, every float64
	for item, part := range known {
		o := all[item]
		if o.kind != m.kind || o.capacity == 0 {
			continue
		}
		each := float64(max(part.Value, part.Most)) / o.capacity
		every = max(every, each)
		if o.port == m.port {
			same = max(same, each)
		}
	}
	if same == 0 {
		same = every
	}
	return int64(same * m.capacity)
}

// PublicYears are the first and the last year of the public prices of a design's parts; 0 without any.
func (d *Design) PublicYears() (first, last int) {
	for _, x := range PublicPrices() {
		if slices.ContainsFunc(d.Bill, func(l Line) bool { return l.Item == x.Item }) {
			if first == 0 || x.Year < first {
				first = x.Year
			}
			last = max(last, x.Year)
		}
	}
	return first, last
}

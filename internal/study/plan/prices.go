package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// PerUnit is the resolution of money: ten-thousandths of the currency's unit, so a kilowatt-hour of
// 8.5 cents can be written.
const (
	PerUnit  = 10_000
	decimals = 4
)

// Prices is a user's price file, or the public prices.
type Prices struct {
	// Currency is printed with every amount.
	Currency string `yaml:"currency"`
	// Electricity is the price of a kilowatt-hour.
	Electricity string `yaml:"electricity"`
	// PUE is the power of the site per watt of equipment.
	PUE scenario.Ratio `yaml:"pue"`
	// Years is the operating time of the equipment.
	Years int `yaml:"years" range:"1..30"`
	// Items are the prices of pieces.
	Items []Price `yaml:"items"`

	// Public says that these are the public prices ([Public]).
	Public bool `yaml:"-"`

	each  map[string]Part
	watts map[string]Part
	kWh   Part
}

// Price is the price of one piece.
type Price struct {
	// Item is an item of a bill of materials: qm9700, MMA4Z00-NS.
	Item string `yaml:"item"`
	// Each is an amount with at most four decimals, or unknown.
	Each string `yaml:"each"`
	// Watts is the typical power of a piece, in place of the catalog's; 0 leaves the catalog's.
	Watts units.Power `yaml:"watts" range:"0W..100kW"`
}

// ReadPrices reads a price file.
func ReadPrices(name string, text []byte) (*Prices, error) {
	p := Prices{Electricity: catalog.Unknown, PUE: scenario.Ratio{Num: 1, Den: 1}, Years: 1}
	doc, err := scenario.ReadDocument(name, text, &p)
	if err != nil {
		return nil, err
	}
	return &p, doc.ErrorsAt(p.read())
}

// read takes the amounts from their texts.
func (p *Prices) read() (out []scenario.Problem) {
	p.each, p.watts = map[string]Part{}, map[string]Part{}
	known, priced := Items(), false
	for i, x := range p.Items {
		path := fmt.Sprintf("items[%d]", i)
		if x.Each == "" && x.Watts > 0 { // a figure of power alone
			x.Each = catalog.Unknown
		}
		if x.Watts > 0 {
			p.watts[x.Item] = Part{Value: int64(x.Watts), Known: true, Tag: catalog.Verified, What: "the power of " + x.Item}
		}
		if x.Each == "" {
			out = append(out, scenario.Problem{Path: path, Err: fmt.Errorf("want each, an amount above 0 or unknown, or watts above 0")})
			continue
		}
		part, err := price(x.Each, "the price of "+x.Item, p.Currency)
		if err != nil {
			out = append(out, scenario.Problem{Path: path + ".each", Err: err})
		}
		if least, why := leastWatts(x.Item); x.Watts > 0 && int64(x.Watts) < least {
			out = append(out, scenario.Problem{Path: path + ".watts", Err: fmt.Errorf("%s is less than %s: want %s or more", x.Watts, why, units.Power(least))})
		}
		if !slices.Contains(known, x.Item) {
			hint := "weft plan --init-prices writes all items"
			if near := catalog.Nearest(x.Item, known); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			out = append(out, scenario.Problem{Path: path + ".item", Err: fmt.Errorf("no bill of materials has an item %q: %s", x.Item, hint)})
		}
		if _, twice := p.each[x.Item]; twice {
			out = append(out, scenario.Problem{Path: path + ".item", Err: fmt.Errorf("%q is there twice: want its each and its watts in one place", x.Item)})
		}
		if strings.HasPrefix(x.Item, "fibre-") && x.Watts > 0 {
			out = append(out, scenario.Problem{Path: path + ".watts", Err: fmt.Errorf("%s: a fibre takes no power: leave it out", x.Watts)})
		}
		priced = priced || part.Known
		p.each[x.Item] = part
	}
	kWh, err := price(p.Electricity, "the price of electricity", p.Currency)
	if err != nil {
		out = append(out, scenario.Problem{Path: "electricity", Err: err})
	}
	p.kWh = kWh
	if strings.ContainsAny(p.Currency, ",;/ +") || p.Currency == "" && (priced || kWh.Known) {
		out = append(out, scenario.Problem{Path: "currency", Err: fmt.Errorf("%q: want one currency for the whole file, such as USD", p.Currency)})
	}
	if p.PUE.Num < p.PUE.Den || p.PUE.Den == 0 {
		out = append(out, scenario.Problem{Path: "pue", Err: fmt.Errorf("%s: want 1 or more, the power of the site for each watt of equipment", p.PUE)})
	}
	return out
}

// maxAmount bounds a price, so that a sum over a million pieces fits.
const maxAmount = 10_000_000

var errAmount = errors.New("want an amount of digits up to 10000000, such as 1250 or 0.12, or unknown")

// price is an amount above 0 in a file's currency.
func price(text, what, currency string) (Part, error) {
	part, err := amount(text, what)
	number := strings.TrimFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	switch _, wrong := amount(number, what); {
	case err != nil && wrong == nil && !strings.HasPrefix(strings.TrimSpace(text), "-"):
		return part, fmt.Errorf("%q: all amounts of a file are in its currency, %s: write the number alone, converted if need be", text, cmp.Or(currency, "such as USD"))
	case err == nil && part.Known && part.Value == 0:
		return Part{What: what}, errors.New("0: want an amount above 0, or unknown")
	}
	return part, err
}

// leastWatts is the power below which a figure of an item cannot be, and why; 0 if nothing is known.
func leastWatts(item string) (int64, string) {
	for _, s := range switches() {
		if s.entry.Name == item {
			return frugal(catalog.Switch, s.capacity()), frugalWhy
		}
	}
	for _, n := range nics() {
		if n.entry.Name == item {
			return frugal(catalog.NIC, float64(n.rate)), frugalWhy
		}
	}
	least := moduleWatts(item)
	return least, fmt.Sprintf("the %s that the module takes by its maker", units.Power(least))
}

const frugalWhy = "half of what the most frugal of its kind takes for each bit per second"

// frugal is half of what the most frugal switch or NIC of the catalog takes for each bit per second, for so many.
func frugal(kind catalog.Kind, bits float64) int64 {
	var each float64 // milliwatts
	of := func(bits float64, p Part) {
		if x := float64(p.Value) / bits; p.Known && (each == 0 || x < each) {
			each = x
		}
	}
	if kind == catalog.Switch {
		for _, s := range switches() {
			of(s.capacity(), powerOf(s.entry, "about.power", ""))
		}
	} else {
		for _, n := range nics() {
			of(float64(n.rate), powerOf(n.entry, "about.power", ""))
		}
	}
	return int64(bits * each / 2)
}

// moduleWatts is the power that the maker of a transceiver or of a cable's end states; 0 if nothing is known. A part in several
// places has the least.
func moduleWatts(item string) (least int64) {
	for _, e := range catalog.Entries(catalog.Cable) {
		for _, end := range [][2]string{{"switch-module", "switch-power"}, {"nic-module", "nic-power"}, {"node-module", "node-power"}} {
			p := powerOf(e, end[1], "")
			if module(e, end[0]) == item && p.Known && p.Tag == catalog.Verified && (least == 0 || p.Value < least) {
				least = p.Value
			}
		}
	}
	return least
}

// amount is a sum of money in ten-thousandths.
func amount(text, what string) (Part, error) {
	if text == catalog.Unknown {
		return Part{What: what}, nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	count, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || count < 0 || count > maxAmount || len(fraction) > decimals || strings.Trim(fraction, "0123456789") != "" {
		return Part{What: what}, fmt.Errorf("%q: %w", text, errAmount)
	}
	rest, _ := strconv.ParseInt((fraction + strings.Repeat("0", decimals))[:decimals], 10, 64)
	return Part{Value: count*PerUnit + rest, Known: true, Tag: catalog.Verified, What: what}, nil
}

// Cost is the cost of a design by a price file.
type Cost struct {
	Equipment Sum // ten-thousandths
	Energy    Sum // of the years
	Years     int
	Currency  string
	Public    bool // by public prices, without energy
}

// Total is equipment and energy.
func (c *Cost) Total() Sum {
	return Sum{
		Known: c.Equipment.Known + c.Energy.Known, Missing: distinct(slices.Concat(c.Equipment.Missing, c.Energy.Missing)...),
		bounds: c.Equipment.bounds + c.Energy.bounds, open: c.Equipment.open || c.Energy.open,
	}
}

// Text prints an amount.
func (c *Cost) Text(v int64) string { return money(v, c.Currency) }

// money is an amount in whole units, with separators of thousands.
func money(v int64, currency string) string {
	digits := strconv.FormatInt((v+PerUnit/2)/PerUnit, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits + " " + currency
}

// powers puts the user's figures of power in place of the catalog's.
func (p *Prices) powers(bill []Line) {
	if p == nil {
		return
	}
	for i, l := range bill {
		if own, ok := p.watts[l.Item]; ok {
			bill[i].Power = own
		}
	}
}

// hoursPerYear is for a year of 365 days.
const hoursPerYear = 24 * 365

// cost is the cost of a design; nil without prices.
func (p *Prices) cost(d *Design) *Cost {
	if p == nil {
		return nil
	}
	c := p.equipment(d.Bill)
	c.Years = p.Years
	if p.Public {
		return c
	}
	kWh := func(power int64) int64 { return p.PUE.Of(power) * hoursPerYear * int64(p.Years) / 1_000_000 } // from milliwatts
	c.Energy.Missing, c.Energy.open = slices.Clone(d.Power.Missing), d.Power.open
	if p.kWh.Known {
		c.Energy.Known = kWh(d.Power.Known) * p.kWh.Value
		c.Energy.bounds = kWh(d.Power.Most())*p.kWh.Value - c.Energy.Known
	} else {
		c.Energy.Missing, c.Energy.open = append(c.Energy.Missing, p.kWh.What), true
	}
	return c
}

// equipment is the cost of parts without energy; nil without prices.
func (p *Prices) equipment(lines []Line) *Cost {
	if p == nil {
		return nil
	}
	c := &Cost{Currency: p.Currency, Public: p.Public}
	for _, l := range lines {
		part, ok := p.each[l.Item]
		if !ok {
			what := l.Item
			if what == catalog.Unknown { // cables that the catalog has not
				what, _, _ = strings.Cut(l.Title, ":")
			}
			part = Part{What: "the price of " + what}
		}
		c.Equipment.add(l.Quantity, part)
	}
	return c
}

// Items are all items that a bill of materials can have, in the order of the catalog.
func Items() (out []string) {
	for _, s := range switches() {
		out = append(out, s.entry.Name)
	}
	for _, n := range nics() {
		out = append(out, n.entry.Name)
	}
	add := func(item string) {
		if item != "none" && !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	for _, e := range catalog.Entries(catalog.Cable) {
		medium, _ := e.Get("medium")
		add(module(e, "switch-module"))
		add(module(e, "nic-module"))
		add(module(e, "node-module"))
		for _, f := range e.Facts { // of other connectors: about.qsfp112.nic-module
			if strings.HasPrefix(f.Field, "about.") && strings.HasSuffix(f.Field, "-module") {
				add(f.Value)
			}
		}
		if !onePiece(medium.Value) {
			add("fibre-" + medium.Value)
		}
	}
	return out
}

// PriceFile is a template of a price file, without any price.
func PriceFile() []byte {
	var b strings.Builder
	b.WriteString(`# Prices for weft plan. Replace unknown by what you were quoted; what stays
# unknown is left out of sums, which then say so. The public prices that weft
# knows have no part in it.
currency: USD
electricity: unknown   # of a kilowatt-hour
pue: 1.3               # what the site draws for each watt of equipment
years: 4               # how long the equipment runs
items:                 # the price of one piece
`)
	for _, item := range Items() {
		fmt.Fprintf(&b, "  - {item: %q, each: unknown}\n", item)
	}
	return []byte(b.String())
}

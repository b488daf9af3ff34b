package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"weft/internal/sim/catalog"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// preset lists the types that may be given as the name of a catalog entry, with the field for that
// name.
type preset struct {
	kind catalog.Kind
	key  string
}

var presets = map[reflect.Type]preset{
	reflect.TypeFor[Node]():    {catalog.Node, "preset"},
	reflect.TypeFor[GPU]():     {catalog.GPU, "model"},
	reflect.TypeFor[ScaleUp](): {catalog.ScaleUp, "generation"},
	reflect.TypeFor[PCIe]():    {catalog.PCIe, "generation"},
	reflect.TypeFor[NIC]():     {catalog.NIC, "model"},
	reflect.TypeFor[Fabric]():  {catalog.Fabric, "preset"},
	reflect.TypeFor[Link]():    {catalog.Link, "generation"},
	reflect.TypeFor[Switch]():  {catalog.Switch, "model"},
	reflect.TypeFor[CC]():      {catalog.CC, "preset"},
	reflect.TypeFor[Host]():    {catalog.Host, "path"},
	reflect.TypeFor[Model]():   {catalog.Model, "preset"},
}

// decoder decodes nodes into values: fields that a node does not mention stay as they are.
type decoder struct {
	*places
	// rate is the rate of the fabric's link, for values that grow with it.
	rate units.Rate
}

func newDecoder(file string) *decoder { return &decoder{places: newPlaces(file)} }

// value decodes n into v, which is the field at path; bounds is the field's range.
func (d *decoder) value(path string, n *node, v reflect.Value, bounds string) {
	if n.kind == null {
		d.fail(n.place, path, "no value is given: want %s", wanted(v.Type()))
		return
	}
	d.mark(path, n)
	switch {
	case v.Kind() == reflect.Struct && v.Type() != ratioType:
		d.structure(path, n, v)
	case v.Kind() == reflect.Slice:
		d.list(path, n, v, bounds)
	case v.Kind() == reflect.Array:
		d.array(path, n, v, bounds)
	case n.kind != scalar:
		d.fail(n.place, path, "%s is given: want %s", n.kind, wanted(v.Type()))
	default:
		d.scalar(path, n, v, bounds)
	}
}

// structure decodes a mapping, or the name of a preset, into a struct.
func (d *decoder) structure(path string, n *node, v reflect.Value) {
	p, named := presets[v.Type()]
	switch {
	case named && n.kind == scalar:
		d.preset(path, n, p, v)
		return
	case n.kind != mapping:
		d.fail(n.place, path, "%s is given: want %s", n.kind, wanted(v.Type()))
		return
	}
	own := n.child(p.key)
	switch { // the preset first: the other fields override it
	case !named:
	case own != nil && own.kind == scalar:
		d.preset(path, own, p, v)
	case n.base != nil:
		d.preset(path, n.base, p, v)
	}
	for _, kv := range n.pairs {
		if named && kv.key.text == p.key && kv.val.kind == scalar {
			continue
		}
		d.field(path, kv, v)
	}
}

// field decodes a value into the field with its name.
func (d *decoder) field(path string, kv pair, v reflect.Value) {
	field, bounds := fieldOf(v, kv.key.text)
	if !field.IsValid() {
		d.unknownField(path, kv.key, v.Type())
		return
	}
	d.value(join(path, kv.key.text), kv.val, field, bounds)
}

func (d *decoder) unknownField(path string, key *node, t reflect.Type) {
	names := fieldNames(t)
	if below := fieldBelow(t, key.text); below != "" {
		d.fail(key.place, join(path, key.text), "there is no such field here: did you mean %s?", below)
		return
	}
	if near := catalog.Nearest(key.text, names); near != "" {
		d.fail(key.place, join(path, key.text), "there is no such field: did you mean %q?", near)
		return
	}
	d.fail(key.place, join(path, key.text), "there is no such field here: the fields are %s", strings.Join(names, ", "))
}

// preset replaces v by a catalog entry. Fields below it are no longer stated.
func (d *decoder) preset(path string, n *node, p preset, v reflect.Value) {
	key := v.Field(fieldByName(v.Type(), p.key))
	e, err := catalog.Lookup(p.kind, n.text)
	if err != nil {
		d.fail(n.place, path, "%s", err)
		return
	}
	v.SetZero()
	d.forget(path)
	d.mark(path, n)
	d.mark(join(path, p.key), n)
	d.facts(path, e, v)
	key.SetString(n.text)
}

// facts applies a catalog entry to v.
func (d *decoder) facts(path string, e catalog.Entry, v reflect.Value) {
	for _, f := range e.Facts {
		if strings.HasPrefix(f.Field, "about.") {
			continue
		}
		n := factNode(string(e.Kind)+" "+e.Name, f.Value)
		at, target, bounds := path, v, ""
		for name := range strings.SplitSeq(f.Field, ".") {
			if target, bounds = fieldOf(target, name); !target.IsValid() {
				d.fail(n.place, join(path, f.Field), "the catalog has a field that a scenario has not")
				return
			}
			at = join(at, name)
		}
		d.value(at, n, target, bounds)
	}
}

// factNode is a catalog value as a node: lists and mappings are YAML.
func factNode(origin, text string) *node {
	n := &node{kind: scalar, text: text, plain: true}
	if strings.ContainsAny(text, "[{") {
		if parsed, errs := parse(origin, []byte(text)); len(errs) == 0 {
			n = parsed
		}
	}
	n.stamp(place{origin: origin}, true)
	return n
}

// stamp marks a tree as coming from outside the file.
func (n *node) stamp(at place, fact bool) {
	n.place, n.fact = at, fact
	for _, kv := range n.pairs {
		kv.key.stamp(at, fact)
		kv.val.stamp(at, fact)
	}
	for _, item := range n.items {
		item.stamp(at, fact)
	}
}

// list replaces a slice: by a sequence, by a single value, or (sizes) by a
// range.
func (d *decoder) list(path string, n *node, v reflect.Value, bounds string) {
	if v.Type() == reflect.TypeFor[[]units.Bytes]() && n.kind == mapping {
		d.sweep(path, n, v)
		return
	}
	if from, to, ok := strings.Cut(n.text, ".."); ok && n.kind == scalar && v.Type() == reflect.TypeFor[[]units.Bytes]() {
		d.fail(n.place, path, "%q: a range of sizes is written {from: %s, to: %s, factor: 2}", n.text, cmp.Or(from, "1KiB"), cmp.Or(to, "1GiB"))
		return
	}
	items := n.items
	if n.kind != sequence {
		items = []*node{n}
	}
	if len(items) > maxList {
		d.fail(n.place, path, "%d items are given: at most %d are read", len(items), maxList)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(fmt.Sprintf("%s[%d]", path, i), item, v.Index(i), bounds)
	}
}

func (d *decoder) array(path string, n *node, v reflect.Value, bounds string) {
	if n.kind != sequence || len(n.items) != v.Len() {
		d.fail(n.place, path, "want a list of %d values", v.Len())
		return
	}
	for i, item := range n.items {
		d.value(fmt.Sprintf("%s[%d]", path, i), item, v.Index(i), bounds)
	}
}

// scalar reads a single value into v and checks its range; only signed numbers and quantities have
// one.
func (d *decoder) scalar(path string, n *node, v reflect.Value, bounds string) {
	text := n.text
	if n.fact {
		if quantity, per, ok := strings.Cut(text, " per "); ok {
			text = d.grown(quantity, per, v)
		}
	}
	if err := readScalar(text, v); err != nil {
		d.fail(n.place, path, "%s", err)
		return
	}
	if bounds == "" {
		return
	}
	lo, hi, _ := strings.Cut(bounds, "..")
	low, high := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	if err := readScalar(lo, low); err != nil {
		panic(fmt.Sprintf("scenario: the range %s of %s: %v", bounds, path, err))
	}
	if err := readScalar(hi, high); err != nil {
		panic(fmt.Sprintf("scenario: the range %s of %s: %v", bounds, path, err))
	}
	if v.Int() < low.Int() || v.Int() > high.Int() {
		d.fail(n.place, path, "%s is out of range: want %s to %s", text, lo, hi)
	}
}

// grown is a catalog's "5Mbps per 25Gbps" at the rate of the fabric's link.
func (d *decoder) grown(quantity, per string, v reflect.Value) string {
	base, err := units.ParseRate(per)
	if err != nil || readScalar(quantity, v) != nil {
		return quantity + " per " + per
	}
	v.SetInt(Ratio{Num: int64(d.rate), Den: int64(base)}.Reduced().Of(v.Int()))
	return writeScalar(v)
}

var ratioType = reflect.TypeFor[Ratio]()

// readScalar parses text into v by its type.
func readScalar(text string, v reflect.Value) error {
	if text == "0" && isQuantity(v.Type()) {
		v.SetInt(0)
		return nil
	}
	switch p := v.Addr().Interface().(type) {
	case *units.Time:
		if text == "forever" {
			*p = units.Forever
			return nil
		}
		return parseInto(p, text, units.ParseTime)
	case *PKey:
		return parseInto(p, text, parsePKey)
	case *PortRow:
		return parseInto(p, text, parsePortRow)
	case *Runs:
		return parseInto(p, text, parseRuns)
	case *Assignment:
		return parseInto(p, text, parseAssignment)
	case *units.GUID:
		return parseInto(p, text, units.ParseGUID)
	case *QKey:
		return parseInto(p, text, parseQKey)
	case *ErrorBound:
		return parseInto(p, text, parseErrorBound)
	case *units.Bytes:
		return parseInto(p, text, units.ParseBytes)
	case *units.Rate:
		return parseInto(p, text, units.ParseRate)
	case *units.Length:
		return parseInto(p, text, units.ParseLength)
	case *units.FLOPS:
		return parseInto(p, text, units.ParseFLOPS)
	case *units.Power:
		return parseInto(p, text, units.ParsePower)
	case *Ratio:
		r, err := ParseRatio(text)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		*p = r
		return nil
	}
	if valid := choices(v.Type()); valid != nil {
		return readEnum(text, valid, v)
	}
	return readPlain(text, v)
}

func parseInto[T any](p *T, text string, parse func(string) (T, error)) (err error) {
	x, err := parse(text)
	if err == nil {
		*p = x
	}
	return err
}

func readEnum(text string, valid []string, v reflect.Value) error {
	if name, ok := otherNames[v.Type()][text]; ok {
		text = name
	}
	if slices.Contains(valid, text) {
		v.SetString(text)
		return nil
	}
	if near := catalog.Nearest(text, valid); near != "" {
		return fmt.Errorf("%q is not known: did you mean %q?", text, near)
	}
	return fmt.Errorf("%q is not known: want %s", text, oneOf(valid))
}

func readPlain(text string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		if len(text) > maxName || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
			return fmt.Errorf("want at most %d printable characters", maxName)
		}
		v.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is not true or false", text)
		}
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		x, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", abridged(text))
		}
		v.SetInt(x)
	case reflect.Uint32, reflect.Uint64:
		x, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0 to %d", abridged(text), ^uint64(0)>>(64-v.Type().Bits()))
		}
		v.SetUint(x)
	default:
		panic("scenario: a field of type " + v.Type().String())
	}
	return nil
}

func abridged(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}

func isQuantity(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[units.Time](), reflect.TypeFor[units.Bytes](), reflect.TypeFor[units.Rate](), reflect.TypeFor[units.Length](), reflect.TypeFor[units.FLOPS](), reflect.TypeFor[units.Power]():
		return true
	}
	return false
}

// wanted describes the valid values of this type.
func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[units.Time]():
		return "a time such as 1.2us"
	case t == reflect.TypeFor[units.Bytes]():
		return "a size such as 4KiB"
	case t == reflect.TypeFor[units.Rate]():
		return "a rate such as 400Gbps"
	case t == reflect.TypeFor[units.Length]():
		return "a length such as 30m"
	case t == reflect.TypeFor[units.FLOPS]():
		return "a rate of operations such as 989TFLOPS"
	case t == reflect.TypeFor[units.Power]():
		return "a power such as 120kW"
	case t == reflect.TypeFor[Assignment]():
		return "a field with its value such as ethernet.ecn.kmin=200KB"
	case t == reflect.TypeFor[PortRow]():
		return "the ports of a switch, two hexadecimal digits for each NIC"
	case t == reflect.TypeFor[Runs]():
		return "hexadecimal values with blanks between them, equal ones as VALUE*COUNT"
	case t == reflect.TypeFor[units.GUID]():
		return "a GUID such as 0x0002c90300a1b2c3"
	case t == reflect.TypeFor[PKey]():
		return "a P_Key such as 0x8"
	case t == reflect.TypeFor[QKey]():
		return "a Q_Key such as 0x11111111"
	case t == reflect.TypeFor[ErrorBound]():
		return "a bound such as 1%, or none"
	case t == ratioType:
		return "a ratio such as 1/8 or 20%"
	case choices(t) != nil:
		return oneOf(choices(t))
	}
	if p, ok := presets[t]; ok {
		return fmt.Sprintf("the name of a %s or a mapping of fields", p.kind)
	}
	switch t.Kind() {
	case reflect.Struct:
		return "a mapping of fields"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "a whole number"
}

func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fieldNumbers are the indices of the fields of each type by their YAML names: a map[string]int by reflect.Type.
var fieldNumbers sync.Map

// fieldByName is the index of the field with a YAML name, -1 if there is none.
func fieldByName(t reflect.Type, name string) int {
	known, ok := fieldNumbers.Load(t)
	if !ok {
		own := map[string]int{}
		for i := range t.NumField() {
			if n := yamlName(t.Field(i)); n != "" { // a field without a name does not occur in files
				own[n] = i
			}
		}
		known, _ = fieldNumbers.LoadOrStore(t, own)
	}
	numbers, _ := known.(map[string]int)
	if i, ok := numbers[name]; ok {
		return i
	}
	return -1
}

// fieldOf is the field with a name in a struct and its range; the zero Value if there is none.
// Parameters of congestion controls are fields of CC.
func fieldOf(v reflect.Value, name string) (field reflect.Value, bounds string) {
	if i := fieldByName(v.Type(), name); i >= 0 {
		return v.Field(i), v.Type().Field(i).Tag.Get("range")
	}
	if c, ok := v.Addr().Interface().(*CC); ok {
		if p := cc.ParameterOf(name); p != nil {
			return c.field(name), p.Range
		}
	}
	return reflect.Value{}, ""
}

// fieldBelow is the path of a field with this name in one of the struct's sections, "" if there is
// none.
func fieldBelow(t reflect.Type, name string) string {
	for f := range t.Fields() {
		if f.Type.Kind() == reflect.Struct && f.Type != ratioType && slices.Contains(fieldNames(f.Type), name) {
			return yamlName(f) + "." + name
		}
	}
	return ""
}

func fieldNames(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		if name := yamlName(field); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	if t == ccType {
		names = append(names, parameterNames(cc.All()...)...)
	}
	return names
}

func yamlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

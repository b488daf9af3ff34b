package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"weft/internal/sim/catalog"
	"weft/internal/sim/transport/cc"
	"weft/internal/test/golden"
	"weft/units"
)

// The published schema is made from the types by this test:
//
//go:generate go test . -run TestThePublishedSchemaIsCurrent -update

const schemaFile = "../schema/scenario.schema.json"

func TestThePublishedSchemaIsCurrent(t *testing.T) {
	text, err := json.Marshal(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, schemaFile, lined(text)+"\n")
}

// lined is JSON with a line for each type's field and for each type: what differs is seen, and the program carries no
// indentation.
func lined(text []byte) string {
	const fields = 4 // depth: schema, $defs, type, properties
	var out strings.Builder
	depth, quoted := 0, false
	for i, c := range text {
		if c == '"' && text[i-1] != '\\' {
			quoted = !quoted
		}
		switch {
		case quoted:
		case c == '}' || c == ']':
			depth--
		case c == '{' || c == '[':
			depth++
		}
		out.WriteByte(c)
		if !quoted && depth <= fields && (c == ',' || c == '{') {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// schema is the JSON Schema of a scenario file.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true, // every field has a default
		Anonymous:                  true,
		Mapper:                     scalarSchema,
	}
	if err := r.AddGoComments("weft/scenario", "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(Scenario{})
	s.ID = "scenario.schema.json"
	s.Title = "weft scenario"
	for name, def := range s.Definitions {
		describe(t, def, typeOf(t, name))
	}
	parameters(t, s.Definitions["CC"])
	for typ, p := range presets { // a name, or a mapping
		def := s.Definitions[typ.Name()]
		s.Definitions[typ.Name()] = &jsonschema.Schema{
			Description: def.Description,
			AnyOf:       []*jsonschema.Schema{{Type: "string", Enum: anys(catalog.Names(p.kind))}, def},
		}
		if key, ok := def.Properties.Get(p.key); ok {
			key.Enum, key.Ref, key.Type = anys(catalog.Names(p.kind)), "", "string"
		}
	}
	doc := s.Definitions["Scenario"]
	if fabrics, ok := doc.Properties.Get("fabrics"); ok { // one may stand alone by its name
		fabrics.AnyOf[1] = &jsonschema.Schema{Type: "string", Enum: anys(catalog.Names(catalog.Fabric))}
	}
	return s
}

// parameters adds the parameters of congestion controls to the fields of CC. A parameter of
// several algorithms has the description of each.
func parameters(t *testing.T, def *jsonschema.Schema) {
	t.Helper()
	docs := map[string][]string{}
	var fields []reflect.StructField
	for _, c := range cc.All() {
		for _, p := range c.Parameters {
			if docs[p.Name] == nil {
				fields = append(fields, reflect.StructField{
					Name: fmt.Sprintf("P%d", len(fields)), Type: reflect.TypeOf(p.Default),
					Tag: reflect.StructTag(fmt.Sprintf(`yaml:"%s" range:"%s"`, p.Name, p.Range)),
				})
			}
			if !slices.Contains(docs[p.Name], p.Doc) {
				docs[p.Name] = append(docs[p.Name], p.Doc)
			}
		}
	}
	typ := reflect.StructOf(fields)
	one := &jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true, Anonymous: true, Mapper: scalarSchema}
	of := one.ReflectFromType(typ)
	for i := range fields {
		name := yamlName(fields[i])
		p, _ := of.Properties.Get(name)
		p.Description = strings.Join(docs[name], " ")
	}
	describe(t, of, typ)
	for i := range fields {
		p, _ := of.Properties.Get(yamlName(fields[i]))
		def.Properties.Set(yamlName(fields[i]), p)
	}
}

// typeOf is the type behind a definition.
func typeOf(t *testing.T, name string) reflect.Type {
	t.Helper()
	var find func(reflect.Type) reflect.Type
	find = func(typ reflect.Type) reflect.Type {
		switch {
		case typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array:
			return find(typ.Elem())
		case typ.Kind() != reflect.Struct:
			return nil
		case typ.Name() == name:
			return typ
		}
		for field := range typ.Fields() {
			if found := find(field.Type); found != nil {
				return found
			}
		}
		return nil
	}
	found := find(reflect.TypeFor[Scenario]())
	if found == nil {
		t.Fatalf("no type %s", name)
	}
	return found
}

// describe adds the ranges of whole numbers, the ranges of quantities in words, and lets
// one value stand for a list of one.
func describe(t *testing.T, def *jsonschema.Schema, typ reflect.Type) {
	t.Helper()
	for f := range typ.Fields() {
		if !f.IsExported() {
			continue
		}
		p, ok := def.Properties.Get(yamlName(f))
		if !ok {
			t.Fatalf("%s has no %s in the schema", typ, yamlName(f))
		}
		if f.Type.Kind() == reflect.Uint32 || f.Type.Kind() == reflect.Uint64 && p.Type == "integer" {
			p.Minimum = "0"
		}
		if f.Type.Kind() == reflect.Slice && p.Type == "array" {
			list := *p
			list.Description = ""
			*p = jsonschema.Schema{Description: p.Description, AnyOf: []*jsonschema.Schema{&list, list.Items}}
		}
		lo, hi, ok := strings.Cut(f.Tag.Get("range"), "..")
		if !ok {
			continue
		}
		if _, err := strconv.ParseInt(hi, 10, 64); err == nil && p.Type == "integer" {
			p.Minimum, p.Maximum = json.Number(lo), json.Number(hi)
			continue
		}
		if p.Description != "" {
			p.Description += " "
		}
		p.Description += "From " + lo + " to " + hi + "."
	}
}

// scalarSchema is the schema of quantities, ratios and enumerations.
func scalarSchema(typ reflect.Type) *jsonschema.Schema {
	text := func(pattern, example string) *jsonschema.Schema {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string", Pattern: pattern}, {Const: 0}}, Examples: []any{example}}
	}
	switch typ {
	case reflect.TypeFor[units.Time]():
		return text(`^([0-9]+(\.[0-9]+)? ?(ps|ns|us|µs|μs|ms|s)|forever)$`, "1.2us")
	case reflect.TypeFor[units.Bytes]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Type: "string", Pattern: `^[0-9]+(\.[0-9]+)? ?([kKMGT]?B|[KMGT]iB|[kKmMgGtT])?$`}, {Type: "integer", Minimum: "0"},
		}, Examples: []any{"4KiB"}}
	case reflect.TypeFor[units.Rate]():
		return text(`^[0-9]+(\.[0-9]+)? ?([kKMGT]?(bps|b/s|bit/s|B/s)|[MGT])$`, "400Gbps")
	case reflect.TypeFor[PKey]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer", Minimum: "0", Maximum: "32767"}, {Type: "string", Pattern: `^0x[0-9a-fA-F]{1,4}$`}}, Examples: []any{"0x8"}}
	case reflect.TypeFor[units.GUID]():
		return text(`^(0x)?[0-9a-fA-F]{1,16}$`, "0x0002c90300a1b2c3")
	case reflect.TypeFor[PortRow]():
		return text(`^([0-9a-fA-F]{2})*$`, "010203ff")
	case reflect.TypeFor[Runs]():
		return text(`^([0-9a-f]+(\*[0-9]+)?( |$))*$`, "0*12 3 0*4")
	case reflect.TypeFor[QKey]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer", Minimum: "0", Maximum: "2147483647"}, {Type: "string", Pattern: `^0x[0-9a-fA-F]{1,8}$`}}, Examples: []any{"0x11111111"}}
	case reflect.TypeFor[units.Length]():
		return text(`^[0-9]+(\.[0-9]+)? ?(mm|cm|m|km)$`, "30m")
	case reflect.TypeFor[units.FLOPS]():
		return text(`^[0-9]+(\.[0-9]+)? ?[GTP]?FLOPS$`, "989TFLOPS")
	case reflect.TypeFor[ErrorBound]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number", Minimum: "0.001", Maximum: "0.5"}, {Type: "string", Pattern: `^(none|[0-9.]+%?)$`}}, Examples: []any{"1%"}}
	case ratioType:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number", Minimum: "0"}, {Type: "string", Pattern: `^[0-9.]+([eE][+-]?[0-9]+)?%?([/:][0-9.]+([eE][+-]?[0-9]+)?%?)?$`}}, Examples: []any{"1/8"}}
	case reflect.TypeFor[Value](): // of any field
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}, Examples: []any{"100KB"}}
	case reflect.TypeFor[[]units.Bytes]():
		size := scalarSchema(reflect.TypeFor[units.Bytes]())
		r := &jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true, Anonymous: true, Mapper: scalarSchema}
		sweep := r.ReflectFromType(reflect.TypeFor[sweepRange]())
		sweep.Version = ""
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "array", Items: size}, size, sweep}}
	}
	if values := choices(typ); values != nil {
		return &jsonschema.Schema{Type: "string", Enum: anys(slices.Concat(values, slices.Sorted(maps.Keys(otherNames[typ]))))}
	}
	return nil
}

func anys(names []string) []any {
	list := make([]any, len(names))
	for i, n := range names {
		list[i] = n
	}
	return list
}

func published(t *testing.T) *validator.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainValue is the JSON value of a node.
func plainValue(n *node) any {
	switch n.kind {
	case mapping:
		m := map[string]any{}
		for _, kv := range n.pairs {
			m[kv.key.text] = plainValue(kv.val)
		}
		return m
	case sequence:
		list := []any{}
		for _, item := range n.items {
			list = append(list, plainValue(item))
		}
		return list
	case null:
		return nil
	}
	if n.plain {
		if n.text == "true" || n.text == "false" {
			return n.text == "true"
		}
		var x any
		d := json.NewDecoder(strings.NewReader(n.text))
		d.UseNumber()
		if d.Decode(&x) == nil && !d.More() {
			if number, ok := x.(json.Number); ok && number.String() == n.text {
				return number
			}
		}
	}
	return n.text
}

func validate(t *testing.T, text string) error {
	t.Helper()
	root, errs := parse("test.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return published(t).Validate(plainValue(root))
}

func TestEveryExampleValidatesAgainstThePublishedSchemaAsWrittenAndAsPrinted(t *testing.T) {
	for _, file := range examples(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		printed, _ := r.MarshalYAML()
		for what, text := range map[string]string{"as written": string(text), "as printed": string(printed)} {
			if err := validate(t, text); err != nil {
				t.Errorf("%s, %s: %v", filepath.Base(file), what, err)
			}
		}
	}
}

func TestOneValueStandsForAListOfOneInTheSchemaToo(t *testing.T) {
	for _, text := range []string{
		"topology: {shape: torus, dims: 8}",
		"fabric: {preset: roce-v2-400g, ethernet: {pfc: {priorities: 3}}}",
		"fabrics: roce-v2-400g",
		"fabric: {preset: roce-v2-400g, slow-links: {nics: node1, rate: 100Gbps}}",
		"faults: {link: leaf-r0-su0 port 1, at: 1us}",
	} {
		if _, err := Decode("test.yaml", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if err := validate(t, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheSchemaRefusesWhatDecodeRefuses(t *testing.T) {
	for _, text := range []string{
		"naem: typo",
		"cluster: {nodes: 16, racks: 2}",
		"cluster: {nodes: many}",
		"cluster: {nodes: 0}",
		"cluster: {node: dgx-h10}",
		"topology: {shape: fat-tre}",
		"topology: {cables: {node-leaf: 5Gbps}}",
		"fabric: {preset: infiniband-ndr, mtu: 4Kb}",
		"fabrics: [infiniband-ndrr]",
		"fabrics: {preset: roce-v2-400g}",
		"fabric: {preset: infiniband-ndr, ib: {vls: 16}}",
		"workload: {sizes: {from: 1KiB, to: 1MiB, by: 2}}",
		"run: {seed: -1}",
	} {
		if _, err := Decode("test.yaml", []byte(text)); err == nil {
			t.Errorf("Decode accepts %q", text)
		}
		if err := validate(t, text); err == nil {
			t.Errorf("the schema accepts %q", text)
		}
	}
}

package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"weft/units"
)

// MarshalYAML prints the scenario for --print-scenario: every number, in the order of the types,
// each exact. Sections that do not apply are left out.
func (r *Resolved) MarshalYAML() ([]byte, error) {
	var b bytes.Buffer
	writeFields(&b, reflect.ValueOf(*r), "")
	return b.Bytes(), nil
}

// writeFields prints the fields of a struct, each on its own line or block.
func writeFields(b *bytes.Buffer, v reflect.Value, indent string) {
	if c, ok := v.Interface().(CC); ok {
		defer writeParameters(b, &c, indent)
	}
	for i := range v.NumField() {
		if yamlName(v.Type().Field(i)) == "" {
			continue
		}
		f, tag := v.Field(i), v.Type().Field(i).Tag.Get("yaml")
		section := f.Kind() == reflect.Struct && f.Type() != ratioType
		if f.IsZero() && (section || strings.HasSuffix(tag, ",omitzero")) {
			continue
		}
		fmt.Fprintf(b, "%s%s:", indent, yamlName(v.Type().Field(i)))
		switch {
		case section:
			b.WriteByte('\n')
			writeFields(b, f, indent+"  ")
		case f.Kind() == reflect.Slice && f.Type() == reflect.TypeFor[[]Fabric]():
			b.WriteByte('\n')
			for j := range f.Len() {
				var item bytes.Buffer
				writeFields(&item, f.Index(j), indent+"    ")
				text := item.String()
				fmt.Fprintf(b, "%s  - %s", indent, strings.TrimPrefix(text, indent+"    "))
			}
		default:
			fmt.Fprintf(b, " %s\n", flow(f, false))
		}
	}
}

// writeParameters prints the parameters of a congestion control, each on its own line.
func writeParameters(b *bytes.Buffer, c *CC, indent string) {
	if control := ControlOf(c); control != nil {
		for _, p := range control.Parameters {
			fmt.Fprintf(b, "%s%s: %s\n", indent, p.Name, flow(c.field(p.Name), false))
		}
	}
}

// flow prints a value within a line. A sparse value leaves out zero fields.
func flow(v reflect.Value, sparse bool) string {
	switch {
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = flow(v.Index(i), sparse)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.Kind() == reflect.Struct && v.Type() != ratioType:
		var items []string
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if yamlName(f) == "" || v.Field(i).IsZero() && (sparse || strings.HasSuffix(f.Tag.Get("yaml"), ",omitzero")) {
				continue
			}
			items = append(items, yamlName(f)+": "+flow(v.Field(i), sparse))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case v.Kind() == reflect.String && choices(v.Type()) == nil:
		return quoted(v.String())
	}
	return writeScalar(v)
}

// writeScalar prints a value in the form that readScalar reads.
func writeScalar(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case units.Time:
		if x == units.Forever {
			return "forever"
		}
		return x.Exact()
	case interface{ Exact() string }:
		return x.Exact()
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return v.String()
}

// quoted prints a text, in quotes unless every reader of YAML takes it as a plain word.
func quoted(s string) string {
	plain := s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
	for i := 0; plain && i < len(s); i++ {
		c := s[i]
		plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		plain = false
	}
	if plain {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

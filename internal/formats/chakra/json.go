package chakra

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// A trace in JSON has one of two forms: of Chakra's feeder, an object whose workload_graph lists
// the nodes; or of Chakra's jsonizer, protobuf's JSON of each message, one after another.
var (
	feederHead   = regexp.MustCompile(`^\s*\{(?s:.*)"workload_graph"\s*:`)
	jsonizerHead = regexp.MustCompile(`^\s*\{\s*("version"\s*:\s*"[^"]*"\s*)?\}?\s*(\{\s*"(id|name|type)"\s*:|,\s*"attr"\s*:)`)
)

func recogniseJSON(head []byte) bool {
	return feederHead.Match(head) || jsonizerHead.Match(head)
}

// readJSON reads a trace in JSON; it keeps the part before a problem.
func readJSON(f source.File) (*trace, *source.Problem) {
	t := &trace{name: f.Name, listed: make(map[string][]int32)}
	d := json.NewDecoder(io.LimitReader(f.Reader, maxJSON))
	d.UseNumber()
	err := t.decodeJSON(d)
	if err == nil {
		return t, nil
	}
	return t, &source.Problem{File: f.Name, Offset: d.InputOffset(), Binary: true, Want: "a trace of Chakra in JSON: " + err.Error()}
}

// decodeJSON reads the objects of a file. Nodes are the objects of a feeder's workload_graph, and
// all objects of a jsonizer's file but the first.
func (t *trace) decodeJSON(d *json.Decoder) error {
	for first := true; ; first = false {
		if err := expect(d, '{'); errors.Is(err, io.EOF) && !first {
			return nil
		} else if err != nil {
			return err
		}
		fields := make(map[string]json.RawMessage)
		at := d.InputOffset()
		for d.More() {
			key, err := name(d)
			if err != nil {
				return err
			}
			if key == "workload_graph" && first {
				if err := t.graphJSON(d); err != nil {
					return err
				}
				continue
			}
			var v json.RawMessage
			if err := d.Decode(&v); err != nil {
				return err
			}
			fields[key] = v
		}
		if err := expect(d, '}'); err != nil {
			return err
		}
		if _, node := fields["id"]; node {
			if err := t.addJSON(fields, at); err != nil {
				return err
			}
		}
	}
}

// graphJSON reads a list of nodes.
func (t *trace) graphJSON(d *json.Decoder) error {
	t.calls = true // the feeder of this form reads data dependencies alone
	if err := expect(d, '['); err != nil {
		return err
	}
	for d.More() {
		at := d.InputOffset()
		var fields map[string]json.RawMessage
		if err := d.Decode(&fields); err != nil {
			return err
		}
		if err := t.addJSON(fields, at); err != nil {
			return err
		}
	}
	return expect(d, ']')
}

func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %q is expected", got, want)
	}
	return err
}

// name reads the name of a field.
func name(d *json.Decoder) (string, error) {
	token, err := d.Token()
	text, ok := token.(string)
	if err == nil && !ok {
		err = fmt.Errorf("%v where the name of a field is expected", token)
	}
	return text, err
}

// nodeTypes are the names of protobuf's JSON.
var nodeTypes = map[string]nodeType{
	"METADATA_NODE": metadataNode, "MEM_LOAD_NODE": memLoadNode, "MEM_STORE_NODE": memStoreNode, "COMP_NODE": computeNode,
	"COMM_SEND_NODE": sendNode, "COMM_RECV_NODE": recvNode, "COMM_COLL_NODE": collNode,
}

// addJSON adds a node of either form. Fields that a node does not have become attributes.
func (t *trace) addJSON(fields map[string]json.RawMessage, at int64) error {
	if len(t.nodes) == workload.MaxOps {
		return fmt.Errorf("more than %d nodes", workload.MaxOps)
	}
	x := node{attrs: make(map[string]value), offset: at}
	given := false
	for key, raw := range fields {
		var err error
		switch key {
		case "Id", "id":
			given = true
			err = number(raw, &x.id)
		case "Name", "name":
			err = json.Unmarshal(raw, &x.name)
		case "NodeType", "type":
			err = x.typeJSON(raw)
		case "ctrlDeps", "ctrl_deps":
			err = numbers(raw, &x.control)
		case "data_deps", "dataDeps":
			err = numbers(raw, &x.data)
		case "runtime", "durationMicros":
			err = number(raw, &x.duration)
		case "inputs":
			var in struct {
				Values string `json:"values"`
			}
			err = json.Unmarshal(raw, &in)
			x.values = in.Values
		case "attr":
			err = x.attributesJSON(raw)
		default:
			x.attrs[key] = valueJSON(raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if !given {
		return errors.New("a node without an id")
	}
	t.add(x)
	return nil
}

// typeJSON is a node's type: a number, or a name.
func (x *node) typeJSON(raw json.RawMessage) error {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		kind, known := nodeTypes[name]
		if !known && name != "INVALID_NODE" {
			return fmt.Errorf("there is no type %s", name)
		}
		x.kind = kind
		return nil
	}
	var n uint64
	err := number(raw, &n)
	x.kind = nodeType(n)
	return err
}

// attributesJSON reads attributes in protobuf's JSON: a name, and the value by its type.
func (x *node) attributesJSON(raw json.RawMessage) error {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, a := range list {
		var name string
		if err := json.Unmarshal(a["name"], &name); err != nil {
			return fmt.Errorf("an attribute without a name")
		}
		for key, raw := range a {
			if key == "boolList" {
				var flags struct {
					Values []bool `json:"values"`
				}
				if err := json.Unmarshal(raw, &flags); err != nil {
					return err
				}
				x.attrs[name] = value{flags: flags.Values}
			} else if key != "name" && key != "docString" {
				x.attrs[name] = valueJSON(raw)
			}
		}
		if _, has := x.attrs[name]; !has { // protobuf omits zeros
			x.attrs[name] = value{}
		}
	}
	return nil
}

// valueJSON is an attribute's value: 64-bit integers are strings in protobuf's JSON.
func valueJSON(raw json.RawMessage) (v value) {
	var flags []bool
	switch text := string(bytes.Trim(raw, `"`)); {
	case text == "true":
		v.number = 1
	case json.Unmarshal(raw, &flags) == nil:
		v.flags = flags
	default:
		if json.Unmarshal(raw, &v.text) != nil {
			v.text = ""
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			if v.number = -1; f >= 0 && f <= maxNumber { // otherwise not a count
				v.number = int64(f)
			}
		}
	}
	return v
}

// number reads an integer, or a string with an integer.
func number(raw json.RawMessage, to *uint64) (err error) {
	*to, err = strconv.ParseUint(string(bytes.Trim(raw, `"`)), 10, 64)
	return err
}

// numbers reads a list of such.
func numbers(raw json.RawMessage, to *[]uint64) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, r := range list {
		var n uint64
		if err := number(r, &n); err != nil {
			return err
		}
		*to = append(*to, n)
	}
	return nil
}

package chakra

import (
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// nodeType is the kind of a node; the numbers are the schema's.
type nodeType uint64

const (
	invalidNode  nodeType = 0
	metadataNode nodeType = 1
	memLoadNode  nodeType = 2
	memStoreNode nodeType = 3
	computeNode  nodeType = 4
	sendNode     nodeType = 5
	recvNode     nodeType = 6
	collNode     nodeType = 7
)

// node holds the used fields of a message Node.
type node struct {
	id       uint64
	name     string
	kind     nodeType
	control  []uint64 // the ids of nodes that it depends on
	data     []uint64
	duration uint64 // microseconds
	values   string // of its inputs
	attrs    map[string]value
	offset   int64 // of the message in the file
}

// value is the value of an attribute: a number or a string, or flags for a list of booleans.
type value struct {
	number int64
	text   string
	flags  []bool
}

// errWire is the error for a message that does not follow the schema.
var errWire = errors.New("not a message of the schema")

// fields calls f with each field of a message: n is the value of a varint or fixed
// field, b the bytes of any other.
func fields(message []byte, f func(number protowire.Number, kind protowire.Type, n uint64, b []byte) error) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return errWire
		}
		message = message[size:]
		var n uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(message)
			n = uint64(v)
		case protowire.Fixed64Type:
			n, size = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(message)
		default:
			return errWire
		}
		if size < 0 {
			return errWire
		}
		message = message[size:]
		if err := f(number, kind, n, b); err != nil {
			return err
		}
	}
	return nil
}

// metadata checks a message GlobalMetadata and returns its version.
func metadata(message []byte) (version string, err error) {
	err = fields(message, func(number protowire.Number, kind protowire.Type, _ uint64, b []byte) error {
		if number > 2 || kind != protowire.BytesType {
			return errWire
		}
		if number == 1 {
			version = string(b)
		}
		return nil
	})
	return version, err
}

// decodeNode reads a message Node.
func decodeNode(message []byte) (x node, err error) {
	x.attrs = make(map[string]value)
	err = fields(message, func(number protowire.Number, kind protowire.Type, n uint64, b []byte) error {
		switch {
		case number == 1 && kind == protowire.VarintType:
			x.id = n
		case number == 2 && kind == protowire.BytesType:
			x.name = string(b)
		case number == 3 && kind == protowire.VarintType:
			x.kind = nodeType(n)
		case number == 4:
			return repeated(&x.control, kind, n, b)
		case number == 5:
			return repeated(&x.data, kind, n, b)
		case number == 7 && kind == protowire.VarintType:
			x.duration = n
		case number == 8 && kind == protowire.BytesType:
			return fields(b, func(number protowire.Number, _ protowire.Type, _ uint64, b []byte) error {
				if number == 1 {
					x.values = string(b)
				}
				return nil
			})
		case number == 10 && kind == protowire.BytesType:
			name, v, err := attribute(b)
			x.attrs[name] = v
			return err
		case number <= 5 || number == 7 || number == 8 || number == 10:
			return errWire
		}
		return nil
	})
	return x, err
}

// repeated reads an element of a list of varints, or a packed list.
func repeated(to *[]uint64, kind protowire.Type, n uint64, b []byte) error {
	if kind == protowire.VarintType {
		*to = append(*to, n)
		return nil
	}
	if kind != protowire.BytesType {
		return errWire
	}
	for len(b) > 0 {
		v, size := protowire.ConsumeVarint(b)
		if size < 0 {
			return errWire
		}
		*to = append(*to, v)
		b = b[size:]
	}
	return nil
}

// attribute reads a message AttributeProto. The numbers of its fields tell the types
// of values.
func attribute(message []byte) (name string, v value, err error) {
	err = fields(message, func(number protowire.Number, kind protowire.Type, n uint64, b []byte) error {
		switch number {
		case 1:
			name = string(b)
		case 3, 5: // double, float
			f := math.Float64frombits(n)
			if kind == protowire.Fixed32Type {
				f = float64(math.Float32frombits(uint32(n)))
			}
			if v.number = -1; f >= 0 && f <= maxNumber { // otherwise not a count
				v.number = int64(f)
			}
		case 7, 9, 11, 13, 21, 25, 27: // plain integers and bool
			v.number = int64(n)
		case 19, 23:
			v.number = int64(int32(n))
		case 15, 17:
			v.number = protowire.DecodeZigZag(n)
		case 28:
			return flags(&v, b)
		case 29:
			v.text = string(b)
		}
		return nil
	})
	return name, v, err
}

// flags reads a message BoolList.
func flags(v *value, message []byte) error {
	var list []uint64
	err := fields(message, func(number protowire.Number, kind protowire.Type, n uint64, b []byte) error {
		if number != 1 {
			return nil
		}
		return repeated(&list, kind, n, b)
	})
	for _, n := range list {
		v.flags = append(v.flags, n != 0)
	}
	return err
}

package state

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe" //nolint:depguard // fields that are not exported are visited at their offsets

	"weft/units"
)

// walker is a type that visits itself.
type walker interface{ WalkState(w *Walk) }

// plan is how the fields of a type are visited.
type plan []step

// step visits one field, or one variable of a type that is no struct.
type step struct {
	name   string
	offset uintptr
	visit  func(w *Walk, p unsafe.Pointer)
}

func (l *plan) visit(w *Walk, p unsafe.Pointer) {
	for i := range *l {
		s := &(*l)[i]
		if w.differ {
			return
		}
		w.name = s.name
		s.visit(w, unsafe.Add(p, s.offset))
	}
}

// kinds are the plans of types, each made once.
type kinds struct {
	mu   sync.Mutex
	made map[reflect.Type]*plan
}

var (
	values kinds // of variables
	fields kinds // of structs by their fields, also of those that visit themselves
)

// of is the plan of a type. It panics on a type that cannot be visited, which only code can choose.
func (k *kinds) of(t reflect.Type, plans func() plan) *plan {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known := k.made[t]; known != nil {
		return known
	}
	if k.made == nil {
		k.made = map[reflect.Type]*plan{}
	}
	own := plans() // what pointers lead to is planned at the first visit: types refer to themselves
	k.made[t] = &own
	return &own
}

func planOf(t reflect.Type) *plan {
	return values.of(t, func() plan { return fieldsOf(t, t.String(), 0, "") })
}

func fieldPlan(t reflect.Type) *plan {
	return fields.of(t, func() plan { return structOf(t, t.String(), 0) })
}

var (
	timeType   = reflect.TypeFor[units.Time]()
	psnType    = reflect.TypeFor[units.PSN]()
	walkerType = reflect.TypeFor[walker]()
)

// psnBits is the length of the sequence numbers of packets and of messages.
const psnBits = 24

// messages makes of the group of a connection's packet numbers that of its message numbers.
const messages Group = 1 << 63

// payload makes of it that of the bytes of its messages.
const payload Group = 1 << 56

// fieldsOf are the steps for a variable of a type at an offset, with a tag.
func fieldsOf(t reflect.Type, name string, offset uintptr, tag string) plan {
	one := func(visit func(w *Walk, p unsafe.Pointer)) plan { return plan{{name, offset, visit}} }
	switch {
	case tag == "-":
		return nil
	case tag == "until" && t == timeType:
		return one(func(w *Walk, p unsafe.Pointer) { w.Until((*units.Time)(p)) })
	case tag == "idle" && t == timeType:
		return one(func(w *Walk, p unsafe.Pointer) { w.unused((*units.Time)(p)) })
	case tag == "bound" && t == timeType:
		return one(func(w *Walk, p unsafe.Pointer) { w.Bound((*units.Time)(p)) })
	case tag == "count" && t.Kind() == reflect.Int64: // also of a time
		return one(func(w *Walk, p unsafe.Pointer) { w.Count((*int64)(p)) })
	case t == timeType && tag != "fixed":
		return one(func(w *Walk, p unsafe.Pointer) { w.Time((*units.Time)(p)) })
	case tag == "number" && t.Kind() == reflect.Uint32:
		return one(func(w *Walk, p unsafe.Pointer) { w.sequence(w.Group|messages, (*uint32)(p)) })
	case tag == "bytes" && t.Kind() == reflect.Uint32:
		return one(func(w *Walk, p unsafe.Pointer) { w.Bytes(w.Group|payload, (*uint32)(p)) })
	case t == psnType && tag != "fixed":
		return one(func(w *Walk, p unsafe.Pointer) { w.sequence(w.Group, (*uint32)(p)) })
	case walks(t):
		return one(func(w *Walk, p unsafe.Pointer) {
			if own, ok := reflect.NewAt(t, p).Interface().(walker); ok {
				own.WalkState(w)
			}
		})
	}
	switch t.Kind() {
	case reflect.Struct:
		return structOf(t, name, offset)
	case reflect.Array:
		var all plan
		for i := range t.Len() {
			all = append(all, fieldsOf(t.Elem(), name, offset+uintptr(i)*t.Elem().Size(), tag)...)
		}
		return all
	case reflect.Slice:
		return one(sliceOf(t, name, tag))
	case reflect.Pointer:
		return one(pointerTo(t.Elem()))
	case reflect.Interface:
		return one(interfaceOf(t))
	}
	return one(valueOf(t, name))
}

// walks reports whether a type visits itself. A struct has the method of a type that it embeds, which does not
// visit the struct: such a struct is visited by its fields.
func walks(t reflect.Type) bool {
	if !reflect.PointerTo(t).Implements(walkerType) {
		return false
	}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if f := t.Field(i); f.Anonymous && reflect.PointerTo(f.Type).Implements(walkerType) {
			return false
		}
	}
	return true
}

// structOf are the steps of the fields of a struct.
func structOf(t reflect.Type, name string, offset uintptr) (all plan) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		all = append(all, fieldsOf(f.Type, name+"."+f.Name, offset+f.Offset, f.Tag.Get("state"))...)
	}
	return all
}

// valueOf visits a number, a boolean or a string. Other kinds need a tag, or a method WalkState.
func valueOf(t reflect.Type, name string) func(w *Walk, p unsafe.Pointer) {
	switch {
	case t.Kind() == reflect.String:
		return func(w *Walk, p unsafe.Pointer) {
			s := *(*string)(p)
			w.Word(uint64(len(s)))
			for i := range len(s) {
				w.Word(uint64(s[i]))
			}
		}
	case t.Kind() > reflect.Float64 || t.Kind() == reflect.Uintptr:
		panic(fmt.Sprintf("state: %s is a %v: it needs a tag, or a method WalkState of its type", name, t))
	}
	switch t.Size() {
	case 1:
		return func(w *Walk, p unsafe.Pointer) { w.Word(uint64(*(*uint8)(p))) }
	case 2:
		return func(w *Walk, p unsafe.Pointer) { w.Word(uint64(*(*uint16)(p))) }
	case 4:
		return func(w *Walk, p unsafe.Pointer) { w.Word(uint64(*(*uint32)(p))) }
	}
	return func(w *Walk, p unsafe.Pointer) { w.Word(*(*uint64)(p)) }
}

// sliceOf visits the elements of a slice, each with the slice's tag.
func sliceOf(t reflect.Type, name, tag string) func(w *Walk, p unsafe.Pointer) {
	elem, size := t.Elem(), t.Elem().Size()
	var each *plan
	var once sync.Once
	return func(w *Walk, p unsafe.Pointer) {
		once.Do(func() { // not before: the element may contain the slice
			own := fieldsOf(elem, name, 0, tag)
			each = &own
		})
		v := (*[]byte)(p) // the header of any slice
		n := len(*v)
		w.Word(uint64(n))
		first := unsafe.Pointer(unsafe.SliceData(*v))
		for i := range n {
			if w.differ {
				return
			}
			each.visit(w, unsafe.Add(first, uintptr(i)*size))
		}
	}
}

// pointerTo visits what a pointer points to, if that has not been visited.
func pointerTo(t reflect.Type) func(w *Walk, p unsafe.Pointer) {
	return func(w *Walk, p unsafe.Pointer) {
		if to := *(*unsafe.Pointer)(p); w.once(to) {
			planOf(t).visit(w, to)
		}
	}
}

// interfaceOf visits the variable behind an interface, which must be a pointer or nil.
func interfaceOf(t reflect.Type) func(w *Walk, p unsafe.Pointer) {
	return func(w *Walk, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			w.Word(0)
			return
		}
		if v = v.Elem(); v.Kind() != reflect.Pointer {
			w.Refuse(v.Type().String())
			return
		}
		if w.once(v.UnsafePointer()) {
			planOf(v.Type().Elem()).visit(w, v.UnsafePointer())
		}
	}
}

//go:build cgo && linux

package main

import "sync"

// ownerTable finds the C object of an object of package verbs, for events.
type ownerTable struct{ m sync.Map }

var owners ownerTable

func (t *ownerTable) add(v any, c uintptr) { t.m.Store(v, c) }

func (t *ownerTable) remove(v any) { t.m.Delete(v) }

// of is the C object; 0 if it is gone.
func (t *ownerTable) of(v any) uintptr {
	c, _ := t.m.Load(v)
	p, _ := c.(uintptr)
	return p
}

//go:build cgo && linux

package main

import "sync"

// owner is the C object of an object of package verbs, and the pipe of its context's events.
type owner struct {
	object uintptr
	events int
}

// ownerTable finds the owners of objects.
type ownerTable struct {
	m       sync.Map
	telling sync.Mutex // of an owner's event: none is written once its object is removed
}

var owners ownerTable

func (t *ownerTable) add(v any, o owner) { t.m.Store(v, o) }

func (t *ownerTable) remove(v any) {
	t.telling.Lock()
	defer t.telling.Unlock()
	t.m.Delete(v)
}

// of is the owner; false if the object is gone.
func (t *ownerTable) of(v any) (owner, bool) {
	c, _ := t.m.Load(v)
	o, ok := c.(owner)
	return o, ok
}

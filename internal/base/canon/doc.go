// Package canon writes a value as bytes, and reads it back. Equal values of a type have equal bytes, and
// different values have different bytes, so that a digest of the bytes identifies the value.
//
// Every field of a struct is written, also the unexported ones: a field that is added later is in the bytes
// without anybody thinking of it. A map is written in the order of its keys' bytes. A slice that is nil
// differs from an empty one, and -0 from 0. A value in an interface comes with the name of its type. The
// bytes do not say the type of the value itself: who compares bytes of several types writes that in front.
//
// A channel or a function has no bytes. A value that contains itself has no end.
//
// What Append writes, Decode reads, except unexported fields and interfaces. Decode is for bytes whose
// digest was checked: it finds a cut or a surplus, not a changed number.
package canon

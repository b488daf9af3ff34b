// Package packed reads files that may be compressed: by gzip, by xz, or not at all. It looks at the first bytes, not at
// the name.
package packed

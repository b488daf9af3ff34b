// Package packed reads files that may be compressed, by gzip, by xz, or not at all, and texts in UTF-8 or UTF-16. It looks
// at the first bytes, not at the name.
package packed

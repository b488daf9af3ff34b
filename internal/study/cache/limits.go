package cache

import "time"

const (
	// MaxBytes bounds the file: some 200,000 results of 5 KB, more than a study of weeks has.
	MaxBytes = 1 << 30
	// maxEntry bounds a result with its recipe, so that one does not push out many.
	maxEntry = MaxBytes / 64
	// evictEvery is the number of bytes that a process adds before it looks at the size.
	evictEvery = MaxBytes / 64
	// usedWithin is how exactly the last use is known: a hit is no write as a rule.
	usedWithin = time.Hour
	// busy is how long a process waits for another one that writes. A write takes a millisecond; the
	// longest of eight processes was a third of a second.
	busy = 5 * time.Second
)

package cache

import "time"

const (
	// MaxBytes bounds the folder: some 100,000 results of 5 KB, more than a study of weeks has.
	MaxBytes = 1 << 30
	// maxEntry bounds a result with its recipe, so that one does not push out many.
	maxEntry = MaxBytes / 64
	// evictEvery is the number of bytes that all processes add before one looks at the size.
	evictEvery = MaxBytes / 64
	// usedWithin is how exactly the last use is known: a hit is no write as a rule.
	usedWithin = time.Hour
)

package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// addTimeOps adds what Intl needs to know of time zones.
func (p *Primitives) addTimeOps(ops map[string]operation) {
	ops["node.time.zone"] = op(func(_ context.Context, a struct {
		Zone string
		Ms   float64
	},
	) (any, error) {
		zone, err := loadZone(a.Zone)
		if err != nil {
			return nil, &Error{Name: "RangeError", Message: "Invalid time zone specified: " + a.Zone}
		}
		name, seconds := time.UnixMilli(int64(a.Ms)).In(zone).Zone()
		if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
			name = offsetName(seconds)
		}
		return map[string]any{"offset": seconds / 60, "name": name}, nil
	})
	ops["node.time.local"] = op(func(context.Context, struct{}) (any, error) { return localZone(), nil })
}

// loadZone reads a zone of the IANA database. Names with dots or a leading
// slash are not names but paths.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("no zone %q", name)
	}
	return time.LoadLocation(name)
}

func offsetName(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	if seconds%3600 == 0 {
		return fmt.Sprintf("GMT%c%d", sign, seconds/3600)
	}
	return fmt.Sprintf("GMT%c%d:%02d", sign, seconds/3600, seconds%3600/60)
}

// localZone is the name of the machine's zone, as far as it can be found.
func localZone() string {
	if name := os.Getenv("TZ"); name != "" {
		if _, err := loadZone(strings.TrimPrefix(name, ":")); err == nil {
			return strings.TrimPrefix(name, ":")
		}
	}
	if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(target), "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}

package plugin

import (
	"context"
	"slices"
)

// RemoveOptions says what to remove.
type RemoveOptions struct {
	Global   bool // from the home directory instead of the project
	Progress func(Progress)
}

// Remove removes plugins with their records. When one of the names is not
// installed at that location it gives a [*NotInstalledError] and removes
// nothing. It gives the directories it removed.
func (s *Store) Remove(ctx context.Context, names []string, o RemoveOptions) ([]string, error) {
	wanted, err := parseNames(names)
	if err != nil {
		return nil, err
	}
	location := Local
	if o.Global {
		location = Global
	}
	plans, err := s.whereInstalled(ctx, wanted, location)
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, p := range plans {
		if err := s.removeOne(ctx, p, o); err != nil {
			return removed, err
		}
		removed = append(removed, p.area.path(p.name))
	}
	return removed, nil
}

type removal struct {
	area area
	name Name
}

// whereInstalled finds every name in the areas of a location.
func (s *Store) whereInstalled(ctx context.Context, wanted []Name, location Location) ([]removal, error) {
	found := make(map[Name]bool)
	elsewhere := make(map[Name]Location)
	var plans []removal
	for _, a := range s.areas() {
		if err := s.settle(ctx, a); err != nil {
			return nil, err
		}
		lock, err := readLock(a.lockPath())
		if err != nil {
			return nil, err
		}
		there := a.all(lock)
		for _, n := range wanted {
			switch {
			case !slices.Contains(there, n):
			case a.location != location:
				elsewhere[n] = a.location
			default:
				found[n] = true
				plans = append(plans, removal{a, n})
			}
		}
	}
	if missing := without(wanted, found); len(missing) > 0 {
		e := &NotInstalledError{Names: missing, Location: location}
		if n, err := ParseName(missing[0]); err == nil {
			e.Elsewhere = string(elsewhere[n])
		}
		return nil, e
	}
	return plans, nil
}

func (s *Store) removeOne(ctx context.Context, p removal, o RemoveOptions) (err error) {
	if err := p.area.safe(); err != nil {
		return err
	}
	release, err := acquire(ctx, p.area.plugins(), "plugin remove "+p.name.String(), func(holder string) {
		if o.Progress != nil {
			o.Progress(Progress{Plugin: p.name.String(), Stage: StageWait, Detail: holder})
		}
	})
	if err != nil {
		return err
	}
	defer release()
	if err := s.sweep(ctx, p.area); err != nil {
		return err
	}
	staging, err := s.newStaging(p.area.plugins())
	if err != nil {
		return err
	}
	defer func() { err = s.discard(staging, err) }()
	return s.commitRemove(p.area, staging, p.name)
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/host"
)

// maxRooms bounds how many sessions have hooks loaded at once: of more, the one that was
// not asked for longest is loaded anew when it is.
const maxRooms = 32

// Rooms keep the hooks of sessions loaded between their events. Open is for a Bridge.
type Rooms struct {
	// Load loads the hooks for a call, and Project is the directory that tells the projects
	// of calls apart.
	Load    func(ctx context.Context, c *Call) (*host.Host, error)
	Project func(c *Call) string
	Problem func(error)

	mu    sync.Mutex
	rooms map[roomKey]*room
}

type roomKey struct{ host, project, session string }

type room struct {
	load  sync.Mutex // one load or look at the files at a time
	hooks *host.Host
	users int
	asked time.Time
	ended bool // with the session: the last user closes it
}

// Open returns the hooks of a call's session, as the files are now.
func (r *Rooms) Open(ctx context.Context, c *Call, session string) (*host.Host, func(), error) {
	key := roomKey{c.Host, r.Project(c), session}
	one := r.enter(key)
	leave := func() { r.leave(key, one, c.Event) }
	one.load.Lock()
	defer one.load.Unlock()
	if one.hooks != nil {
		if err := one.hooks.Refresh(ctx); err != nil {
			leave()
			return nil, nil, fmt.Errorf("take up changed files: %w", err)
		}
		return one.hooks, leave, nil
	}
	hooks, err := r.Load(ctx, c)
	if err != nil {
		leave()
		return nil, nil, err
	}
	one.hooks = hooks
	return hooks, leave, nil
}

func (r *Rooms) enter(key roomKey) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.rooms[key]
	if one == nil || one.ended {
		one = &room{}
		if r.rooms == nil {
			r.rooms = map[roomKey]*room{}
		}
		r.rooms[key] = one
	}
	one.users++
	one.asked = time.Now()
	return one
}

// leave gives a room back. It goes with its session, and when there are too many.
func (r *Rooms) leave(key roomKey, one *room, event string) {
	r.mu.Lock()
	one.users--
	one.asked = time.Now()
	one.ended = one.ended || event == "SessionEnd"
	var closed []*room
	if one.ended && one.users == 0 {
		closed = append(closed, one)
		if r.rooms[key] == one {
			delete(r.rooms, key)
		}
	}
	for len(r.rooms) > maxRooms {
		var oldest roomKey
		var of *room
		for k, other := range r.rooms {
			if other.users == 0 && (of == nil || other.asked.Before(of.asked)) {
				oldest, of = k, other
			}
		}
		if of == nil {
			break // all are in use
		}
		delete(r.rooms, oldest)
		closed = append(closed, of)
	}
	r.mu.Unlock()
	for _, c := range closed {
		r.problem(c.close())
	}
}

func (o *room) close() error {
	if o.hooks == nil {
		return nil
	}
	return o.hooks.Close()
}

// Close ends all rooms. Nobody must be in one.
func (r *Rooms) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, one := range r.rooms {
		errs = append(errs, one.close())
	}
	r.rooms = nil
	return errors.Join(errs...)
}

func (r *Rooms) problem(err error) {
	if err != nil && r.Problem != nil {
		r.Problem(err)
	}
}

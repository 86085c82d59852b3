package modulehost

// WatchDialog tells hooks that a module waits for the person, and when it does not any
// more. One that begins while another is open is not told.
func (h *Host) WatchDialog(kind, title string) (end func()) {
	a, err := h.agent()
	if err != nil {
		return func() {}
	}
	h.mu.Lock()
	h.dialogs++
	outer := h.dialogs == 1
	if outer {
		h.dialog = [2]string{kind, title}
	}
	h.mu.Unlock()
	if outer {
		a.DialogStarted(kind, title)
	}
	return func() {
		h.mu.Lock()
		h.dialogs--
		last, was := h.dialogs == 0, h.dialog
		h.mu.Unlock()
		if last {
			a.DialogEnded(was[0], was[1])
		}
	}
}

package session

import "slices"

// AddPending stores context for the next model call. It stays pending, also
// across a crash, until an entry says that it was delivered.
func (s *Session) AddPending(text, source string) (Entry, error) {
	return s.Append(Entry{Type: PendingContext, Text: text, Source: source})
}

// Pending returns the context that was not delivered yet, oldest first.
func (s *Session) Pending() []Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.pending)
}

// Consume records that pending context was delivered, where no other entry is
// there to carry the record: prefer Entry.Consumed on the model's answer. It
// returns ErrConsumed when one of the ids was delivered before, and then records
// nothing.
func (s *Session) Consume(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.Append(Entry{Type: PendingConsumed, Consumed: ids})
	return err
}

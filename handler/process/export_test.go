package process

// WithoutPump returns the spec for a run that reads as systems do on which the
// waiting thread cannot.
func (s Spec) WithoutPump() Spec {
	s.noPump = true
	return s
}

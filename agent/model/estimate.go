package model

// EstimateTokens guesses how many tokens messages take, at four bytes a token
// and a fixed number for an image. It is meant for the time between two answers
// of a provider, whose Usage is exact.
func EstimateTokens(msgs ...Message) int64 {
	const bytesPerToken, imageTokens = 4, 1500
	var bytes, images int64
	for _, m := range msgs {
		b, i := blocksSize(m.Content)
		bytes, images = bytes+b, images+i
	}
	return (bytes+bytesPerToken-1)/bytesPerToken + images*imageTokens
}

// pageBytes is about what a page of a document takes, which models see as an image.
const pageBytes = 100 << 10

// Size is about how many bytes the JSON of the message has.
func (m Message) Size() int { return jsonSize(m.Content) }

func jsonSize(blocks []Block) (n int) {
	for _, b := range blocks {
		n += 128 + len(b.Text) + len(b.Thinking) + len(b.Signature) + len(b.Data) + len(b.Input) + len(b.Details) + jsonSize(b.Content)
		if b.Source != nil {
			n += len(b.Source.Data)
		}
	}
	return n
}

func blocksSize(blocks []Block) (bytes, images int64) {
	for _, b := range blocks {
		bytes += int64(len(b.Text) + len(b.Thinking) + len(b.Data) + len(b.Name) + len(b.Input))
		switch {
		case b.Type == ImageBlock:
			images++
		case b.Type == DocumentBlock && b.Source != nil:
			images += 1 + int64(len(b.Source.Data)/pageBytes)
		}
		inner, innerImages := blocksSize(b.Content)
		bytes, images = bytes+inner, images+innerImages
	}
	return bytes, images
}

package kodelet

var ErrNoType = errNoType

var SwapContext = swapContext

type UnknownBuiltinError = unknownBuiltinError

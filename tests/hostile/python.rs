//! TVMScript that is deep, long, or has every kind of value in every position.

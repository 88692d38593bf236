//! TVMScript that is deep, long, or has every kind of value in every position.

mod arguments;
mod captures;
mod forms;
mod lost;
mod run;
mod size;

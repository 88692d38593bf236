//! The reasons for which barriers cannot be placed, so that a function has no device code.

use rules::reasons;

reasons! {
    NESTING_TOO_DEEP = "nesting-too-deep",
        "Statements nest too deep for the placement of barriers, around launches, or for naga",
        "Split the function, or nest less deeply.";
    SHARED_HAZARD_IN_DIVERGENT_FLOW = "shared-hazard-in-divergent-flow",
        "Threads exchange shared memory where only some of them pass: no barrier can stand there",
        "Move the exchange out of the condition, or make the condition the same for all threads of a block.";
}

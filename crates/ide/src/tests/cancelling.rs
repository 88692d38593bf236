//! A change interrupts what is asked of older snapshots, and nothing hangs.

use std::{thread, time::Duration};

use super::{FILE, function, host};
use crate::{Cancelled, InlayHintsConfig};

fn large() -> String {
    let lines: String = (2..402).map(|it| format!("A[i * {it} + j] = B[i * {it} + j]\n")).collect();
    function(&lines)
}

#[test]
fn change_waits_for_snapshots_and_cancels_them() {
    let mut host = host("");
    let texts = [large(), large().replace("j]", "n]")];
    for round in 0..20 {
        host.open_file(FILE, syntax::parse(&texts[round % 2]));
        let analysis = host.analysis();
        let asking = thread::Builder::new()
            .stack_size(16 << 20)
            .spawn(move || analysis.inlay_hints(FILE, None, &InlayHintsConfig::default()))
            .unwrap();
        thread::sleep(Duration::from_micros(round as u64 * 200));
        host.open_file(FILE, syntax::parse(&texts[(round + 1) % 2]));
        // Whoever is not cancelled has seen a whole state.
        if let Ok(hints) = asking.join().unwrap() {
            assert_eq!(hints.len(), 400);
        }
    }
    let hints = host.analysis().inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
    assert_eq!(hints.len(), 400);
}

#[test]
fn token_cancels_one_snapshot_only() {
    let host = host(&large());
    let analysis = host.analysis();
    analysis.cancellation_token().cancel();
    let config = InlayHintsConfig::default();
    assert_eq!(analysis.inlay_hints(FILE, None, &config), Err(Cancelled));
    assert!(host.analysis().inlay_hints(FILE, None, &config).is_ok());
}

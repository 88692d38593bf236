//! Teams: the threads that execute a tile primitive together.
//!
//! In: the name of a call (`tile.warp.copy`, `Tx.cta.sum`). Out: its [`Team`]; without one in its name a thread
//! executes it alone. O(length of the name).

/// The threads that execute a tile primitive together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Team {
    /// Each thread on its own.
    Thread,
    /// The 32 threads of a warp.
    Warp,
    /// Four warps.
    Warpgroup,
    /// The threads of a block.
    Block,
    /// The blocks of a cluster.
    Cluster,
}

/// The spellings of teams.
const NAMES: [(&str, Team); 6] = [
    ("cluster", Team::Cluster),
    ("cta", Team::Block),
    ("thread", Team::Thread),
    ("warp", Team::Warp),
    ("warpgroup", Team::Warpgroup),
    ("wg", Team::Warpgroup),
];

impl Team {
    /// The team of a name.
    pub(crate) fn named(name: &str) -> Option<Team> {
        NAMES.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// The team in the name of a tile primitive.
    pub fn of_name(call: &str) -> Team {
        let mut parts = call.split('.').rev().skip(1);
        parts.find_map(Team::named).unwrap_or(Team::Thread)
    }
}

#[cfg(test)]
mod tests {
    use super::Team;

    #[test]
    fn the_team_stands_before_the_name() {
        for (call, team) in [
            ("tile.copy", Team::Thread),
            ("tile.cta.copy", Team::Block),
            ("T.warp.sum", Team::Warp),
            ("Tx.wg.add", Team::Warpgroup),
        ] {
            assert_eq!(Team::of_name(call), team, "{call}");
        }
    }
}

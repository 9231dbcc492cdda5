use crate::wire::{DecisionRequest, GameView, Tile};

/// Returns the legal action with the highest worth (the first of equals) and the reason. Replace it. The request has
/// everything that your seat may see, the legal actions, your seat, your clock, and the events since the last request
/// (proto/arena/wire/v1/bot.proto).
pub fn choose(request: &DecisionRequest) -> (String, String) {
    let view = request.view.as_ref().expect("a request has a view");
    let best = request
        .legal
        .iter()
        .rev() // max_by_key returns the last of equals
        .max_by_key(|action| worth(view, action))
        .expect("there is a legal action");
    (best.clone(), format!("worth {}", worth(view, best)))
}

/// Estimates the value of an action in points. The numbers are guesses: write better ones.
fn worth(view: &GameView, action: &str) -> i32 {
    let words: Vec<&str> = action.split(' ').collect();
    match words[..] {
        ["bid" | "build", number, ..] => number.parse().unwrap_or(0), // a later spot costs less
        ["take", name] => tile(view, name).map_or(0, meeples),        // more meeples reach further
        // A tile that nobody owns yet may become ours.
        ["drop", name, _] => tile(view, name).filter(|tile| tile.owner == 0).map_or(0, |tile| tile.value as i32),
        ["buy", ref cards @ ..] => 1 + cards.len() as i32,
        ["palm" | "palace" | "summon", ..] => 3,
        ["sell", ref goods @ ..] if goods.len() >= 4 => goods.len() as i32,
        ["sell", ..] => -2, // keep small sets until they are larger
        ["end" | "pass" | "spare" | "skip"] => -1,
        _ => 0,
    }
}

fn tile<'a>(view: &'a GameView, name: &str) -> Option<&'a Tile> {
    view.board.as_ref()?.tiles.iter().find(|tile| tile.name == name)
}

fn meeples(tile: &Tile) -> i32 {
    let group = tile.meeples.unwrap_or_default();
    (group.viziers + group.elders + group.merchants + group.builders + group.assassins + group.artisans) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Board, Meeples};

    #[test]
    fn takes_what_is_worth_most() {
        let tile = |name: &str, value, owner, meeples| Tile {
            name: name.into(),
            value,
            owner,
            meeples: Some(meeples),
            ..Default::default()
        };
        let tiles = vec![
            tile("A1", 6, 0, Meeples { elders: 2, ..Default::default() }),
            tile("B1", 8, 2, Meeples { builders: 1, ..Default::default() }),
            tile("C1", 4, 0, Meeples { viziers: 1, assassins: 2, ..Default::default() }),
        ];
        let view = GameView { board: Some(Board { tiles, ..Default::default() }), ..Default::default() };
        for (want, legal) in [
            ("bid 10", vec!["bid 10", "bid 2"]),
            ("take C1", vec!["take A1", "take B1", "take C1"]),
            ("drop A1 w", vec!["drop A1 w", "drop B1 w", "drop C1 w"]),
            ("build 3", vec!["build 0", "build 3"]),
            ("end", vec!["sell fish ivory", "end"]),
            ("use enki w A1", vec!["use enki w A1", "end"]),
            ("palm A1", vec!["palm A1", "palm A2 w"]),
        ] {
            let legal: Vec<String> = legal.into_iter().map(String::from).collect();
            let (action, why) = choose(&DecisionRequest { view: Some(view.clone()), legal, ..Default::default() });
            assert_eq!(action, want);
            assert!(why.starts_with("worth "));
        }
    }
}

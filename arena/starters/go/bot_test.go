package main

import (
	"testing"

	pb "mybot/gen/arena/wire/v1"
)

func TestChoose(t *testing.T) {
	view := &pb.GameView{Board: &pb.Board{Tiles: []*pb.Tile{
		{Name: "A1", Value: 6, Meeples: &pb.Meeples{Elders: 2}},
		{Name: "B1", Value: 8, Meeples: &pb.Meeples{Builders: 1}, Owner: 2},
		{Name: "C1", Value: 4, Meeples: &pb.Meeples{Viziers: 1, Assassins: 2}},
	}}}
	for want, legal := range map[string][]string{
		"bid 10":        {"bid 10", "bid 2"},
		"take C1":       {"take A1", "take B1", "take C1"},
		"drop A1 w":     {"drop A1 w", "drop B1 w", "drop C1 w"},
		"build 3":       {"build 0", "build 3"},
		"end":           {"sell fish ivory", "end"},
		"use enki w A1": {"use enki w A1", "end"},
	} {
		if action, why := choose(view, legal); action != want || why == "" {
			t.Errorf("of %q it takes %q (%s), not %q", legal, action, why, want)
		}
	}
}

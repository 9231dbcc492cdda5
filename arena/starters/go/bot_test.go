package main

import (
	"testing"

	pb "mybot/gen/arena/wire/v1"
)

func TestAddresses(t *testing.T) {
	for server, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", "localhost:1": "localhost:1", "[::1]:1": "[::1]:1",
		"https://arena.example.org:1": "arena.example.org:1", "http://arena.example.org:1": "arena.example.org:1",
		"unix:/run/arena.sock": "unix:/run/arena.sock",
		"arena.example.org:1": "", "localhost.example.org:1": "", "127.example.org:1": "",
	} {
		address, isTLS, err := parseServer(server)
		if (err != nil) != (want == "") || (err == nil && address != want) || isTLS != (server[:5] == "https") {
			t.Errorf("%s is %s, TLS %t, error %v", server, address, isTLS, err)
		}
	}
}

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
		if action, why := choose(&pb.DecisionRequest{View: view, Legal: legal}); action != want || why == "" {
			t.Errorf("of %q it takes %q (%s), not %q", legal, action, why, want)
		}
	}
}

package main

import (
	"slices"
	"strconv"
	"strings"

	pb "mybot/gen/arena/wire/v1"
)

// choose returns the legal action with the highest worth (the first of equals) and the reason. Replace it. The request has
// everything that your seat may see, the legal actions, your seat, your clock, and the events since the last request
// (proto/arena/wire/v1/bot.proto).
func choose(request *pb.DecisionRequest) (action, why string) {
	view, legal := request.GetView(), request.GetLegal()
	action = slices.MaxFunc(legal, func(a, b string) int { return worth(view, a) - worth(view, b) })
	return action, "worth " + strconv.Itoa(worth(view, action))
}

// worth estimates the value of an action in points. The numbers are guesses: write better ones.
func worth(view *pb.GameView, action string) int {
	words := strings.Fields(action)
	switch words[0] {
	case "bid": // a later spot costs less
		return number(words[1])
	case "take": // more meeples reach further
		return meeples(tile(view, words[1]).GetMeeples())
	case "drop": // a tile that nobody owns yet may become ours
		if t := tile(view, words[1]); t.GetOwner() == 0 {
			return int(t.GetValue())
		}
		return 0
	case "build":
		return number(words[1])
	case "buy":
		return len(words)
	case "palm", "palace", "summon":
		return 3
	case "sell": // keep small sets until they are larger
		if goods := len(words) - 1; goods >= 4 {
			return goods
		}
		return -2
	case "end", "pass", "spare", "skip":
		return -1
	}
	return 0
}

func tile(view *pb.GameView, name string) *pb.Tile {
	for _, t := range view.GetBoard().GetTiles() {
		if t.GetName() == name {
			return t
		}
	}
	return nil // the getters of a nil message return zero
}

func meeples(m *pb.Meeples) int {
	return int(m.GetViziers() + m.GetElders() + m.GetMerchants() + m.GetBuilders() + m.GetAssassins() + m.GetArtisans())
}

func number(word string) int {
	n, _ := strconv.Atoi(word)
	return n
}

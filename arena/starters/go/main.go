// A complete small bot for the Naqala arena. Write your own choose (bot.go); this file and client.go keep the stream
// alive and reconnect when it is lost.
package main

//go:generate go build -o bin/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
//go:generate mkdir -p gen
//go:generate protoc -I proto --plugin=bin/protoc-gen-go --plugin=bin/protoc-gen-go-grpc --go_out=gen --go_opt=paths=source_relative --go-grpc_out=gen --go-grpc_opt=paths=source_relative arena/wire/v1/game.proto arena/wire/v1/bot.proto

import (
	"cmp"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	host, _ := os.Hostname()
	address, isTLS, err := parseServer(cmp.Or(os.Getenv("ARENA_SERVER"), "127.0.0.1:50051"))
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	c := &client{
		address: address,
		isTLS:   isTLS,
		token:   os.Getenv("ARENA_TOKEN"),
		// It must be the same after a restart: token and process name together get the running matches back.
		process: cmp.Or(os.Getenv("ARENA_PROCESS"), host+"-go"),
		matches: map[string]*match{},
		decided: make(chan decision, 100),
		leave:   make(chan os.Signal, 1),
	}
	if c.token == "" {
		log.Print("set ARENA_TOKEN to the token from your bot's page")
		os.Exit(2)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		c.leave <- <-signals // the first one finishes the running matches
		<-signals            // the second one stops at once
		os.Exit(130)
	}()
	if err := c.run(); err != nil {
		log.Print("refused: ", err)
		os.Exit(1)
	}
}

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	pb "mybot/gen/arena/wire/v1"
)

const (
	version    = "1.0.0" // of your bot; each version is rated anew
	maxMatches = 4
	maxPause   = 30 * time.Second
	inPlay     = 2500 * time.Millisecond // maximum wait while matches are running
)

// Expansions that the bot plays; matches of five players need one of them.
var expansions = []string{"artisans", "whims"}

// Statuses after which a retry cannot help: the same hello would get the same answer.
var final = []codes.Code{codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument,
	codes.FailedPrecondition, codes.Unimplemented, codes.Aborted}

var errLeft = errors.New("left")

// Addresses of this machine: the only ones that are dialled without encryption unless http:// is written out.
var loopback = regexp.MustCompile(`^(localhost|127(\.\d+){3}|\[::1\]):\d+$`)

// In the sandbox of a hosted bot, the address is a Unix socket.
func isSocket(address string) bool { return strings.HasPrefix(address, "unix:/") }

// parseServer returns the host:port of an address, and whether it is dialled with TLS.
func parseServer(server string) (address string, isTLS bool, err error) {
	if isSocket(server) {
		return server, false, nil
	}
	if address, isTLS = strings.CutPrefix(server, "https://"); isTLS {
		return address, true, nil
	}
	address, isClear := strings.CutPrefix(server, "http://")
	if !isClear && !loopback.MatchString(address) {
		err = errors.New(server + " does not say whether to encrypt: write https://" + server +
			", or http://" + server + " to send your token unencrypted")
	}
	return address, false, err
}

type match struct {
	seat   uint32
	nonce  []byte
	wanted int64 // the index of the current or last decision; -1: none
	answer *pb.Answer
}

type decision struct {
	match  *match
	answer *pb.Answer
}

// client plays matches over one stream after the other. Everything except choose runs in one goroutine.
type client struct {
	address        string // host:port, or a Unix socket
	isTLS          bool
	token, process string
	matches                map[string]*match // they stay when the stream is lost
	decided                chan decision
	leave                  chan os.Signal
	stream                 pb.BotService_PlayClient
	lastError              *pb.Error
	leaving                bool
	failures               int
}

// run plays until the bot has left. It returns an error after a final refusal.
func (c *client) run() error {
	for {
		err := c.play()
		if errors.Is(err, errLeft) {
			return nil
		}
		code := status.Code(err)
		if c.lastError.GetFatal() { // if the stream ended while we wrote, the status says less than the last error
			code, err = codes.Code(c.lastError.Code), errors.New(c.lastError.Reason+": "+c.lastError.Message)
		}
		if slices.Contains(final, code) && c.lastError.GetReason() != "HELLO_EXPECTED" {
			return err
		}
		// The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
		longest := min(maxPause, 500*time.Millisecond<<min(c.failures, 10))
		if len(c.matches) > 0 {
			longest = min(longest, inPlay)
		}
		c.failures++
		pause := mathrand.N(longest)
		log.Printf("stream lost (%v), again in %v%s", err, pause.Round(time.Millisecond), c.proxyAdvice())
		select {
		case <-time.After(pause):
		case <-c.leave:
			c.leaving = true
		}
		if c.done() {
			return nil
		}
	}
}

// proxyAdvice names the variable that sends connections through a proxy. Those to this machine never use one.
func (c *client) proxyAdvice() string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		if os.Getenv(name) != "" && !loopback.MatchString(c.address) && !isSocket(c.address) {
			return "; " + name + " sets a proxy: without it, add the host to NO_PROXY"
		}
	}
	return ""
}

func (c *client) done() bool { return c.leaving && len(c.matches) == 0 }

// play opens a stream and plays on it until it ends.
func (c *client) play() error {
	creds := insecure.NewCredentials()
	if c.isTLS {
		creds = credentials.NewTLS(&tls.Config{})
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(creds)}
	if !isSocket(c.address) { // a hosted bot is frozen between its turns, which must not look like a lost connection
		options = append(options,
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}))
	}
	conn, err := grpc.NewClient(c.address, options...)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.stream, err = pb.NewBotServiceClient(conn).Play(ctx); err != nil {
		return err
	}
	c.lastError = nil
	c.send(&pb.BotMessage{Kind: &pb.BotMessage_Hello{Hello: &pb.Hello{
		Token: c.token, Version: version, Process: c.process, Sdk: "go-kit/0.1.0", MaxMatches: maxMatches,
		Expansions: expansions, WantsLegal: true, Protocol: "arena.wire/2",
		Running: slices.Collect(maps.Keys(c.matches)),
	}}})
	messages, ended := make(chan *pb.ServerMessage), make(chan error, 1)
	go func() {
		for {
			message, err := c.stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	silence := 15 * time.Second // until the welcome says how often the server pings
	watch := time.NewTimer(silence)
	for {
		select {
		case message := <-messages:
			if welcome := message.GetWelcome(); welcome != nil && welcome.GetLimits().GetPingIntervalMs() > 0 {
				silence = 3 * time.Duration(welcome.Limits.PingIntervalMs) * time.Millisecond
			}
			watch.Reset(silence)
			c.take(message)
		case d := <-c.decided:
			if id := d.answer.MatchId; c.matches[id] == d.match && d.match.wanted == int64(d.answer.Index) {
				d.match.answer = d.answer
				c.send(&pb.BotMessage{Kind: &pb.BotMessage_Answer{Answer: d.answer}})
			}
		case err := <-ended:
			if err == io.EOF {
				err = status.Error(codes.Unavailable, "the server ended the stream")
			}
			return err
		case <-watch.C:
			return status.Errorf(codes.Unavailable, "the server said nothing for %v", silence)
		case <-c.leave:
			log.Printf("leaving, %d matches to finish", len(c.matches))
			c.leaving = true
			c.sendLeave()
		}
		if c.done() {
			c.stream.CloseSend()
			select {
			case <-ended:
			case <-time.After(time.Second):
			}
			return errLeft
		}
	}
}

// send sends a message. If the stream is lost meanwhile, its reader gets the reason, and the server asks again.
func (c *client) send(message *pb.BotMessage) { _ = c.stream.Send(message) }

func (c *client) sendLeave() {
	c.send(&pb.BotMessage{Kind: &pb.BotMessage_Leave{Leave: &pb.Leave{}}})
}

func (c *client) take(message *pb.ServerMessage) {
	switch kind := message.Kind.(type) {
	case *pb.ServerMessage_Welcome:
		log.Printf("connected as %s", kind.Welcome.Bot)
		c.failures = 0
		for _, id := range kind.Welcome.Over {
			delete(c.matches, id)
		}
		if c.leaving {
			c.sendLeave()
		}
	case *pb.ServerMessage_Ping:
		c.send(&pb.BotMessage{Kind: &pb.BotMessage_Pong{Pong: &pb.Pong{Id: kind.Ping.Id}}})
	case *pb.ServerMessage_Offer:
		c.offered(kind.Offer)
	case *pb.ServerMessage_RevealRequest:
		c.reveal(kind.RevealRequest)
	case *pb.ServerMessage_Resumed:
		log.Printf("%s: goes on at %d", kind.Resumed.MatchId, kind.Resumed.Index)
		c.known(kind.Resumed.MatchId)
		if kind.Resumed.Request != nil {
			c.asked(kind.Resumed.Request)
		}
	case *pb.ServerMessage_Request:
		c.asked(kind.Request)
	case *pb.ServerMessage_Fault:
		f := kind.Fault
		log.Printf("%s: fault %s %s %s", f.MatchId, f.Reason, f.Rule, f.Message)
	case *pb.ServerMessage_MatchEnd:
		log.Printf("%s: ended, placements %v", kind.MatchEnd.MatchId, kind.MatchEnd.GetVerdict().GetPlacements())
		delete(c.matches, kind.MatchEnd.MatchId)
	case *pb.ServerMessage_MatchAborted:
		log.Printf("%s: aborted, %s", kind.MatchAborted.MatchId, kind.MatchAborted.Reason)
		delete(c.matches, kind.MatchAborted.MatchId)
	case *pb.ServerMessage_Error:
		c.lastError = kind.Error
		log.Printf("error %s: %s", kind.Error.Reason, kind.Error.Message)
	} // kinds that are newer than this bot are ignored
}

// known returns the match with this id; after a restart of the process the server names matches that are unknown here.
func (c *client) known(id string) *match {
	if c.matches[id] == nil {
		c.matches[id] = &match{wanted: -1}
	}
	return c.matches[id]
}

func (c *client) offered(offer *pb.Offer) {
	m := c.matches[offer.MatchId]
	if m == nil {
		if c.leaving || len(c.matches) >= maxMatches {
			c.send(&pb.BotMessage{Kind: &pb.BotMessage_Decline{
				Decline: &pb.Decline{MatchId: offer.MatchId, Reason: "no free place"}}})
			return
		}
		m = c.known(offer.MatchId)
		m.seat, m.nonce = offer.GetTerms().GetSeat(), make([]byte, 16)
		rand.Read(m.nonce)
		log.Printf("%s: started", offer.MatchId)
	}
	hash := sha256.Sum256(m.nonce)
	c.send(&pb.BotMessage{Kind: &pb.BotMessage_Accept{Accept: &pb.Accept{MatchId: offer.MatchId, NonceHash: hash[:]}}})
}

// reveal sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more.
func (c *client) reveal(request *pb.RevealRequest) {
	m := c.known(request.MatchId)
	hash, place := sha256.Sum256(m.nonce), int(m.seat)-1
	var nonce []byte
	if place >= 0 && place < len(request.NonceHashes) && bytes.Equal(request.NonceHashes[place], hash[:]) {
		nonce = m.nonce
	} else {
		log.Printf("%s: the hash of my nonce is not in its place", request.MatchId)
	}
	c.send(&pb.BotMessage{Kind: &pb.BotMessage_Reveal{Reveal: &pb.Reveal{MatchId: request.MatchId, Nonce: nonce}}})
}

func (c *client) asked(request *pb.DecisionRequest) {
	m := c.known(request.MatchId)
	switch {
	case m.answer != nil && m.answer.Index == request.Index: // the answer was lost with a stream, so it is sent again
		c.send(&pb.BotMessage{Kind: &pb.BotMessage_Answer{Answer: m.answer}})
	case m.wanted != int64(request.Index):
		m.wanted = int64(request.Index)
		go func() { c.decided <- decision{m, decide(request)} }() // in the background, so that pings are answered
	}
}

// decide sends an empty answer if choose fails: this costs one fault, without a wait.
func decide(request *pb.DecisionRequest) (answer *pb.Answer) {
	answer = &pb.Answer{MatchId: request.MatchId, Index: request.Index}
	defer func() {
		if failure := recover(); failure != nil {
			log.Printf("%s: choose has failed at %d: %v", request.MatchId, request.Index, failure)
		}
	}()
	action, why := choose(request)
	answer.Actions, answer.Note = []string{action}, why
	return answer
}

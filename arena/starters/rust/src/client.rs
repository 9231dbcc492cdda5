use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use rand::RngExt;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{ClientTlsConfig, Endpoint};
use tonic::{Code, Status};

use crate::choose::choose;
use crate::wire::bot_message::Kind as Say;
use crate::wire::bot_service_client::BotServiceClient;
use crate::wire::server_message::Kind;
use crate::wire::*;

const VERSION: &str = env!("CARGO_PKG_VERSION"); // of your bot; each version is rated anew
const MAX_MATCHES: usize = 4;
/// Expansions that the bot plays; matches of five players need one of them.
const EXPANSIONS: [&str; 2] = ["artisans", "whims"];
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Maximum wait while matches are running.
const IN_PLAY: Duration = Duration::from_millis(2500);
/// Statuses after which a retry cannot help: the same hello would get the same answer.
const FINAL: [Code; 6] = [
    Code::Unauthenticated,
    Code::PermissionDenied,
    Code::InvalidArgument,
    Code::FailedPrecondition,
    Code::Unimplemented,
    Code::Aborted,
];

#[derive(Default)]
struct Match {
    seat: usize,
    nonce: Vec<u8>,
    /// The index of the current or last decision.
    wanted: Option<u32>,
    answer: Option<Answer>,
}

/// Returns the address with its scheme. Only on this machine may the scheme be missing: otherwise the token would be sent
/// unencrypted by mistake.
pub fn parse_server(server: &str) -> Result<String, String> {
    if server.starts_with("https://") || server.starts_with("http://") || is_socket(server) {
        return Ok(server.into());
    }
    let host = server.rsplit_once(':').map_or("", |(host, _)| host).trim_matches(['[', ']']);
    if host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()) {
        return Ok(format!("http://{server}"));
    }
    Err(format!(
        "{server} does not say whether to encrypt: write https://{server}, or http://{server} to send your token unencrypted"
    ))
}

/// In the sandbox of a hosted bot, the address is a Unix socket.
fn is_socket(server: &str) -> bool {
    server.starts_with("unix:/")
}

/// Plays matches over one stream after the other. It uses no proxy, whatever the environment says.
pub struct Client {
    /// With its scheme.
    server: String,
    token: String,
    process: String,
    /// They stay when the stream is lost.
    matches: HashMap<String, Match>,
    decisions: (Sender<Answer>, Receiver<Answer>),
    outbox: Option<Sender<BotMessage>>,
    last_error: Option<Error>,
    is_leaving: bool,
    failures: u32,
}

impl Client {
    pub fn new(server: String, token: String, process: String) -> Client {
        Client {
            server,
            token,
            process,
            matches: HashMap::new(),
            decisions: mpsc::channel(100),
            outbox: None,
            last_error: None,
            is_leaving: false,
            failures: 0,
        }
    }

    /// Plays until the bot has left. Returns an error after a final refusal.
    pub async fn run(&mut self, mut leave: Receiver<()>) -> Result<(), String> {
        while !self.is_done() {
            let status = match self.play(&mut leave).await {
                Ok(()) => break,
                Err(status) => status,
            };
            self.outbox = None;
            let (mut code, mut why) = (status.code(), status.message().to_string());
            let error = self.last_error.take().unwrap_or_default();
            if error.fatal {
                // If the stream ended while we wrote, the status says less than the last error.
                (code, why) = (Code::from(error.code as i32), format!("{}: {}", error.reason, error.message));
            }
            if FINAL.contains(&code) && error.reason != "HELLO_EXPECTED" {
                return Err(why);
            }
            // The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
            let most = if self.matches.is_empty() { MAX_PAUSE } else { IN_PLAY };
            let pause = most.min(Duration::from_millis(500 << self.failures.min(10))).mul_f64(rand::rng().random());
            self.failures += 1;
            eprintln!("stream lost ({why}), again in {} ms", pause.as_millis());
            tokio::select! {
                () = sleep(pause) => {}
                Some(()) = leave.recv() => self.is_leaving = true,
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_leaving && self.matches.is_empty()
    }

    /// Opens a stream and plays on it. Returns Ok when the bot has left, otherwise the status of the stream's end.
    async fn play(&mut self, leave: &mut Receiver<()>) -> Result<(), Status> {
        let lost = |error: tonic::transport::Error| Status::unavailable(format!("{error:?}"));
        let is_tls = self.server.starts_with("https://");
        let mut endpoint = Endpoint::from_shared(self.server.clone())
            .map_err(|error| Status::invalid_argument(error.to_string()))?
            .connect_timeout(Duration::from_secs(10));
        if !is_socket(&self.server) {
            // A hosted bot is frozen between its turns, which must not look like a lost connection.
            endpoint =
                endpoint.http2_keep_alive_interval(Duration::from_secs(20)).keep_alive_timeout(Duration::from_secs(10));
        }
        if is_tls {
            endpoint = endpoint.tls_config(ClientTlsConfig::new().with_enabled_roots()).map_err(lost)?;
        }
        let mut service =
            BotServiceClient::new(endpoint.connect().await.map_err(lost)?).max_decoding_message_size(64 << 20);
        let (outbox, said) = mpsc::channel(1000);
        self.outbox = Some(outbox);
        self.say(Say::Hello(Hello {
            token: self.token.clone(),
            version: VERSION.into(),
            process: self.process.clone(),
            sdk: "rust-kit/0.1.0".into(),
            max_matches: MAX_MATCHES as u32,
            expansions: EXPANSIONS.map(String::from).into(),
            wants_legal: true,
            protocol: "arena.wire/2".into(),
            running: self.matches.keys().cloned().collect(),
            ..Default::default()
        }));
        let mut silence = Duration::from_secs(15); // until the welcome says how often the server pings
        let opened = timeout(silence, service.play(ReceiverStream::new(said))).await;
        let mut stream = opened.map_err(|_| silent(silence))??.into_inner();
        let mut deadline = Instant::now() + silence;
        loop {
            tokio::select! {
                message = stream.message() => {
                    let message = message?.ok_or_else(|| Status::unavailable("the server ended the stream"))?;
                    if let Some(Kind::Welcome(Welcome { limits: Some(limits), .. })) = &message.kind {
                        silence = Duration::from_millis(3 * u64::from(limits.ping_interval_ms)).max(Duration::from_secs(1));
                    }
                    deadline = Instant::now() + silence;
                    if let Some(kind) = message.kind {
                        self.take(kind);
                    } // kinds that are newer than this bot are ignored
                }
                Some(answer) = self.decisions.1.recv() => self.decided(answer),
                () = sleep_until(deadline) => return Err(silent(silence)),
                Some(()) = leave.recv() => {
                    eprintln!("leaving, {} matches to finish", self.matches.len());
                    self.is_leaving = true;
                    self.say(Say::Leave(Leave {}));
                }
            }
            if self.is_done() {
                self.outbox = None; // this ends our side
                let _ =
                    timeout(Duration::from_secs(1), async { while let Ok(Some(_)) = stream.message().await {} }).await;
                return Ok(());
            }
        }
    }

    /// Sends a message. If it is lost with the stream, the server asks again.
    fn say(&mut self, kind: Say) {
        if let Some(outbox) = &self.outbox {
            if outbox.try_send(BotMessage { kind: Some(kind) }).is_err() {
                eprintln!("the server does not read");
            }
        }
    }

    fn take(&mut self, kind: Kind) {
        match kind {
            Kind::Welcome(welcome) => {
                eprintln!("connected as {}", welcome.bot);
                self.failures = 0;
                for id in &welcome.over {
                    self.matches.remove(id);
                }
                if self.is_leaving {
                    self.say(Say::Leave(Leave {}));
                }
            }
            Kind::Ping(ping) => self.say(Say::Pong(Pong { id: ping.id })),
            Kind::Pong(_) => {}
            Kind::Offer(offer) => self.offered(offer),
            Kind::RevealRequest(request) => self.reveal(request),
            Kind::Resumed(resumed) => {
                eprintln!("{}: goes on at {}", resumed.match_id, resumed.index);
                self.matches.entry(resumed.match_id).or_default();
                if let Some(request) = resumed.request {
                    self.asked(request);
                }
            }
            Kind::Request(request) => self.asked(request),
            Kind::Fault(fault) => {
                eprintln!("{}: fault {} {} {}", fault.match_id, fault.reason, fault.rule, fault.message);
            }
            Kind::MatchEnd(end) => {
                let placements = end.verdict.unwrap_or_default().placements;
                eprintln!("{}: ended, placements {placements:?}", end.match_id);
                self.matches.remove(&end.match_id);
            }
            Kind::MatchAborted(aborted) => {
                eprintln!("{}: aborted, {}", aborted.match_id, aborted.reason);
                self.matches.remove(&aborted.match_id);
            }
            Kind::Error(error) => {
                eprintln!("error {}: {}", error.reason, error.message);
                self.last_error = Some(error);
            }
        }
    }

    fn offered(&mut self, offer: Offer) {
        let match_id = offer.match_id;
        if !self.matches.contains_key(&match_id) {
            if self.is_leaving || self.matches.len() >= MAX_MATCHES {
                return self.say(Say::Decline(Decline { match_id, reason: "no free place".into() }));
            }
            eprintln!("{match_id}: started");
            let seat = offer.terms.unwrap_or_default().seat as usize;
            let nonce = rand::random::<[u8; 16]>().into();
            self.matches.insert(match_id.clone(), Match { seat, nonce, ..Default::default() });
        }
        let nonce_hash = Sha256::digest(&self.matches[&match_id].nonce).to_vec();
        self.say(Say::Accept(Accept { match_id, nonce_hash }));
    }

    /// Sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more.
    fn reveal(&mut self, request: RevealRequest) {
        let Match { seat, nonce, .. } = self.matches.entry(request.match_id.clone()).or_default();
        let fixed = seat.checked_sub(1).and_then(|place| request.nonce_hashes.get(place));
        let is_mine = fixed.is_some_and(|hash| hash[..] == Sha256::digest(&*nonce)[..]);
        let nonce = if is_mine { nonce.clone() } else { Vec::new() };
        if !is_mine {
            eprintln!("{}: the hash of my nonce is not in its place", request.match_id);
        }
        self.say(Say::Reveal(Reveal { match_id: request.match_id, nonce }));
    }

    fn asked(&mut self, request: DecisionRequest) {
        let game = self.matches.entry(request.match_id.clone()).or_default();
        match &game.answer {
            // The answer was lost with a stream, so it is sent again.
            Some(answer) if answer.index == request.index => {
                let answer = answer.clone();
                self.say(Say::Answer(answer));
            }
            _ if game.wanted != Some(request.index) => {
                game.wanted = Some(request.index);
                let decisions = self.decisions.0.clone();
                tokio::spawn(async move {
                    let (match_id, index) = (request.match_id.clone(), request.index);
                    let mut answer = Answer { match_id, index, ..Default::default() };
                    // In the background, so that pings are answered. If `choose` panics, the answer is empty: this costs one
                    // fault, without a wait.
                    let thinking =
                        tokio::task::spawn_blocking(move || choose(&request));
                    if let Ok((action, why)) = thinking.await {
                        (answer.actions, answer.note) = (vec![action], why);
                    }
                    let _ = decisions.send(answer).await;
                });
            }
            _ => {} // the decision is being computed
        }
    }

    fn decided(&mut self, answer: Answer) {
        if let Some(game) = self.matches.get_mut(&answer.match_id) {
            if game.wanted == Some(answer.index) {
                game.answer = Some(answer.clone());
                self.say(Say::Answer(answer));
            }
        }
    }
}

fn silent(silence: Duration) -> Status {
    Status::unavailable(format!("the server said nothing for {silence:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypts_unless_told_otherwise() {
        for server in ["127.0.0.1:1", "localhost:1", "[::1]:1"] {
            assert_eq!(parse_server(server), Ok(format!("http://{server}")));
        }
        for server in ["https://arena.example.org:1", "http://arena.example.org:1", "unix:/run/arena.sock"] {
            assert_eq!(parse_server(server), Ok(server.into()));
        }
        for server in ["arena.example.org:1", "localhost.example.org:1", "192.168.0.2:1", "localhost"] {
            assert!(parse_server(server).is_err());
        }
    }
}

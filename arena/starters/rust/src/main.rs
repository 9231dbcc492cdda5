//! A complete small bot for the Naqala arena. Write your own `choose` (choose.rs); `client.rs` keeps the stream alive and
//! reconnects when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.

mod choose;
mod client;

/// The messages of the protocol, generated from proto/ by build.rs.
pub mod wire {
    tonic::include_proto!("arena.wire.v1");
}

use std::env;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() {
    let server = client::parse_server(&env::var("ARENA_SERVER").unwrap_or("127.0.0.1:50051".into()));
    let server = server.unwrap_or_else(|problem| {
        eprintln!("{problem}");
        std::process::exit(2)
    });
    let Ok(token) = env::var("ARENA_TOKEN") else {
        eprintln!("set ARENA_TOKEN to the token from your bot's page");
        std::process::exit(2);
    };
    // It must be the same after a restart: token and process name together get the running matches back.
    let host = || format!("{}-rust", gethostname::gethostname().to_string_lossy());
    let process = env::var("ARENA_PROCESS").unwrap_or_else(|_| host());

    let (leave, told_to_leave) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut interrupt = signal(SignalKind::interrupt()).expect("signals");
        let mut terminate = signal(SignalKind::terminate()).expect("signals");
        for _ in 0..2 {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            if leave.try_send(()).is_err() {
                break; // the channel is full or closed
            }
        }
        std::process::exit(130);
    });
    if let Err(refusal) = client::Client::new(server, token, process).run(told_to_leave).await {
        eprintln!("refused: {refusal}");
        std::process::exit(1);
    }
}

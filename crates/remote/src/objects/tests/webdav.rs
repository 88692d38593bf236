//! A server of WebDAV in this process: files and folders in memory, for one user.
//!
//! In: HTTP 1.1, a request after the other on each connection. Out: what RFC 4918 says of the methods that a client of
//! entries uses; a file is only taken where its folder is.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

#[derive(Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    folders: BTreeSet<String>,
    calls: usize,
    /// Every answer is this failure.
    failure: Option<u16>,
    /// The last byte of each file is another.
    flips: bool,
}

/// A running server; its threads end with their connections.
#[derive(Clone)]
pub(super) struct Webdav {
    address: String,
    authorization: &'static str,
    state: Arc<Mutex<State>>,
}

impl Webdav {
    /// One that wants this header `Authorization`; none if it is empty.
    pub(super) fn start(authorization: &'static str) -> Webdav {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("webdav://{}/kernels/a", listener.local_addr().expect("an address"));
        let server = Webdav { address, authorization, state: Arc::default() };
        let this = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let this = this.clone();
                std::thread::spawn(move || this.serve(stream));
            }
        });
        server
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Files, and calls so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.state.lock().expect("a lock");
        (state.files.len(), state.calls)
    }

    pub(super) fn fail(&self, failure: Option<u16>) {
        self.state.lock().expect("a lock").failure = failure;
    }

    pub(super) fn flip(&self) {
        self.state.lock().expect("a lock").flips = true;
    }

    /// Answers requests until the client goes.
    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut out = stream.try_clone().ok()?;
        let mut lines = BufReader::new(stream);
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).ok()?;
            let (method, rest) = line.split_once(' ')?;
            let path = rest.split(' ').next()?.trim_end_matches('/').to_owned();
            let (method, mut length, mut has_key) =
                (method.to_owned(), 0, self.authorization.is_empty());
            loop {
                let mut header = String::new();
                lines.read_line(&mut header).ok()?;
                let Some((name, value)) = header.trim_end().split_once(": ") else { break };
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.parse().ok()?,
                    "authorization" => has_key |= value == self.authorization,
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            lines.read_exact(&mut body).ok()?;
            let (code, answer) = match has_key {
                true => self.answer(&method, &path, body),
                false => (401, Vec::new()),
            };
            let head = format!("HTTP/1.1 {code} -\r\nContent-Length: {}\r\n\r\n", answer.len());
            out.write_all(head.as_bytes()).ok()?;
            if method != "HEAD" {
                out.write_all(&answer).ok()?;
            }
        }
    }

    fn answer(&self, method: &str, path: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let mut state = self.state.lock().expect("a lock");
        state.calls += 1;
        if let Some(failure) = state.failure {
            return (failure, Vec::new());
        }
        let folder = path.rsplit_once('/').map_or("", |it| it.0);
        let has_folder = folder.is_empty() || state.folders.contains(folder);
        match method {
            "GET" => match state.files.get(path) {
                Some(file) => {
                    let mut file = file.clone();
                    if let Some(last) = file.last_mut().filter(|_| state.flips) {
                        *last ^= 1;
                    }
                    (200, file)
                }
                None => (404, Vec::new()),
            },
            "PUT" if has_folder => {
                state.files.insert(path.to_owned(), body);
                (201, Vec::new())
            }
            "MKCOL" if state.folders.contains(path) => (405, Vec::new()),
            "MKCOL" if has_folder => {
                state.folders.insert(path.to_owned());
                (201, Vec::new())
            }
            "PUT" | "MKCOL" => (409, Vec::new()),
            "PROPFIND" => {
                let kind = match (state.folders.contains(path), state.files.get(path)) {
                    (true, _) => "<D:resourcetype><D:collection/></D:resourcetype>".to_owned(),
                    (_, Some(it)) => format!(
                        "<D:resourcetype/><D:getcontentlength>{}</D:getcontentlength>",
                        it.len()
                    ),
                    _ => return (404, Vec::new()),
                };
                let text = format!(
                    "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>{path}</D:href>\
                     <D:propstat><D:prop>{kind}<D:getlastmodified>Fri, 17 Feb 2023 03:37:22 GMT</D:getlastmodified>\
                     </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>"
                );
                (207, text.into_bytes())
            }
            _ => (405, Vec::new()),
        }
    }
}

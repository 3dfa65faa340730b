//! A small HTTP server on loopback, for tests: it answers as well or as badly as a test asks for.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What was asked for: the path and the headers, in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first byte of the range that is asked for.
    pub(crate) fn range(&self) -> Option<usize> {
        self.header("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: &'static str,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// Hang up after so many bytes of the body.
    pub(crate) cut: Option<usize>,
}

impl Reply {
    /// The whole body, with its length.
    pub(crate) fn whole(body: &[u8]) -> Self {
        let headers = vec![format!("Content-Length: {}", body.len())];
        Self { status: "200 OK", headers, body: body.to_vec(), cut: None }
    }

    /// The body from byte `start` on.
    pub(crate) fn rest(body: &[u8], start: usize) -> Self {
        if start >= body.len() {
            let headers = vec![format!("Content-Range: bytes */{}", body.len()), "Content-Length: 0".into()];
            return Self { status: "416 Range Not Satisfiable", headers, body: Vec::new(), cut: None };
        }
        let headers = vec![
            format!("Content-Length: {}", body.len() - start),
            format!("Content-Range: bytes {start}-{}/{}", body.len() - 1, body.len()),
        ];
        Self { status: "206 Partial Content", headers, body: body[start..].to_vec(), cut: None }
    }

    /// The whole, or the rest if a range is asked for, as good servers do.
    pub(crate) fn file(request: &Request, body: &[u8]) -> Self {
        match request.range() {
            Some(start) => Self::rest(body, start),
            None => Self::whole(body),
        }
    }

    pub(crate) fn not_found() -> Self {
        Self { status: "404 Not Found", ..Self::whole(b"nothing here") }
    }

    pub(crate) fn header(mut self, line: &str) -> Self {
        self.headers.push(line.to_owned());
        self
    }

    pub(crate) fn cut(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }
}

/// A server that lives until it is dropped.
pub(crate) struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (seen, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let Some((stream, request)) = stream.ok().and_then(read) else { continue };
                seen.lock().unwrap().push(request.clone());
                write(stream, &answer(&request));
            }
        });
        Self { address, requests, stop, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for a connection.
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: TcpStream) -> Option<(TcpStream, Request)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => return Some((reader.into_inner(), Request { path, headers })),
        }
    }
}

/// Errors are left alone: a client may hang up when it has seen enough.
fn write(mut stream: TcpStream, reply: &Reply) {
    let mut head = format!("HTTP/1.1 {}\r\nConnection: close\r\n", reply.status);
    reply.headers.iter().for_each(|header| head += &format!("{header}\r\n"));
    let body = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
    let _ = stream.write_all((head + "\r\n").as_bytes());
    let _ = stream.write_all(body);
}

//! Addresses of shared caches: `grpcs://cache.example.com:443/instance`.
//!
//! In: a text. Out: its parts, or the reason why it is none. Credentials do not belong into an address, which is
//! written in a file that many read: an address with some is refused. Linear in the text.

use std::fmt;

/// The kind of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scheme {
    /// The Remote Execution API, in clear text.
    Grpc,
    /// The same over TLS.
    Grpcs,
    /// A bucket of S3 or what speaks like it: `s3://BUCKET/FOLDER`.
    S3,
    /// A bucket of Google's.
    Gcs,
    /// A container of Azure's.
    Azblob,
    /// Redis: `redis://HOST:PORT/NUMBER`.
    Redis,
    /// The same over TLS.
    Rediss,
    /// WebDAV over HTTPS.
    Webdavs,
    /// WebDAV in clear text.
    Webdav,
    /// A folder, such as one that machines mount: `file:///mnt/cache`.
    File,
}

impl Scheme {
    const ALL: [(Scheme, &'static str); 10] = [
        (Scheme::Grpc, "grpc"),
        (Scheme::Grpcs, "grpcs"),
        (Scheme::S3, "s3"),
        (Scheme::Gcs, "gs"),
        (Scheme::Azblob, "azblob"),
        (Scheme::Redis, "redis"),
        (Scheme::Rediss, "rediss"),
        (Scheme::Webdav, "webdav"),
        (Scheme::Webdavs, "webdavs"),
        (Scheme::File, "file"),
    ];

    /// As an address has it.
    pub fn name(self) -> &'static str {
        Scheme::ALL.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }
}

/// The address of a shared cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// Its kind.
    pub scheme: Scheme,
    /// Host and port, or bucket; empty for a folder.
    pub host: String,
    /// Describes what follows, without a slash at the ends: the instance, the folder, the number of a database.
    pub path: String,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// If it is none, in words for a person.
    pub fn parse(text: &str) -> Result<Address, String> {
        let schemes = || {
            let all: Vec<String> = Scheme::ALL.iter().map(|it| format!("{}://", it.1)).collect();
            all.join(", ")
        };
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| format!("an address begins with one of {}", schemes()))?;
        let known = Scheme::ALL.iter().find(|it| it.1 == scheme);
        let scheme = known.ok_or_else(|| format!("known are {}", schemes()))?.0;
        if rest.contains(['?', '#', ' ']) || rest.chars().any(char::is_control) {
            return Err("an address has a host and a path, and nothing else".to_owned());
        }
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.contains('@') {
            return Err(
                "credentials do not belong into an address; set them in the environment".to_owned()
            );
        }
        if host.is_empty() != (scheme == Scheme::File) {
            return Err(match scheme {
                Scheme::File => "a folder is written as file:///mnt/cache".to_owned(),
                _ => "the host is missing".to_owned(),
            });
        }
        if path.split('/').any(|it| it == "..") {
            return Err("a path leads down only".to_owned());
        }
        Ok(Address { scheme, host: host.to_owned(), path: path.trim_matches('/').to_owned() })
    }

    /// The host without a port.
    pub fn host_name(&self) -> &str {
        match self.host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => host,
            _ => &self.host,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.path.is_empty() { "" } else { "/" };
        write!(f, "{}://{}{slash}{}", self.scheme.name(), self.host, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn addresses_are_read_or_refused() {
        let read = |text: &&str| match Address::parse(text) {
            Ok(it) => format!("{it} host={} name={}\n", it.host, it.host_name()),
            Err(why) => format!("{text}: {why}\n"),
        };
        let all = [
            "grpc://127.0.0.1:8980",
            "grpcs://cache.example.com/main/",
            "grpc://[::1]:50051",
            "s3://bucket/a/b",
            "redis://host:6379/2",
            "file:///mnt/cache",
            "file://mnt",
            "http://host",
            "grpc:///x",
            "host:80",
            "redis://user:secret@host",
            "s3://bucket/../b",
            "s3://bucket?x=1",
        ];
        expect![[r#"
            grpc://127.0.0.1:8980 host=127.0.0.1:8980 name=127.0.0.1
            grpcs://cache.example.com/main host=cache.example.com name=cache.example.com
            grpc://[::1]:50051 host=[::1]:50051 name=[::1]
            s3://bucket/a/b host=bucket name=bucket
            redis://host:6379/2 host=host:6379 name=host
            file:///mnt/cache host= name=
            file://mnt: a folder is written as file:///mnt/cache
            http://host: known are grpc://, grpcs://, s3://, gs://, azblob://, redis://, rediss://, webdav://, webdavs://, file://
            grpc:///x: the host is missing
            host:80: an address begins with one of grpc://, grpcs://, s3://, gs://, azblob://, redis://, rediss://, webdav://, webdavs://, file://
            redis://user:secret@host: credentials do not belong into an address; set them in the environment
            s3://bucket/../b: a path leads down only
            s3://bucket?x=1: an address has a host and a path, and nothing else
        "#]].assert_eq(&all.iter().map(read).collect::<String>());
    }
}

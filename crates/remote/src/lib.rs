#![doc = include_str!("../README.md")]

mod address;
#[cfg(feature = "client")]
mod backend;
#[cfg(feature = "client")]
mod breaker;
#[cfg(feature = "client")]
mod credentials;
#[cfg(feature = "grpc")]
mod execute;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "client")]
mod layer;
#[cfg(feature = "objects")]
mod objects;
#[cfg(feature = "client")]
mod retry;
#[cfg(feature = "client")]
mod seal;
#[cfg(all(test, feature = "grpc"))]
mod tests;

use std::{sync::Arc, time::Duration};

use codegen::{execute::Executor, store::layer::Layer};

pub use self::address::{Address, Scheme};

/// The settings of a shared cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Where it is.
    pub address: Address,
    /// Keeps there what is made here.
    pub upload: bool,
    /// The longest that one call may take; a call for many bytes takes somewhat longer.
    pub timeout: Duration,
}

/// The default of [`Settings::timeout`].
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Variables of the environment, by name. They hold secrets and programs: neither is ever read from a file of a
/// workspace.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The shared cache of these settings. Nothing is asked of it yet.
///
/// # Errors
/// If this program was built without what the address needs, or the environment names credentials that cannot be had:
/// in words for a person.
pub fn connect(
    settings: &Settings,
    environment: Environment<'_>,
) -> Result<Arc<dyn Layer>, String> {
    match settings.address.scheme {
        Scheme::Grpc | Scheme::Grpcs => connect_grpc(settings, environment),
        _ => connect_objects(settings, environment),
    }
}

/// The workers at these settings' address: a service of the Remote Execution API. Nothing is asked of it yet.
///
/// # Errors
/// As [`connect`], and if the address is that of a cache.
pub fn workers(
    settings: &Settings,
    environment: Environment<'_>,
) -> Result<Arc<dyn Executor>, String> {
    match settings.address.scheme {
        Scheme::Grpc | Scheme::Grpcs => connect_workers(settings, environment),
        _ => Err(format!("{} keeps entries and runs no commands", settings.address)),
    }
}

#[cfg(feature = "grpc")]
fn connect_workers(
    settings: &Settings,
    environment: Environment<'_>,
) -> Result<Arc<dyn Executor>, String> {
    Ok(Arc::new(execute::Workers::new(settings, environment)?))
}

#[cfg(not(feature = "grpc"))]
fn connect_workers(settings: &Settings, _: Environment<'_>) -> Result<Arc<dyn Executor>, String> {
    Err(without(settings, "grpc"))
}

#[cfg(feature = "grpc")]
fn connect_grpc(
    settings: &Settings,
    environment: Environment<'_>,
) -> Result<Arc<dyn Layer>, String> {
    let runtime = layer::runtime()?;
    let backend = grpc::Grpc::new(settings, environment, &runtime)?;
    Ok(Arc::new(layer::Remote::new(settings, seal::Seal::new(environment)?, backend, runtime)))
}

#[cfg(feature = "objects")]
fn connect_objects(
    settings: &Settings,
    environment: Environment<'_>,
) -> Result<Arc<dyn Layer>, String> {
    let runtime = layer::runtime()?;
    let backend = objects::Objects::new(settings, environment)?;
    Ok(Arc::new(layer::Remote::new(settings, seal::Seal::new(environment)?, backend, runtime)))
}

#[cfg(not(feature = "grpc"))]
fn connect_grpc(settings: &Settings, _: Environment<'_>) -> Result<Arc<dyn Layer>, String> {
    Err(without(settings, "grpc"))
}

#[cfg(not(feature = "objects"))]
fn connect_objects(settings: &Settings, _: Environment<'_>) -> Result<Arc<dyn Layer>, String> {
    Err(without(settings, "objects"))
}

#[cfg(not(all(feature = "grpc", feature = "objects")))]
fn without(settings: &Settings, feature: &str) -> String {
    format!("{} needs a program that is built with the feature `{feature}`", settings.address)
}

//! How long a sandbox takes to start and to go away again, around a program that does nothing.

use std::error::Error;
use std::time::Instant;

use probare_core::{Program, ProgramStep};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};

/// Starts that are measured.
const STARTS: usize = 60;

/// Prints the median time of a shell and of Python in a sandbox.
pub fn print() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let sandbox = match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), std::sync::Arc::default()) {
        Ok(sandbox) => sandbox,
        Err(error @ (SandboxError::NoBubblewrap | SandboxError::Broken { .. })) => {
            println!("\nsandbox left out: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    println!("\n{:48} {:>16} {:>16}", "sandbox", "median, ms", "nine in ten, ms");
    let opened = start.elapsed().as_secs_f64() * 1000.0;
    println!("{:48} {opened:>16.1}", format!("self-test, level {}", sandbox.level()));
    for (name, command) in
        [("a shell that ends", vec!["/bin/sh", "-c", ":"]), ("Python that ends", vec!["python3", "-c", ""])]
    {
        let program = Program { steps: vec![ProgramStep::new(&command, 30)], mebibytes: 256, ..Program::default() };
        let mut times = Vec::with_capacity(STARTS);
        for _ in 0..STARTS {
            let start = Instant::now();
            let ran = sandbox.run(&program)?;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            if !ran.steps.iter().all(probare_core::StepResult::is_fine) {
                return Err(format!("{name} failed: {ran:?}").into());
            }
        }
        times.sort_unstable_by(f64::total_cmp);
        println!("{name:48} {:>16.1} {:>16.1}", times[STARTS / 2], times[STARTS * 9 / 10]);
    }
    Ok(())
}

// Preloaded into a service under test, which must not outlive a test runner that was killed: its stdin closes with the runner.
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdin.resume();
process.stdin.unref();

#!/usr/bin/env node
import 'reflect-metadata';
import { runOrch } from './program';
import { passOverClosedPipes } from './terminal/output';

// Stores, rings and copies that a command makes hold what only their owner may see.
process.umask(0o077);
passOverClosedPipes();
void runOrch(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

#!/usr/bin/env node
import 'reflect-metadata';
import { runOrch } from './program';
import { ignoreClosedPipes } from './terminal';

// Stores, key rings and copies that a command creates must be readable only by their owner.
process.umask(0o077);
ignoreClosedPipes();
void runOrch(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

import { constants } from 'node:os';
import { ServiceLog } from './service-log';

/** Ends the process where nobody is left to say what happens next; the log has the last line. */
export const endOf =
  (log: ServiceLog, event: string) =>
  (error: unknown): never => {
    log.failure(event, error);
    return process.exit(1);
  };

/** What nobody caught: Node's own report would print what an error carries beside its message (safety, T32). */
const endOnUncaught = (log: ServiceLog): void => {
  process.on('uncaughtException', endOf(log, 'process.crashed'));
};

/** Opens the log of a program that starts. @param exposedFiles files that others may use, which are reported as warnings */
export const startLog = (service: string, level: string, exposedFiles: readonly object[]): ServiceLog => {
  const log = new ServiceLog(level, process.stdout, service);
  endOnUncaught(log);
  for (const file of exposedFiles) log.warning('files.open-to-others', { ...file });
  return log;
};

/**
 * Stops in order at the first SIGTERM or SIGINT and ends with 0; what comes after the first changes nothing (safety, F39). Called before the start: until
 * that is over there is nothing to stop in order, and a signal ends the program with 128 and its number, which is what a shell says of one that it killed.
 * Without a listener it would not end the first process of a container.
 * @returns to be called once the program has started, with how it is stopped
 */
export const stopOnSignal = (log: ServiceLog): ((close: () => Promise<void>) => void) => {
  let isStopping = false;
  let close: (() => Promise<void>) | undefined;
  const stop = async (signal: 'SIGTERM' | 'SIGINT'): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info('stopping', { signal });
    if (close === undefined) return process.exit(128 + constants.signals[signal]);
    await close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch(endOf(log, 'stop.failed'));
    });
  }
  return (whenStarted) => {
    close = whenStarted;
  };
};

/**
 * The rest of a start, behind something that works already. Where it fails, what was begun is ended before the program is, and not cut off: a gate that
 * was asked would have been asked in vain.
 * @throws what the rest throws
 */
export const closingOnFailure = async <Result>(opened: { close(): Promise<void> }, rest: () => Promise<Result>): Promise<Result> => {
  try {
    return await rest();
  } catch (error) {
    // What keeps it from closing is no reason for the start to have failed.
    await opened.close().catch(() => undefined);
    throw error;
  }
};

/** Runs a program; one that cannot start says why in a line, and ends with 1. @param ownWords the error whose message needs no name before it */
export const runProgram = (name: string, start: () => Promise<void>, ownWords: abstract new (...given: never[]) => Error): void => {
  start().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(error instanceof ownWords ? `${text}\n` : `${name}: ${text}\n`);
    process.exit(1);
  });
};

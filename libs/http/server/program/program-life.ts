import { constants } from 'node:os';
import { ServiceLog } from './service-log';

/** Logs the last line and ends the process. */
export const endOf =
  (log: ServiceLog, event: string) =>
  (error: unknown): never => {
    log.failure(event, error);
    return process.exit(1);
  };

/** Node's own report would print an error's members, which may hold client data (safety, T32). */
const endOnUncaught = (log: ServiceLog): void => {
  process.on('uncaughtException', endOf(log, 'process.crashed'));
};

/** @param exposedFiles files readable by others, logged as warnings */
export const startLog = (service: string, level: string, exposedFiles: readonly object[]): ServiceLog => {
  const log = new ServiceLog(level, process.stdout, service);
  endOnUncaught(log);
  for (const file of exposedFiles) log.warning('files.open-to-others', { ...file });
  return log;
};

/**
 * Stops on the first SIGTERM or SIGINT and exits with 0; later signals are ignored (safety, F39). During the start a
 * signal exits with 128 plus its number, because PID 1 in a container ignores signals without a listener.
 * @returns call it with the close function once the program has started
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
 * Runs the rest of a start. If it fails, `opened` is closed first, so that gate calls in progress can finish.
 * @throws what `rest` throws
 */
export const closingOnFailure = async <Result>(opened: { close(): Promise<void> }, rest: () => Promise<Result>): Promise<Result> => {
  try {
    return await rest();
  } catch (error) {
    // The reason of the failed start is more useful than an error of close.
    await opened.close().catch(() => undefined);
    throw error;
  }
};

/**
 * A program that cannot start prints one line and exits with 1.
 * @param ownWords errors whose message is printed without a prefix
 */
export const runProgram = (name: string, start: () => Promise<void>, ownWords: abstract new (...given: never[]) => Error): void => {
  start().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(error instanceof ownWords ? `${text}\n` : `${name}: ${text}\n`);
    process.exit(1);
  });
};

import type { ServiceLog } from './service-log';

/** Ends the process where nobody is left to say what happens next; the log has the last line. */
export const endOf =
  (log: ServiceLog, event: string) =>
  (error: unknown): never => {
    log.failure(event, error);
    return process.exit(1);
  };

/** What nobody caught: Node's own report would print what an error carries beside its message (safety, T32). */
export const endOnUncaught = (log: ServiceLog): void => {
  process.on('uncaughtException', endOf(log, 'process.crashed'));
};

/** Stops in order at the first SIGTERM or SIGINT and ends with 0; what comes after the first changes nothing (safety, F39). */
export const stopOnSignal = (log: ServiceLog, close: () => Promise<void>): void => {
  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info('stopping', { signal });
    await close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch(endOf(log, 'stop.failed'));
    });
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

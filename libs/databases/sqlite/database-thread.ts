import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** What a caller may set; how the thread is started is decided here. */
export type DatabaseThreadOptions = Omit<WorkerOptions, 'execArgv' | 'eval'>;

/**
 * Starts a thread that has a database file open for this one, from a source that is TypeScript under test and JavaScript when it is built.
 * @param file `join(__dirname, '../../sqlite/x.worker')`, without its ending
 * @param callerFile `__filename` of the caller, whose ending decides which of the two it is
 */
export const startDatabaseThread = (file: string, callerFile: string, options: DatabaseThreadOptions): Worker => {
  const ending = extname(callerFile);
  return new Worker(file + ending, { ...options, execArgv: ending === '.ts' ? ['--require', require.resolve('tsx/cjs')] : [] });
};

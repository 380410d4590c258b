import { CommandFailed, EXIT } from '../command-failed';
import type { Output } from '../terminal/output';
import { replayWhatIf, type WhatIfOptions } from '../what-if/replay-what-if';
import { replayOrder } from './replay-order';

export interface ReplayOptions extends Partial<WhatIfOptions> {
  readonly merchant?: string;
}

/** `orch replay`: of one order, or of all of them under other rules. @throws CommandFailed where neither or both are named */
export const replay = async (name: string | undefined, { whatIf, ...options }: ReplayOptions, output: Output): Promise<void> => {
  if ((name === undefined) === (whatIf === undefined))
    throw new CommandFailed('name an order, or --what-if with a file of rules; not both', EXIT.usage);
  if (options.summary === true && whatIf === undefined) throw new CommandFailed('--summary is of --what-if', EXIT.usage);
  if (whatIf !== undefined) return replayWhatIf({ ...options, whatIf }, output);
  return replayOrder(name ?? '', options, output);
};

import { CommandFailed, EXIT } from '../command-failed';
import { replayAll, type ReplayAllOptions } from '../rebuilding/replay-all';
import type { Output } from '../terminal/output';
import { replayWhatIf, type WhatIfOptions } from '../what-if/replay-what-if';
import type { NameOptions } from '../order/one-order';
import { replayOrder } from './replay-order';

export interface ReplayOptions extends Partial<WhatIfOptions>, ReplayAllOptions, NameOptions {
  readonly all?: boolean;
}

type Kind = 'order' | 'whatIf' | 'all';

/** Which options belong to which of the three replays. */
const FOREIGN: Readonly<Record<Kind, readonly (keyof ReplayOptions)[]>> = {
  order: ['summary', 'switch', 'compareOnly', 'back', 'drop'],
  whatIf: ['switch', 'compareOnly', 'back', 'drop', 'orderid', 'clientOrderid'],
  all: ['summary', 'merchant', 'orderid', 'clientOrderid'],
};
const FLAGS: Readonly<Record<keyof ReplayOptions, string>> = {
  all: '--all',
  whatIf: '--what-if',
  summary: '--summary',
  merchant: '--merchant',
  orderid: '--orderid',
  clientOrderid: '--client-orderid',
  switch: '--switch',
  compareOnly: '--compare-only',
  back: '--back',
  drop: '--drop',
};

/** `orch replay`: of one order, of all of them under other rules, or of all read models. @throws CommandFailed where not just one of them is named */
export const replay = async (name: string | undefined, options: ReplayOptions, output: Output): Promise<void> => {
  const { all, whatIf } = options;
  const named: readonly Kind[] = [
    ...(name === undefined ? [] : (['order'] as const)),
    ...(whatIf === undefined ? [] : (['whatIf'] as const)),
    ...(all === true ? (['all'] as const) : []),
  ];
  const [kind] = named;
  if (kind === undefined || named.length > 1)
    throw new CommandFailed('name an order, or --what-if with a file of rules, or --all; one of them', EXIT.usage);
  const foreign = FOREIGN[kind].find((option) => options[option] !== undefined);
  if (foreign !== undefined)
    throw new CommandFailed(`${FLAGS[foreign]} does not go with ${kind === 'order' ? 'an order' : FLAGS[kind]}`, EXIT.usage);
  switch (kind) {
    case 'all':
      return replayAll(options, output);
    case 'whatIf':
      return replayWhatIf({ ...options, whatIf: whatIf ?? '' }, output);
    case 'order':
      return replayOrder(name ?? '', options, output);
  }
};

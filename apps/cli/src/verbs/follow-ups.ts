import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { AMOUNT_GRAMMAR } from '@app/kernel';
import type { FollowUpSummary } from '@app/read-models/queries';
import { claimOf } from '../operator-port';
import { orderCommand, orderToChange, type NameOptions } from '../orders/order-name';
import { aloneOf, isUnderApproval, type AloneOptions } from './approvals';
import { ACTOR, ALONE, CommandFailed, EXIT, REASON, writeResult, type CommandContext, type Output } from '../terminal';

interface FollowUpOptions extends NameOptions, AloneOptions {
  readonly reason: string;
  readonly actor?: string;
  readonly amount?: string;
  readonly key?: string;
}

const KINDS = {
  refund: { path: 'returns', description: 'return money to the payer, or release a preauthorised amount' },
  capture: { path: 'captures', description: 'capture a preauthorised amount' },
  void: { path: 'voids', description: 'void a sale that the gate has not cleared' },
} as const;
type Verb = keyof typeof KINDS;

/** `orch refund`, `capture` and `void`. @throws CommandFailed with the key to repeat the same request, if its outcome is unknown */
const requestFollowUp = async (verb: Verb, name: string, options: FollowUpOptions, output: Output): Promise<void> => {
  const { reason, actor, amount, key = randomUUID() } = options;
  if (amount !== undefined && !AMOUNT_GRAMMAR.test(amount))
    throw new CommandFailed('--amount must be in major units, such as 10.00', EXIT.usage);
  const { port, order } = await orderToChange(name, options);
  const action = { reason, key, merchant: order.merchant, ...claimOf(actor), ...aloneOf(options), ...(amount !== undefined && { amount }) };
  let answer: { readonly orderId: string; readonly followUp: FollowUpSummary };
  try {
    answer = await port.ask(`/orders/${order.orderId}/${KINDS[verb].path}`, action);
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.exitCode !== EXIT.failed) throw error;
    throw new CommandFailed(`${error.message}. To repeat the same request, add --key ${key}`);
  }
  if (isUnderApproval(answer, output)) return;
  const { number, operation, amount: sum, status } = answer.followUp;
  writeResult(output, answer, () => `order ${answer.orderId}, follow-up ${number}: ${operation} of ${sum} is ${status}`);
};

export const addFollowUpCommands = (program: Command, { output }: CommandContext): void => {
  for (const verb of Object.keys(KINDS) as Verb[]) {
    const command = orderCommand(program, verb)
      .description(`${KINDS[verb].description}; needs a running service`)
      .requiredOption(...REASON)
      .option(...ACTOR)
      .option(...ALONE)
      .option('--key <key>', 'repeat the request that had this key; without it, the request is a new one');
    if (verb !== 'void') command.option('--amount <amount>', 'in major units, such as 10.00 (default: all that is left)');
    command.action((name: string, options: FollowUpOptions) => requestFollowUp(verb, name, options, output()));
  }
};

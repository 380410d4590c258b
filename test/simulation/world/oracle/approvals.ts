import { metadataOf, type StoredEvent } from '@app/event-store';
import { causeOf } from '@app/investigation/approvals';
import { STAFF } from '../operator-port';
import { APPROVED_FROM } from '../installation';
import type { World } from '../world';
import type { Report } from './report';

const FROM_MINOR = BigInt(APPROVED_FROM.replace('.', ''));
const ACTIONS: Readonly<Record<string, string>> = {
  capture: 'capture-order',
  void: 'void-order',
  reversal: 'return-order',
  cancel: 'return-order',
};
/** By the configuration of the world. */
const APPROVED_ACTIONS: ReadonlySet<string> = new Set(['return-order', 'settle-unknown']);
const ADMINS = new Set(STAFF.flatMap(({ name, role }) => (role === 'admin' ? [`operator:${name}`] : [])));
const OF_ORDERS: ReadonlySet<string> = new Set(['AttemptStarted', 'AttemptSettled', 'FollowUpAccepted', 'FollowUpSettled']);
const ANSWERS: ReadonlySet<number | undefined> = new Set([undefined, 200, 202, 403, 404, 409, 503, 504]);

interface Sum {
  readonly minor: string;
  readonly currency: string;
}

interface EventData {
  readonly action?: string;
  readonly orderStream?: string;
  readonly isAlone?: boolean;
  readonly number?: number;
  readonly operation?: string;
  readonly as?: string;
  readonly to?: string;
  readonly amount?: Sum;
}

interface Proposal {
  readonly proposer: string;
  readonly proposed: EventData;
  isApproved: boolean;
  isExecuted: boolean;
}

const needsApproval = ({ minor, currency }: Sum): boolean => currency !== 'USD' || BigInt(minor) >= FROM_MINOR;

/** What needs a second person is done after the approval of another one, or of an admin alone, and once. */
export const checkApprovals = (world: World, events: readonly StoredEvent[], report: Report): void => {
  for (const { about, status } of world.approvals.answers)
    if (!ANSWERS.has(status)) report('an operator is answered as the port promises', about, status);
  const proposals = new Map<string, Proposal>();
  /** Of the newest attempt, and of each follow-up. */
  const sums = new Map<string, Sum>();
  for (const event of events) {
    const { stream, type } = event;
    if (!stream.startsWith('approval-') && !OF_ORDERS.has(type)) continue;
    const data = JSON.parse(event.data) as EventData;
    const { actor, causation } = metadataOf(event);
    if (stream.startsWith('approval-')) {
      checkDecision(proposals, { stream, type, data, actor }, report);
      continue;
    }
    const sumOf = `${stream} ${type === 'AttemptStarted' || type === 'AttemptSettled' ? '' : (data.number ?? '')}`;
    if ((type === 'AttemptStarted' || type === 'FollowUpAccepted') && data.amount !== undefined) sums.set(sumOf, data.amount);
    const isSettled = type === 'AttemptSettled' || type === 'FollowUpSettled';
    if (!actor.startsWith('operator:') || !(isSettled || type === 'FollowUpAccepted')) continue;
    const action = isSettled ? 'settle-unknown' : (ACTIONS[data.operation ?? ''] ?? '');
    const amount = sums.get(sumOf);
    const proposal = proposals.get(causation);
    if (proposal !== undefined) checkExecution(proposal, { stream, action, amount, as: data.as }, report);
    else if (world.configurations.hasApprovals && APPROVED_ACTIONS.has(action) && amount !== undefined && needsApproval(amount))
      report('what needs a second person waits for one', `${stream} ${type}`, { actor, amount });
  }
};

const checkDecision = (
  proposals: Map<string, Proposal>,
  { stream, type, data, actor }: Pick<StoredEvent, 'stream' | 'type'> & { readonly data: EventData; readonly actor: string },
  report: Report,
): void => {
  const cause = causeOf(stream.slice('approval-'.length));
  if (type === 'ActionProposed') proposals.set(cause, { proposer: actor, proposed: data, isApproved: false, isExecuted: false });
  if (type !== 'ActionApproved') return;
  const proposal = proposals.get(cause);
  if (proposal === undefined || proposal.isApproved) return report('a proposal is approved once', stream, actor);
  proposal.isApproved = true;
  if (data.isAlone === true ? !ADMINS.has(actor) : actor === proposal.proposer)
    report('a proposer is not the approver', stream, { actor, ...proposal });
};

const checkExecution = (
  proposal: Proposal,
  done: { readonly stream: string; readonly action: string; readonly amount: Sum | undefined; readonly as: string | undefined },
  report: Report,
): void => {
  const { proposed, isApproved, isExecuted } = proposal;
  const { stream, action, amount, as } = done;
  if (!isApproved) report('what needs a second person waits for one', stream, done);
  if (isExecuted) report('an approved action is done once', stream, done);
  proposal.isExecuted = true;
  const isSame = proposed.orderStream === stream && proposed.action === action && proposed.to === as;
  if (!isSame || proposed.amount?.minor !== amount?.minor) report('what is done is what was approved', stream, { done, proposed });
};

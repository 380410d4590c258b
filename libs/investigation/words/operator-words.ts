import { unreachable } from '@app/kernel/decider';
import { printable } from '@app/kernel/values/printable';
import type { CaseEvent, CaseOpened } from '@app/reconciliation/events';
import type { ActionProposed, ApprovalEvent } from '../approvals/events';
import type { OperatorAuditEvent } from '../record/operator-audit.events';
import { type EventWords, reasonFacts, type Shown, type ShownOf, sum, timeText } from './trail-event';

/** `place-hold` is "place hold". */
const inWords = (name: string): string => name.replaceAll('-', ' ');

const FINDING_TEXTS: Readonly<Record<CaseOpened['data']['kind'], string>> = {
  different: 'the gate settled it differently',
  'missing-here': 'the gate settled what is not in our log',
  'missing-there': 'the gate does not mention what we approved',
  duplicate: 'the gate settled it twice',
};

const caseFacts = ({ gate, kind, operation, source, differences }: Shown<CaseOpened['data']>): readonly string[] => [
  FINDING_TEXTS[kind],
  `${operation} at gate ${gate}`,
  ...differences.map(
    ({ field, ours, theirs }) => `${field}: here ${printable(ours ?? 'nothing')}, at the gate ${printable(theirs ?? 'nothing')}`,
  ),
  source === 'file' ? 'from a settlement file' : 'from an inquiry',
];

const EFFECT_TEXTS = {
  reconciled: 'the order’s final status changed',
  resolved: 'the unknown outcome is resolved',
  'held-already': 'the order had it already',
} as const;

const proposalFacts = ({ action, target, amount, to, expiresAt, reason }: Shown<ActionProposed['data']>): readonly string[] => [
  `${inWords(action)} of ${printable(target)}`,
  ...(amount === undefined ? [] : [sum(amount)]),
  ...(to === undefined ? [] : [`as ${to}`]),
  `expires ${timeText(expiresAt)}`,
  ...reasonFacts(reason),
];

const ENDED_TONES = { done: 'good', refused: 'waiting', failed: 'bad', unknown: 'bad' } as const;

/** Of an order's reconciliation cases, approvals and operators. */
export const operatorWords = (event: ShownOf<CaseEvent | ApprovalEvent | OperatorAuditEvent>): EventWords => {
  switch (event.type) {
    case 'CaseOpened':
      return { title: 'reconciliation case opened', facts: caseFacts(event.data), tone: 'bad' };
    case 'CaseClosed':
      return { title: 'reconciliation case closed', facts: [...reasonFacts(event.data.reason), 'no change'], tone: 'plain' };
    case 'CaseApplied': {
      const { to, effect, reason } = event.data;
      return { title: `reconciliation case applied: ${to}`, facts: [EFFECT_TEXTS[effect], ...reasonFacts(reason)], tone: 'good' };
    }
    case 'ActionProposed':
      return { title: 'action proposed', facts: [`by ${event.data.proposer}`, ...proposalFacts(event.data)], tone: 'waiting' };
    case 'ActionApproved': {
      const { approver, isAlone, reason } = event.data;
      const facts = [`by ${approver}`, ...(isAlone ? ['without a second person'] : []), ...reasonFacts(reason)];
      return { title: 'proposal approved', facts, tone: isAlone ? 'waiting' : 'good' };
    }
    case 'ProposalRejected':
      return { title: 'proposal rejected', facts: [`by ${event.data.rejecter}`, ...reasonFacts(event.data.reason)], tone: 'bad' };
    case 'ProposalExpired':
      return { title: 'proposal expired', facts: [], tone: 'plain' };
    case 'ProposalInvalidated':
      return { title: 'proposal invalidated', facts: [`by revision ${event.data.orderRevision} of the order`], tone: 'plain' };
    case 'ApprovedActionEnded': {
      const { outcome, cause } = event.data;
      const facts = cause === undefined ? [] : [inWords(printable(cause))];
      return { title: `approved action ${outcome}`, facts, tone: ENDED_TONES[outcome] };
    }
    case 'OperatorActionBegun': {
      const { action, role, target, reason } = event.data;
      return {
        title: `operator action: ${inWords(action)}`,
        facts: [printable(target), `as ${role}`, ...reasonFacts(reason)],
        tone: 'plain',
      };
    }
    case 'OperatorActionEnded': {
      const { outcome } = event.data;
      return { title: `operator action ${outcome}`, facts: [], tone: ENDED_TONES[outcome] };
    }
    case 'OperatorQueryAnswered': {
      const { query, role, rows, revealed } = event.data;
      const shown = revealed === undefined ? [] : [`revealed texts: ${revealed.texts}`, ...reasonFacts(revealed.reason)];
      return {
        title: `operator query: ${inWords(query)}`,
        facts: [`as ${role}`, `rows: ${rows}`, ...shown],
        tone: shown.length === 0 ? 'plain' : 'waiting',
      };
    }
    case 'OperatorRequestsRefused': {
      const { cause, count } = event.data;
      return { title: 'operator requests refused', facts: [`cause ${inWords(cause)}`, `count: ${count}`], tone: 'bad' };
    }
    default:
      return unreachable(event);
  }
};

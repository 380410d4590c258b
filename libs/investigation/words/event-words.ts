import { unreachable } from '@app/kernel/decider';
import { printable } from '@app/kernel/values/printable';
import { resultMessage } from '@app/kernel/values/result-codes';
import type { MaskedReceivingCard } from '@app/kernel';
import type { TokenRefusal } from '@app/card-registration/events';
import type { TryFailure } from '@app/callbacks/events';
import type { ChargedBy, CheckFailure, ChosenRoute, NotAskedCause, ScreeningRule, UnknownCause } from '@app/orders/events';
import { operatorWords } from './operator-words';
import { reportWords } from './report-words';
import { type EventWords, reasonFacts, type Shown, sum, textOf, timeText, type TrailEvent } from './trail-event';

const codeText = (code: number): string => {
  const message = resultMessage(code);
  return `code ${code}${message === undefined ? '' : ` (${message})`}`;
};
const approvalFacts = (code: string): readonly string[] => (code === '' ? [] : [`approval code ${printable(code)}`]);
const cardText = ({ bin, lastFour, brand, expiryMonth, expiryYear }: Shown<MaskedReceivingCard>): string => {
  const expiry = expiryMonth === undefined ? '' : ` ${String(expiryMonth).padStart(2, '0')}/${expiryYear}`;
  return `card ${bin}…${lastFour} ${brand}${expiry}`;
};
const cardTexts = (card: { readonly face: Shown<MaskedReceivingCard> } | undefined, role: string): readonly string[] =>
  card === undefined ? [] : [`${role}${cardText(card.face)}`];
const until = (at: string): string => `until ${timeText(at)}`;

const UNKNOWN_TEXTS: Readonly<Record<UnknownCause, string>> = {
  timeout: 'the gate did not answer in time',
  'connection-lost': 'the connection to the gate was lost',
  'unrecognised-answer': 'the gate answered with an unknown status',
  'gate-undecided': 'the gate does not know it yet',
  'adapter-failed': 'the adapter failed after it may have reached the gate',
};

const unknownFacts = (cause: UnknownCause): readonly string[] => [
  UNKNOWN_TEXTS[cause],
  'money may have moved',
  'inquired until the gate answers, never submitted again',
];

const NOT_ASKED_TEXTS: Readonly<Record<NotAskedCause, string>> = {
  unavailable: 'the gate could not be asked',
  'refused-by-gate': 'the gate refused the request itself',
  'never-heard-of': 'the gate has no record of it',
};

const CHARGED_BY_TEXTS: Readonly<Record<ChargedBy, string>> = {
  token: 'by the gate’s own token of the card',
  'network-transaction': 'by the scheme’s id of the first payment',
};

const TOKEN_REFUSAL_TEXTS: Readonly<Record<TokenRefusal, string>> = {
  'refused-by-gate': 'the gate gives none',
  'other-card': 'the gate’s token is of another card',
  'given-up': 'the gate did not answer for a week',
};

const CHECK_TEXTS: Readonly<Record<CheckFailure, string>> = {
  filtered: 'the merchant server filtered it',
  refused: 'the merchant server refused it',
  'malformed-answer': 'the merchant server’s answer is malformed',
  'wrong-signature': 'the merchant server’s answer is not signed by it',
  contradiction: 'the merchant server contradicts the app',
  'unknown-card': 'the merchant server names a card that cannot be used so',
  unreachable: 'the merchant server could not be reached',
};

const RULE_TEXTS: Readonly<Record<ScreeningRule, string>> = {
  'min-amount': 'the amount is below the minimum',
  'max-amount': 'the amount is above the maximum',
  'blocked-bin': 'the card’s number range is blocked',
  'blocked-country': 'the country of payer or issuer is blocked',
  'blocked-ip': 'the payer’s address is blocked',
  'per-card': 'too many orders of this card',
  'per-ip': 'too many orders from this address',
};

const DRAWN = { customer: ', drawn for the customer', chance: ', drawn by chance' } as const;
const routeTexts = ({ rule, drawnBy, leftOut, heldGates }: Shown<ChosenRoute>): readonly string[] => [
  `routing rule ${rule}${drawnBy === undefined ? '' : DRAWN[drawnBy]}`,
  ...(leftOut === undefined ? [] : [`without ${leftOut.join(', ')}, whose circuit is open`]),
  ...(heldGates === undefined ? [] : [`without ${heldGates.join(', ')}, held by an operator`]),
];

const textFacts = (customer: string, details: string): readonly string[] =>
  customer === details ? [`customer and details ${customer}`] : [`customer ${customer}`, `details ${details}`];

/** Why an attempt to deliver a callback failed. */
export const failureText = (failure: Shown<TryFailure>): string => {
  switch (failure.cause) {
    case 'answered':
      return `answered HTTP ${failure.status}`;
    case 'timed-out':
      return 'no answer in time';
    case 'connection-failed':
      return `no connection (${failure.code})`;
    case 'refused-target':
      return `target not allowed (${failure.reason})`;
    case 'answer-too-large':
      return 'the answer was too large';
    case 'answer-malformed':
      return 'the answer was no HTTP';
    case 'not-acknowledged':
      return 'answered, and not acknowledged';
    case 'malformed-request':
      return 'could not be written as HTTP';
    case 'no-address':
      return 'the order names no address any more';
    case 'unknown-merchant':
      return 'the configuration does not know the merchant';
    default:
      return unreachable(failure);
  }
};

/** @throws Error for an unknown event type */
export const eventWords = (event: TrailEvent): EventWords => {
  switch (event.type) {
    case 'OrderAccepted': {
      const { amount, endpointId, card, plan, customer, details } = event.data;
      const facts = [
        `${plan.operation} of ${sum(amount)}`,
        `endpoint ${endpointId}`,
        ...('cardRefId' in event.data ? [`card reference ${event.data.cardRefId}`] : []),
        ...cardTexts(card, ''),
        ...('destination' in event.data ? cardTexts(event.data.destination, 'to ') : []),
        `at ${plan.gates.map(({ alias }) => alias).join(', then ')}`,
        ...(plan.route === undefined ? [] : routeTexts(plan.route)),
        ...textFacts(textOf(customer), textOf(details)),
      ];
      return { title: 'order accepted', facts, tone: 'strong' };
    }
    case 'AttemptStarted': {
      const { number, gate, amount, chargedBy } = event.data;
      return {
        title: `attempt ${number} begun`,
        facts: [
          `gate ${gate}`,
          sum(amount),
          ...(chargedBy === undefined ? [] : [CHARGED_BY_TEXTS[chargedBy]]),
          'recorded before the gate is called',
        ],
        tone: 'plain',
      };
    }
    case 'AttemptApproved': {
      const { receipt, approvalCode } = event.data;
      const authentication = receipt.payerAuthentication === undefined ? [] : [`payer ${receipt.payerAuthentication}`];
      const facts = [`transaction ${printable(receipt.transactionId)}`, ...approvalFacts(approvalCode), ...authentication];
      return { title: 'gate approved', facts, tone: 'good' };
    }
    case 'AttemptDeclined': {
      const { code, by, receipt } = event.data;
      const facts = [codeText(code), ...(receipt === undefined ? [] : [`transaction ${printable(receipt.transactionId)}`])];
      return by === 'gate' ? { title: 'gate declined', facts, tone: 'bad' } : { title: 'payer did not come back', facts, tone: 'bad' };
    }
    case 'AttemptTaken': {
      const { gateOrderId, session } = event.data;
      const name = gateOrderId === undefined ? [] : [`order ${printable(gateOrderId)} at the gate`];
      return {
        title: 'gate has the attempt',
        facts: [...name, ...(session === undefined ? [] : [`session ${textOf(session)}`])],
        tone: 'plain',
      };
    }
    case 'AttemptUnknown':
      return {
        title: 'outcome unknown',
        facts: unknownFacts(event.data.cause),
        tone: 'waiting',
      };
    case 'AttemptNotAsked':
      return { title: 'nothing charged', facts: [NOT_ASKED_TEXTS[event.data.cause]], tone: 'bad' };
    case 'PayerChallenged': {
      const { transactionId, page, payerDueAt, isHosted } = event.data;
      const hosted = isHosted === true ? ['at pages of the gate, which goes on by itself and is asked how it went'] : [];
      const facts = [`transaction ${printable(transactionId)}`, `page ${textOf(page)}`, until(payerDueAt), ...hosted];
      return { title: 'payer must authenticate', facts, tone: 'waiting' };
    }
    case 'PayerReturned':
      return { title: 'payer came back', facts: ['recorded before the gate continues'], tone: 'plain' };
    case 'AttemptSettled': {
      const { as, reason } = event.data;
      return { title: `resolved by a person: ${as}`, facts: reasonFacts(reason), tone: as === 'approved' ? 'good' : 'bad' };
    }
    case 'MerchantChecked': {
      const { source, destination, randomSum, feeAskedBy } = event.data;
      const facts = [
        'the merchant server confirmed it',
        ...(source === undefined ? [] : [`card reference ${source.cardRefId}`, cardText(source.card.face)]),
        ...(destination === undefined ? [] : [`to card reference ${destination.cardRefId}`, cardText(destination.card.face)]),
        ...(randomSum === undefined ? [] : [`random sum ${randomSum}`]),
        ...(feeAskedBy === undefined ? [] : [`gate ${feeAskedBy} asks the consumer for the fee`]),
      ];
      return { title: 'check passed', facts, tone: 'plain' };
    }
    case 'MerchantCheckFailed':
      return { title: 'check failed', facts: [CHECK_TEXTS[event.data.cause]], tone: 'bad' };
    case 'FeesOffered': {
      const { offers, choiceDueAt } = event.data;
      const facts = [...offers.map(({ gate, commission }) => `${gate} for ${sum(commission)}`), until(choiceDueAt)];
      return { title: 'consumer must choose a fee', facts, tone: 'waiting' };
    }
    case 'FeeChosen': {
      const { gate, commission } = event.data;
      return { title: 'fee chosen', facts: [`gate ${gate}`, sum(commission)], tone: 'plain' };
    }
    case 'GateFeesOffered': {
      const { offers, choiceDueAt } = event.data;
      const facts = [...offers.map(({ option, commission }) => `${printable(option)} for ${sum(commission)}`), until(choiceDueAt)];
      return { title: 'consumer must choose a fee of the gate', facts, tone: 'waiting' };
    }
    case 'GateFeeChosen': {
      const { option, commission } = event.data;
      return {
        title: 'fee of the gate chosen',
        facts: [printable(option), sum(commission), 'recorded before it is sent to the gate'],
        tone: 'plain',
      };
    }
    case 'CommissionDiffered': {
      const { offered, held } = event.data;
      return {
        title: 'gate held another fee',
        facts: [`offered ${sum(offered)}, held ${sum(held)}`, 'no change'],
        tone: 'bad',
      };
    }
    case 'CardsMapped': {
      const { source, destination, isAcknowledged, isNotificationOff = false } = event.data;
      const notified = isAcknowledged ? 'acknowledged by the merchant server' : 'not acknowledged: to be notified again';
      const facts = [
        `reference ${source.cardRefId}`,
        ...(destination === undefined ? [] : [`destination ${destination.cardRefId}`]),
        isNotificationOff ? 'card notifications are off' : notified,
      ];
      return { title: 'cards mapped', facts, tone: isAcknowledged || isNotificationOff ? 'good' : 'waiting' };
    }
    case 'NextAttemptChosen': {
      const { gate, amount, amountNumber } = event.data;
      return { title: 'next attempt chosen', facts: [`gate ${gate}`, `amount ${amountNumber}: ${sum(amount)}`], tone: 'plain' };
    }
    case 'OrderScreened': {
      const { rulesVersion, bin, cardCount, ipCount, brokenRule } = event.data;
      const facts = [
        brokenRule === undefined ? 'no rule broken' : RULE_TEXTS[brokenRule],
        `BIN ${bin}`,
        ...(cardCount === undefined ? [] : [`${cardCount} before of this card`]),
        ...(ipCount === undefined ? [] : [`${ipCount} before from this address`]),
        `rules ${rulesVersion}`,
      ];
      return { title: 'order screened', facts, tone: brokenRule === undefined ? 'plain' : 'bad' };
    }
    case 'LateResultConflict': {
      const { believed, told, transactionId } = event.data;
      const facts = [`recorded ${believed}, gate reports ${told}`, `transaction ${printable(transactionId)}`, 'no change'];
      return { title: 'gate contradicts itself', facts, tone: 'bad' };
    }
    case 'OrderApproved': {
      const { amount, receiptId } = event.data;
      return { title: 'order approved', facts: [sum(amount), `receipt ${receiptId}`], tone: 'good' };
    }
    case 'OrderDeclined':
      return { title: 'order declined', facts: [codeText(event.data.code)], tone: 'bad' };
    case 'OrderFiltered':
      return { title: 'order filtered', facts: [codeText(event.data.code)], tone: 'bad' };
    case 'OrderFailed':
      return { title: 'order failed', facts: [codeText(event.data.code), 'nothing was charged'], tone: 'bad' };
    case 'FollowUpAccepted': {
      const { number, operation, amount, gate, comment } = event.data;
      const facts = [sum(amount), `gate ${gate}`, ...(comment === undefined ? [] : [`comment ${textOf(comment)}`])];
      return { title: `follow-up ${number}: ${operation} accepted`, facts, tone: 'strong' };
    }
    case 'FollowUpStarted':
      return { title: `follow-up ${event.data.number} begun`, facts: ['recorded before the gate is called'], tone: 'plain' };
    case 'FollowUpUnknown': {
      const { number, cause } = event.data;
      return { title: `follow-up ${number} unknown`, facts: unknownFacts(cause), tone: 'waiting' };
    }
    case 'FollowUpApproved': {
      const { number, receipt, approvalCode } = event.data;
      const facts = [`transaction ${printable(receipt.transactionId)}`, ...approvalFacts(approvalCode)];
      return { title: `follow-up ${number} approved`, facts, tone: 'good' };
    }
    case 'FollowUpDeclined': {
      const { number, code, receipt } = event.data;
      const facts = [codeText(code), ...(receipt === undefined ? [] : [`transaction ${printable(receipt.transactionId)}`])];
      return { title: `follow-up ${number} declined`, facts, tone: 'bad' };
    }
    case 'FollowUpFailed':
      return { title: `follow-up ${event.data.number} failed`, facts: [codeText(event.data.code), 'nothing moved'], tone: 'bad' };
    case 'FollowUpSettled': {
      const { number, as, reason } = event.data;
      const facts = [`as ${as}`, ...reasonFacts(reason)];
      return { title: `follow-up ${number} resolved by a person`, facts, tone: as === 'approved' ? 'good' : 'bad' };
    }
    case 'LateFollowUpConflict': {
      const { number, believed, told, transactionId } = event.data;
      const facts = [`recorded ${believed}, gate reports ${told}`, `transaction ${printable(transactionId)}`, 'no change'];
      return { title: `gate contradicts itself on follow-up ${number}`, facts, tone: 'bad' };
    }
    case 'ReversalReported':
    case 'ChargebackReceived':
    case 'RepresentmentReported':
    case 'FraudWarningReceived':
    case 'ReportSetAside':
      return reportWords(event);
    case 'OutcomeReconciled': {
      const { from, to, gate, amount, caseId } = event.data;
      const facts = [
        `from ${from} to ${to}`,
        sum(amount),
        `as gate ${gate} settled it`,
        `case ${caseId}`,
        ...reasonFacts(event.data.reason),
      ];
      return { title: 'final status reconciled', facts, tone: to === 'approved' ? 'good' : 'bad' };
    }
    case 'FollowUpReconciled': {
      const { number, from, to, gate, caseId } = event.data;
      const facts = [`from ${from} to ${to}`, `as gate ${gate} settled it`, `case ${caseId}`, ...reasonFacts(event.data.reason)];
      return { title: `follow-up ${number} reconciled`, facts, tone: to === 'approved' ? 'good' : 'bad' };
    }
    case 'CardReferenceIssued': {
      const { cardRefId, use, card } = event.data;
      return { title: 'card registered', facts: [`reference ${cardRefId}`, `as ${use}`, cardText(card.face)], tone: 'good' };
    }
    case 'LegalHoldPlaced':
      return {
        title: 'legal hold placed',
        facts: [...reasonFacts(event.data.reason), 'nothing is erased until it is released'],
        tone: 'waiting',
      };
    case 'LegalHoldReleased':
      return { title: 'legal hold released', facts: reasonFacts(event.data.reason), tone: 'plain' };
    case 'ErasureRequested': {
      const { cause, texts, cards, requestId, reason } = event.data;
      const facts = [
        cause === 'request' ? 'on request' : 'by age',
        `keys of texts: ${texts.length}`,
        `cards: ${cards.length}`,
        ...reasonFacts(reason),
        `request ${requestId}`,
        'recorded before anything is destroyed',
      ];
      return { title: 'erasure requested', facts, tone: 'waiting' };
    }
    case 'Erased':
      return { title: 'erased', facts: [`request ${event.data.requestId}`, 'in the vault, for good'], tone: 'bad' };
    case 'CardShredded':
      return { title: 'card reference ended', facts: ['its card is erased', 'recorded before the card is shredded'], tone: 'bad' };
    case 'GateTokenWanted':
      return { title: 'gate token wanted', facts: [`gate ${event.data.gate}`, 'recorded before the gate is asked'], tone: 'waiting' };
    case 'GateTokenKept': {
      const { gate, token } = event.data;
      return {
        title: 'gate token kept',
        facts: [`gate ${gate}`, `token ${printable(token)}`, 'charged there without the card'],
        tone: 'good',
      };
    }
    case 'GateTokenRefused': {
      const { gate, cause } = event.data;
      return { title: 'no gate token', facts: [`gate ${gate}`, TOKEN_REFUSAL_TEXTS[cause]], tone: 'bad' };
    }
    case 'NetworkTransactionKept': {
      const { gate, networkTransactionId } = event.data;
      return {
        title: 'network transaction kept',
        facts: [`from gate ${gate}`, `id ${printable(networkTransactionId)}`],
        tone: 'good',
      };
    }
    case 'CallbackDelivered': {
      const { tries, status, factId, target } = event.data;
      return { title: 'callback delivered', facts: [target, `HTTP ${status}`, `try ${tries}`, `webhook-id ${factId}`], tone: 'good' };
    }
    case 'CallbackFailed': {
      const { tryNumber, failure, nextTryAt, target } = event.data;
      const facts = [target, `try ${tryNumber}`, printable(failureText(failure)), `again at ${timeText(nextTryAt)}`];
      return { title: 'callback failed', facts, tone: 'waiting' };
    }
    case 'CallbackResendRequested':
      return {
        title: 'callback to be sent again',
        facts: [event.data.target, ...reasonFacts(event.data.reason), 'due at once'],
        tone: 'waiting',
      };
    case 'CallbackExhausted': {
      const { tries, failure, target } = event.data;
      return { title: 'callback given up', facts: [target, `after ${tries} tries`, printable(failureText(failure))], tone: 'bad' };
    }
    case 'CaseOpened':
    case 'CaseClosed':
    case 'CaseApplied':
    case 'ActionProposed':
    case 'ActionApproved':
    case 'ProposalRejected':
    case 'ProposalExpired':
    case 'ProposalInvalidated':
    case 'ApprovedActionEnded':
    case 'OperatorActionBegun':
    case 'OperatorActionEnded':
    case 'OperatorQueryAnswered':
    case 'OperatorRequestsRefused':
      return operatorWords(event);
    default:
      return unreachable(event);
  }
};

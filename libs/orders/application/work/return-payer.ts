import type { AttemptKey, Failpoints } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { claimedAt, CLAIMS_ANEW_WITHIN_MS, isAtHostedChallenge, longestFlightMsOf, type Attempt } from '../../domain';
import { gateCall, type GateCaller } from '../gates/gate-caller';
import type { InquireAttempt } from '../gates/inquire-attempt';
import { sentAttempt } from '../gates/sent-requests';
import type { ClaimBeforeSending } from '../gates/claim-before-sending';
import type { OpenOrder, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

interface ReturnPayerPorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly caller: GateCaller;
  readonly claims: ClaimBeforeSending;
  readonly inquiring: Pick<InquireAttempt, 'inquire'>;
  readonly gates: Gates;
  readonly failpoints: Failpoints;
}

/**
 * Starts the second leg of 3-D Secure. The return is durable before the gate is notified, only by the recording process; after a crash the gate gets
 * an inquiry instead (architecture, rule 12). If the gate hosts the authentication, the return only triggers an inquiry.
 */
export class ReturnPayer {
  constructor(private readonly ports: ReturnPayerPorts) {}

  async payerReturned(stream: StreamName, key: AttemptKey, brought: ReadonlyMap<string, string>): Promise<OpenOrder | 'unknown-attempt'> {
    const open = await this.ports.contexts.open(stream);
    const { attempts } = open.processing;
    if (attempts.status === 'none' || attempts.key !== key) return 'unknown-attempt';
    // The gate continued without us and returns the outcome on inquiry.
    if (isAtHostedChallenge(attempts)) return this.ports.inquiring.inquire(open);
    const flightMs = longestFlightMsOf(open.processing, attempts.gate);
    return this.ports.caller.whileUnderWay(key, flightMs, () => this.complete(open, attempts, brought));
  }

  private async complete(open: OpenOrder, attempt: Attempt, brought: ReadonlyMap<string, string>): Promise<OpenOrder> {
    const { key, gate } = attempt;
    const claim = await this.ports.claims.hold(open, {
      first: (now) =>
        this.ports.recorder.claim(open, { type: 'RecordPayerReturn', receiptId: this.ports.recorder.receiptId(), data: { key, now } }),
      sentAtOf: ({ processing: { attempts } }) => claimedAt(attempts, key, 'second'),
      renew: (existing, sentAt, now) =>
        this.ports.recorder.claim(existing, { type: 'RenewClaim', receiptId: this.ports.recorder.receiptId(), data: { key, sentAt, now } }),
      withinMs: CLAIMS_ANEW_WITHIN_MS,
    });
    if (claim.kind === 'not-held') return this.ports.contexts.open(open.stream);
    if (claim.kind === 'given-up')
      return this.ports.recorder.recordAnswer(claim.order, { key, answer: { kind: 'not-asked', cause: 'never-heard-of' } });
    this.ports.failpoints.reach('P6a');
    const authentication = this.ports.gates.gate(gate).payerAuthentication;
    const keyed = { ...gateCall(open, gate, { task: 'complete' }), key, longestFlightMs: longestFlightMsOf(open.processing, gate) };
    const answer = await this.ports.caller.ask(open.order, keyed, {
      call: async (limit) =>
        authentication === undefined || authentication === 'hosted'
          ? { kind: 'unknown', cause: 'unrecognised-answer' }
          : authentication.complete(sentAttempt(open, attempt), brought, limit),
      recordLate: (late) => this.ports.recorder.recordAnswer(claim.order, { key, answer: late }),
    });
    this.ports.failpoints.reach('P6b');
    return this.ports.recorder.recordAnswer(claim.order, { key, answer });
  }
}

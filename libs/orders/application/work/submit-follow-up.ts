import { unreachable, type AttemptKey, type Clock, type Failpoints, type Ids } from '@app/kernel';
import type { CallLimit, FollowUpAnswer, FollowUpRequest, Gate, Gates } from '@app/gateway-adapters/contract';
import { followedOrder, followUpClaimedAt, type FollowUp } from '../../domain';
import { gateCall, type GateCaller } from '../gates/gate-caller';
import type { ClaimBeforeSending } from '../gates/claim-before-sending';
import { followUpRequest } from '../gates/sent-requests';
import type { NotificationAddresses } from '../gates/gate-notification-ports';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

type Call = (request: FollowUpRequest, limit: CallLimit) => Promise<FollowUpAnswer>;

interface SubmitFollowUpPorts {
  readonly recorder: OrderRecorder;
  readonly caller: GateCaller;
  readonly claims: ClaimBeforeSending;
  readonly gates: Gates;
  readonly notifications: NotificationAddresses;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly failpoints: Failpoints;
}

/** The only place that sends a capture, return or void: once, because the claim by exact revision decides who submits (safety, I1b). */
export class SubmitFollowUp {
  constructor(private readonly ports: SubmitFollowUpPorts) {}

  async submit(open: OpenOrder, number: number): Promise<OpenOrder> {
    const followUp = open.processing.followUps[number - 1];
    if (followUp?.status !== 'accepted') return open;
    // Before the claim, so that a gate missing from the configuration leaves the follow-up unchanged.
    const gate = this.ports.gates.gate(followUp.gate);
    const key = this.ports.ids.next() as AttemptKey;
    return this.ports.caller.whileUnderWay(key, followUp.longestFlightMs, () => this.send(open, followUp, gate, key));
  }

  private async send(open: OpenOrder, followUp: FollowUp, gate: Gate, key: AttemptKey): Promise<OpenOrder> {
    const { number } = followUp;
    let seen = open;
    const claim = await this.ports.claims.hold(open, {
      // Sent even if another follow-up was recorded first; if another process sends it, the claim is refused.
      first: async (now) => {
        const claim = await this.ports.recorder.claimWithRetries(open, () => ({ type: 'StartFollowUp', data: { number, key, now } }));
        seen = claim.seen;
        return claim;
      },
      sentAtOf: ({ processing }) => followUpClaimedAt(processing.followUps[number - 1], key),
      renew: async (existing, sentAt, now) =>
        this.ports.recorder.claimWithRetries(existing, () => ({ type: 'RenewFollowUp', data: { number, key, sentAt, now } })),
      withinMs: Infinity,
    });
    // Another process sends it, or no money is left for it.
    if (claim.kind !== 'held') return claim.order === open ? seen : claim.order;
    this.ports.failpoints.reach('P5');
    const call = this.callOf(claim.order, followUp, gate);
    const asked = { ...gateCall(open, followUp.gate, { task: 'submit', asked: claim.order.traceOf(number) }), followUp: number };
    const answer = await this.ports.caller.askFollowUp(
      { ...asked, key, longestFlightMs: followUp.longestFlightMs },
      async (limit) => {
        if (call === undefined) return { kind: 'not-asked', cause: 'refused-by-gate' };
        const url = gate.listening && this.ports.notifications.notificationUrl(followUp.gate, open.stream, key);
        const answering = call(followUpRequest(claim.order, followUp, { key, notificationUrl: url }), limit);
        this.ports.failpoints.reach('P6');
        return answering;
      },
      (late) => this.ports.recorder.recordFollowUpAnswer(claim.order, { number, key, answer: late }),
    );
    this.ports.failpoints.reach('P7');
    const after = await this.ports.recorder.recordFollowUpAnswer(claim.order, { number, key, answer });
    this.ports.failpoints.reach('P8');
    return after;
  }

  /** Undefined if the gate no longer offers the operation: nothing is sent. */
  private callOf(open: OpenOrder, { operation }: FollowUp, { capturing, returning, voiding }: Gate): Call | undefined {
    switch (operation) {
      case 'capture':
        return capturing && ((request, limit) => capturing.capture(request, limit));
      case 'reversal':
      case 'cancel':
        return returning && ((request, limit) => returning.refund(request, limit));
      case 'void': {
        const order = followedOrder(open.processing);
        // An amount cleared while the void waited can only be returned.
        const isCleared =
          'approvedAt' in order && voiding !== undefined && this.ports.clock.now() >= voiding.voidableUntil(order.approvedAt);
        return voiding === undefined || isCleared ? undefined : (request, limit) => voiding.void(request, limit);
      }
      default:
        return unreachable(operation);
    }
  }
}

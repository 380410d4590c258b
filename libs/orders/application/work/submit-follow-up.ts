import { unreachable, type AttemptKey, type Clock, type Failpoints, type Ids } from '@app/kernel';
import type { CallLimit, FollowUpAnswer, FollowUpRequest, Gate, Gates } from '@app/gateway-adapters/contract';
import { followedOrder, followUpClaimedAt, type FollowUp } from '../../domain';
import { gateCall, type GateCaller } from '../gates/gate-caller';
import type { HoldClaim } from '../gates/hold-claim';
import { followUpRequest } from '../gates/sent-requests';
import type { NotificationAddresses } from '../gates/hearing-ports';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

type Call = (request: FollowUpRequest, limit: CallLimit) => Promise<FollowUpAnswer>;

/** The only place where a capture, return or void leaves for a gate: once, because the claim by exact revision decides who submits (safety, I1b). */
export class SubmitFollowUp {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly claims: HoldClaim,
    private readonly gates: Gates,
    private readonly notifications: NotificationAddresses,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly failpoints: Failpoints,
  ) {}

  /** Resolves to the order afterwards. */
  async submit(open: OpenOrder, number: number): Promise<OpenOrder> {
    const followUp = open.processing.followUps[number - 1];
    if (followUp?.status !== 'accepted') return open;
    // Before the claim, so that a gate that the configuration has lost leaves the follow-up as it was and due again.
    const gate = this.gates.gate(followUp.gate);
    const key = this.ids.next() as AttemptKey;
    return this.caller.whileUnderWay(key, followUp.longestFlightMs, () => this.send(open, followUp, gate, key));
  }

  private async send(open: OpenOrder, followUp: FollowUp, gate: Gate, key: AttemptKey): Promise<OpenOrder> {
    const { number } = followUp;
    let seen = open;
    const claim = await this.claims.hold(open, {
      // Where another follow-up of the order was faster this one is still to be sent; where another process sends it, the claim is refused.
      first: async (now) => {
        const claim = await this.recorder.claimWithRetries(open, () => ({ type: 'StartFollowUp', data: { number, key, now } }));
        seen = claim.seen;
        return claim;
      },
      sentAtOf: ({ processing }) => followUpClaimedAt(processing.followUps[number - 1], key),
      renew: async (existing, sentAt, now) =>
        this.recorder.claimWithRetries(existing, () => ({ type: 'RenewFollowUp', data: { number, key, sentAt, now } })),
      withinMs: Infinity,
    });
    // Another process sends it, or nothing is left for it to move.
    if (claim.kind !== 'held') return claim.order === open ? seen : claim.order;
    this.failpoints.reach('P5');
    const call = this.callOf(claim.order, followUp, gate);
    const asked = { ...gateCall(open, followUp.gate, 'submit', claim.order.traceOf(number)), followUp: number };
    const answer = await this.caller.askFollowUp(
      { ...asked, key, longestFlightMs: followUp.longestFlightMs },
      async (limit) => {
        if (call === undefined) return { kind: 'not-asked', cause: 'refused-by-gate' };
        const url = gate.listening && this.notifications.notificationUrl(followUp.gate, open.stream, key);
        const answering = call(followUpRequest(claim.order, followUp, key, url), limit);
        this.failpoints.reach('P6');
        return answering;
      },
      (late) => this.recorder.recordFollowUpAnswer(claim.order, number, key, late),
    );
    this.failpoints.reach('P7');
    const after = await this.recorder.recordFollowUpAnswer(claim.order, number, key, answer);
    this.failpoints.reach('P8');
    return after;
  }

  /** Undefined where the gate no longer offers the operation: nothing is sent. */
  private callOf(open: OpenOrder, { operation }: FollowUp, { capturing, returning, voiding }: Gate): Call | undefined {
    switch (operation) {
      case 'capture':
        return capturing && ((request, limit) => capturing.capture(request, limit));
      case 'reversal':
      case 'cancel':
        return returning && ((request, limit) => returning.refund(request, limit));
      case 'void': {
        const order = followedOrder(open.processing);
        // What was cleared while the void waited can only be returned.
        const isCleared = 'approvedAt' in order && voiding !== undefined && this.clock.now() >= voiding.voidableUntil(order.approvedAt);
        return voiding === undefined || isCleared ? undefined : (request, limit) => voiding.void(request, limit);
      }
      default:
        return unreachable(operation);
    }
  }
}

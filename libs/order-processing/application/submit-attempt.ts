import type { AttemptKey, Clock, Failpoints, Ids, Secret } from '@app/kernel';
import { CardErased, type CardVault } from '@app/card-vault';
import type { ChargeAnswer, ChargeRequest, Gate, Gates } from '@app/gateway-adapters/contract';
import type { StreamName } from '@app/event-store';
import type { GateCaller } from './gate-caller';
import type { OpenOrder } from './order-context';
import type { OrderRecorder } from './order-recorder';

/** Where the gate sends the payer's browser back to, for one attempt. */
export interface PayerAddresses {
  returnUrl(stream: StreamName, key: AttemptKey): string;
}

/**
 * The only place where a charge leaves the house. Its trigger comes at least once, to any process (with a CVV: to the one that accepted);
 * the charge goes out at most once, for the claim by exact revision says who submits (architecture, rule 4).
 */
export class SubmitAttempt {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly vault: CardVault,
    private readonly payer: PayerAddresses,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly failpoints: Failpoints,
  ) {}

  /** The order as it stands afterwards. */
  async submit(open: OpenOrder, cvv?: Secret<string>): Promise<OpenOrder> {
    const { plan, merchant, card: kept } = open.order;
    if (open.processing.end !== undefined || open.processing.attempts.status !== 'none') return open;
    if (plan.cvvHolder !== undefined && cvv === undefined) return open; // an order that came with a CVV never goes on without it
    const gate = this.gates.gate(plan.gates[0].alias);
    // Before the claim: a vault that is away leaves the order as it was, due again.
    const card = await this.vault.open(merchant, kept.handle).catch((error: unknown) => {
      if (error instanceof CardErased) return undefined;
      throw error;
    });
    const key = this.ids.next() as AttemptKey;
    return this.caller.whileUnderWay(key, () => this.charge(open, gate, key, card, cvv));
  }

  private async charge(
    open: OpenOrder,
    gate: Gate,
    key: AttemptKey,
    card: ChargeRequest['card'] | undefined,
    cvv: Secret<string> | undefined,
  ): Promise<OpenOrder> {
    const { amount, card: kept } = open.order;
    const issuer = gate.bins?.binFacts(kept.face.bin);
    const now = this.clock.now();
    const claim = await this.recorder.claim(open, {
      type: 'StartAttempt',
      receiptId: this.recorder.receiptId(),
      data: { key, gate: gate.profile.alias, amount, now, ...(issuer && { issuer }) },
    });
    if (claim.kind !== 'appended') return open; // another process submits
    this.failpoints.reach('P5');
    const charging = gate.charging;
    const answer = await this.caller.ask(open.order, now, async (): Promise<ChargeAnswer> => {
      if (card === undefined || charging === undefined) return { kind: 'not-asked', cause: 'refused-by-gate' };
      const answering = charging.charge(this.request(open, key, card, cvv));
      this.failpoints.reach('P6');
      return answering;
    });
    this.failpoints.reach('P7');
    const after = await this.recorder.recordAnswer(claim.order, key, answer);
    this.failpoints.reach('P8');
    return after;
  }

  private request(open: OpenOrder, key: AttemptKey, card: ChargeRequest['card'], cvv: Secret<string> | undefined): ChargeRequest {
    const { orderId, merchant, endpointId, clientOrderId, amount } = open.order;
    return {
      key,
      orderId,
      merchant,
      endpointId,
      clientOrderId,
      amount,
      card,
      ...(cvv !== undefined && { cvv }),
      ...(open.marks === undefined ? { payerReturnUrl: this.payer.returnUrl(open.stream, key) } : { recurrent: open.marks }),
    };
  }
}

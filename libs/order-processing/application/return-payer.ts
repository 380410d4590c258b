import type { AttemptKey, Clock, Failpoints, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import type { GateCaller } from './gate-caller';
import type { OpenOrder, OrderContexts } from './order-context';
import type { OrderRecorder } from './order-recorder';

/**
 * The second leg of 3-D Secure: the payer's browser is back. Durable before the gate hears of it; the gate is told once, by whoever wrote
 * that down, and after a crash it is asked, not told again (architecture, rule 12).
 */
export class ReturnPayer {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly clock: Clock,
    private readonly failpoints: Failpoints,
  ) {}

  /** The order as it stands afterwards; `unknown-attempt` where no attempt of this key waits or waited for a payer. */
  async payerReturned(stream: StreamName, key: AttemptKey, brought: ReadonlyMap<string, string>): Promise<OpenOrder | 'unknown-attempt'> {
    const open = await this.contexts.open(stream);
    const { attempts } = open.processing;
    if (attempts.status === 'none' || attempts.key !== key) return 'unknown-attempt';
    return this.caller.whileUnderWay(key, () => this.complete(open, attempts.gate, key, brought));
  }

  private async complete(open: OpenOrder, gate: GateAlias, key: AttemptKey, brought: ReadonlyMap<string, string>): Promise<OpenOrder> {
    const now = this.clock.now();
    const command = { type: 'RecordPayerReturn' as const, receiptId: this.recorder.receiptId(), data: { key, now } };
    const claim = await this.recorder.claim(open, command);
    if (claim.kind !== 'appended') return this.contexts.open(open.stream);
    this.failpoints.reach('P6a');
    const authentication = this.gates.gate(gate).payerAuthentication;
    const answer = await this.caller.ask(open.order, now, async () =>
      authentication === undefined ? { kind: 'unknown', cause: 'unrecognised-answer' } : authentication.complete(key, brought),
    );
    this.failpoints.reach('P6b');
    return this.recorder.recordAnswer(claim.order, key, answer);
  }
}

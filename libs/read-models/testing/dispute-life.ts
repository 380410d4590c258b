import type { GateAlias, Instant, Money } from '@app/kernel';
import type { DisputeEvent } from '@app/orders/events';

export class DisputeLife {
  #case: 'none' | 'open' | 'over' = 'none';
  #count = 0;

  nextEvents(gate: GateAlias, amount: Money, at: Instant): readonly (() => DisputeEvent)[] {
    const callbacks = ['notify'] as const;
    const common = { gate, source: 'gate', receivedAt: at } as const;
    const sum = { ...amount, minor: 1n };
    const stage = this.#case === 'none' ? 'first' : 'second';
    const own = (): { readonly reportId: string } => ({ reportId: `R-${(this.#count += 1)}` });
    const ofCase = { ...common, reportId: 'CB-1', amount: sum, callbacks };
    const chargeback = (): DisputeEvent => {
      this.#case = this.#case === 'none' ? 'open' : 'over';
      return { type: 'ChargebackReceived', data: { ...ofCase, stage, reasonCode: '10.4', happenedAt: at } };
    };
    const represented = (outcome: 'won' | 'lost') => (): DisputeEvent => ({
      type: 'RepresentmentReported',
      data: { ...ofCase, stage: 'first', outcome },
    });
    return [
      () => ({
        type: 'ReversalReported',
        data: { ...common, ...own(), operation: 'reversal', amount: sum, isAboveTaken: true, callbacks },
      }),
      () => ({ type: 'FraudWarningReceived', data: { ...common, ...own(), callbacks } }),
      () => ({ type: 'ReportSetAside', data: { ...common, ...own(), kind: 'chargeback', cause: 'currency-differs', amount: sum } }),
      ...(this.#case === 'over' ? [] : [chargeback]),
      ...(this.#case === 'open' ? [represented('won'), represented('lost')] : []),
    ];
  }
}

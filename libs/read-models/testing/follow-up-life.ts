import type { AttemptKey, GateAlias, Instant, Money, Sealed } from '@app/kernel';
import type { FollowUpEvent, Receipt } from '@app/orders/events';

interface Followed {
  readonly attemptKey: AttemptKey;
  readonly gate: GateAlias;
  readonly amount: Money;
  readonly receiptOf: (key: AttemptKey) => Receipt;
}

type Status = 'accepted' | 'started' | 'unknown' | 'final';

export class FollowUpLife {
  #number = 0;
  #status: Status = 'final';

  nextEvents({ attemptKey, gate, amount, receiptOf }: Followed, at: Instant): readonly (() => FollowUpEvent)[] {
    const key = `${attemptKey}-${this.#number}` as AttemptKey;
    const number = this.#number;
    const callbacks = ['notify'] as const;
    const moved =
      (status: Status, event: FollowUpEvent): (() => FollowUpEvent) =>
      () => {
        this.#status = status;
        return event;
      };
    const ask = (): FollowUpEvent => {
      this.#number += 1;
      this.#status = 'accepted';
      const sum = { ...amount, minor: 1n };
      const plan = { original: attemptKey, gate, longestFlightMs: 5_000, callbacks, acceptedAt: at };
      return { type: 'FollowUpAccepted', data: { number: this.#number, operation: 'reversal', amount: sum, ...plan } };
    };
    const approve = moved('final', {
      type: 'FollowUpApproved',
      data: { number, receipt: receiptOf(key), approvalCode: `F${number}`, callbacks, approvedAt: at },
    });
    const decline = moved('final', {
      type: 'FollowUpDeclined',
      data: { number, code: 116, receipt: receiptOf(key), callbacks, declinedAt: at },
    });
    switch (this.#status) {
      case 'final':
        return number === 0
          ? [ask]
          : [
              ask,
              () => ({
                type: 'LateFollowUpConflict',
                data: { number, believed: 'failed', told: 'approved', transactionId: 'late', toldAt: at },
              }),
            ];
      case 'accepted':
        return [moved('started', { type: 'FollowUpStarted', data: { number, attemptKey: key, startedAt: at } })];
      case 'started':
        return [
          approve,
          decline,
          moved('unknown', { type: 'FollowUpUnknown', data: { number, cause: 'timeout', answeredAt: at } }),
          moved('final', { type: 'FollowUpFailed', data: { number, code: 122, callbacks, failedAt: at } }),
        ];
      case 'unknown':
        return [
          approve,
          moved('final', {
            type: 'FollowUpSettled',
            data: { number, as: 'declined', reason: 'sealed' as Sealed, callbacks, settledAt: at },
          }),
        ];
    }
  }
}

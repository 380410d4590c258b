import type { Sealed } from '@app/kernel';
import { ATTEMPT_HISTORIES, attemptEvents, deciderSpec, OTHER_KEY, processingCommands } from '@app/testing';
import { attempts } from './attempts';
import { evolveAttempts, type Attempts } from './attempts.state';

const { given } = deciderSpec(attempts);
const { recordTaken } = processingCommands;
const { started, taken, unknown, challenged, payerReturned } = attemptEvents;
const NAME = { gateOrderId: '1000000007' };
const SESSION = { session: 'key.iv.text' as Sealed };
const nothingNew = { reason: 'nothing-new' } as const;

describe('what a gate that has the attempt gives for further questions', () => {
  it.each(['started', 'unknown', 'payer-needed', 'payer-returned'] as const)('is recorded of an attempt that is open: %s', (status) => {
    given(...ATTEMPT_HISTORIES[status])
      .when(recordTaken(NAME))
      .then(taken(NAME));
  });

  it.each(['none', 'approved', 'declined', 'not-asked'] as const)('is not recorded where nothing is asked any more: %s', (status) => {
    given(...ATTEMPT_HISTORIES[status])
      .when(recordTaken(NAME))
      .thenRejected(nothingNew);
  });

  it('is recorded once, and what the gate gave first counts', () => {
    given(started(), taken(NAME))
      .when(recordTaken({ gateOrderId: '1000000008' }))
      .thenRejected(nothingNew);
    given(started(), taken(NAME))
      .when(recordTaken({ gateOrderId: '1000000008', ...SESSION }))
      .then(taken(SESSION));
  });

  it('is nothing where the gate gave nothing, or the attempt is another one', () => {
    given(started()).when(recordTaken({})).thenRejected(nothingNew);
    given(started())
      .when(recordTaken(NAME, { key: OTHER_KEY }))
      .thenRejected(nothingNew);
  });

  it('is kept whatever else happens while the outcome is open', () => {
    const state = [started(), taken(NAME), taken(SESSION), unknown(), challenged(), payerReturned(), unknown()].reduce<Attempts>(
      evolveAttempts,
      attempts.initial,
    );
    expect(state).toMatchObject({ status: 'unknown', ...NAME, ...SESSION });
  });

  it('is not that of the next attempt', () => {
    const next = started({ attemptKey: OTHER_KEY, number: 2 });
    const state = [...ATTEMPT_HISTORIES.declined.slice(0, 1), taken(NAME), ...ATTEMPT_HISTORIES.declined.slice(1), next].reduce<Attempts>(
      evolveAttempts,
      attempts.initial,
    );
    expect(state).toMatchObject({ status: 'started', key: OTHER_KEY });
    expect(state).not.toHaveProperty('gateOrderId');
  });
});

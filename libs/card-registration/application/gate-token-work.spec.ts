import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { CardRegistrationEvent } from '../domain/card-registration';
import { gateTokenWork, wantedGateOf } from './keep-gate-token.reactor';

const stream = 'cardReference-abc' as StreamName;
const gate = 'upstream-a' as GateAlias;
const AT = 1_704_067_200_000 as Instant;
const news = (event: CardRegistrationEvent) => ({ stream, metadata: { merchant: 'acme' }, event });

describe('the work item for a wanted gate token', () => {
  it("is created per gate, in the merchant's lane at that gate", () => {
    const wanted = { gate, attemptKey: 'key-1' as AttemptKey, wantedAt: AT };
    const [change, ...others] = gateTokenWork(news({ type: 'GateTokenWanted', data: wanted }));
    const key = 'cardReference-abc@upstream-a';
    const item = { key, stream, task: 'keep-gate-token', dueAt: AT, merchant: 'acme', lane: 'acme/upstream-a' };
    expect([change, ...others]).toEqual([{ kind: 'due', item }]);
    expect(wantedGateOf({ key, stream })).toBe(gate);
  });

  it.each<CardRegistrationEvent>([
    { type: 'GateTokenKept', data: { gate, token: '1', keptAt: AT } },
    { type: 'GateTokenRefused', data: { gate, cause: 'given-up', refusedAt: AT } },
  ])("is completed by the gate's answer: $type", (event) => {
    expect(gateTokenWork(news(event))).toEqual([{ kind: 'done', key: 'cardReference-abc@upstream-a' }]);
  });

  it('is not affected by other events', () => {
    expect(gateTokenWork(news({ type: 'NetworkTransactionKept', data: { gate, networkTransactionId: 'N', keptAt: AT } }))).toEqual([]);
    expect(gateTokenWork(news({ type: 'CardReferenceIssued', data: {} } as CardRegistrationEvent))).toEqual([]);
  });
});

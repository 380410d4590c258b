import type { CardAtGate, ChargeAnswer, ChargeRequest, Gate, RebillRequest, RegisterAnswer } from '@app/gateway-adapters/contract';
import type { AttemptKey } from '@app/kernel';
import { timeEnough, timeEnoughFor, timeOver, withTaken } from '../call-limit';
import { expectApproved, inquiryAt, neverReceived, textOf } from './expected-gate-answers';
import type { GateTraits, GateUnderContract } from './gate-under-contract';

const SAME_TIME = 10;
const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;

export const itChargesRegisteredCards = (worldOf: () => GateUnderContract, traits: GateTraits): void => {
  const { tokens } = traits;
  const rebillOf = (by: CardAtGate, operation?: RebillRequest['transactionType']): RebillRequest => {
    const request = worldOf().rebill?.(by, operation);
    if (request === undefined) throw new Error('the world makes no charge of a registered card');
    return request;
  };
  const rebillAt = (request: RebillRequest, limit = timeEnoughFor(request)): Promise<ChargeAnswer> => {
    const { rebilling } = worldOf().gate;
    if (rebilling === undefined) throw new Error('the gate needs the number of each card');
    return rebilling.rebill(request, limit);
  };
  const register = (
    { key, orderId, merchant, endpointId, card }: ChargeRequest,
    gate: Gate = worldOf().gate,
    lastFour = card.reveal().number.slice(-4),
  ): Promise<RegisterAnswer> => {
    if (gate.registering === undefined) throw new Error('the gate gives no tokens on request');
    const shown = { bin: card.reveal().number.slice(0, 6), lastFour };
    return gate.registering.register(withTaken({ key, orderId, merchant, endpointId, card: shown }), timeEnough());
  };
  const approved = async (): Promise<{ readonly request: ChargeRequest; readonly cardToken: string | undefined }> => {
    const request = worldOf().request('approved');
    const { cardToken } = expectApproved(
      (await worldOf().gate.charging?.charge(request, timeEnoughFor(request))) ?? { kind: 'not-asked', cause: 'unavailable' },
    );
    return { request, cardToken };
  };
  const tokenOf = async (): Promise<Extract<CardAtGate, { kind: 'token' }>> => {
    const { request, cardToken } = await approved();
    if (cardToken !== undefined) return { kind: 'token', token: cardToken };
    const answer = await register(request);
    if (answer.kind !== 'registered') throw new Error(`expected a token, answer ${textOf(answer)}`);
    return { kind: 'token', token: answer.cardToken };
  };

  it.each(['sale', 'preauth'] as const)('charges by its own token once per key: %s', async (operation) => {
    const request = rebillOf(await tokenOf(), operation);
    expect(worldOf().gate.rebilling?.means).toContain('token');
    const answers = await Promise.all(Array.from({ length: SAME_TIME }, () => rebillAt(request)));
    const answer = expectApproved(answers[0] ?? { kind: 'not-asked', cause: 'unavailable' });
    for (const other of answers) expect(other).toEqual(answer);
    expect(await inquiryAt(worldOf().gate, request)).toEqual(answer);
    expect(await inquiryAt(await worldOf().inAnotherProcess(), request)).toEqual(answer);
    expect(worldOf().approvedCharges(request.orderId)).toBe(1);
  });

  it('refuses an unknown token and an unsupported substitute for a card', async () => {
    for (const by of [
      { kind: 'token', token: 'no-such-token' },
      { kind: 'network-transaction', networkTransactionId: 'no-such-payment' },
    ] as const) {
      const request = rebillOf(by);
      expect(await rebillAt(request)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
      expect(await inquiryAt(worldOf().gate, request)).toEqual(neverReceived(traits));
    }
  });

  it("charges nothing by token after the call's time limit", async () => {
    const request = rebillOf(await tokenOf());
    expect(['unknown', 'not-asked']).toContain((await rebillAt(request, timeOver())).kind);
    await worldOf().settle();
    expect(worldOf().approvedCharges(request.orderId)).toBe(0);
  });

  if (tokens === 'registration') {
    it('returns the same token for an approved order each time in any process', async () => {
      const { request, cardToken } = await approved();
      expect(cardToken).toBeUndefined();
      const answer = await register(request);
      expect(answer).toMatchObject({ kind: 'registered' });
      expect(await register(request)).toEqual(answer);
      expect(await register(request, await worldOf().inAnotherProcess())).toEqual(answer);
    });

    it('returns no token for another card, a declined order or an unknown order', async () => {
      const { request } = await approved();
      expect(await register(request, worldOf().gate, '0000')).toEqual({ kind: 'refused', cause: 'other-card' });
      const declined = worldOf().request('declined');
      await worldOf().gate.charging?.charge(declined, timeEnoughFor(declined));
      expect((await register(declined)).kind).not.toBe('registered');
      expect((await register({ ...request, key: UNKNOWN_KEY })).kind).not.toBe('registered');
    });
  }
};

import { timeEnough } from '../call-limit';
import type { ChargeAnswer, VerifyRequest } from '@app/gateway-adapters/contract';
import type { Currency } from '@app/kernel';
import { expectApproved, expectDeclined, inquiryAt } from './expected-gate-answers';
import { completeAt } from './payer-authentication';
import type { GateTraits, GateUnderContract, WantedAnswer } from './gate-under-contract';

/** Contract of the sum that a verification withdraws and refunds (protocol decisions, section 7). */
export const itWithdrawsRandomSums = (worldOf: () => GateUnderContract, { authentication }: GateTraits): void => {
  const verify = (request: VerifyRequest): Promise<ChargeAnswer> => {
    const { verifying } = worldOf().gate;
    if (verifying === undefined) throw new Error('the gate cannot verify');
    return verifying.verify(request, timeEnough());
  };
  const verification = (wanted: WantedAnswer): VerifyRequest & { readonly currency: Currency } => {
    const { amount, ...request } = worldOf().request(wanted);
    return { ...request, currency: amount.currency };
  };

  it('withdraws a random sum once per verification, and reports it to inquiries of any process', async () => {
    const request = verification('approved');
    const answer = expectApproved(await verify(request));
    expect(answer.randomSum?.currency).toBe(request.currency);
    expect(answer.randomSum !== undefined && answer.randomSum.minor > 0n).toBe(true);
    expect(await verify(request)).toEqual(answer);
    expect(await inquiryAt(worldOf().gate, request)).toEqual(answer);
    expect(await inquiryAt(await worldOf().inAnotherProcess(), request)).toEqual(answer);
  });

  it('withdraws no random sum for a declined verification or a charge', async () => {
    const request = verification('declined');
    const answer = expectDeclined(await verify(request));
    expect(answer.randomSum).toBeUndefined();
    expect(await inquiryAt(worldOf().gate, request)).toEqual(answer);
    const charge = await worldOf().gate.charging?.charge(worldOf().request('approved'), timeEnough());
    if (charge === undefined) throw new Error('the gate cannot charge');
    expect(expectApproved(charge).randomSum).toBeUndefined();
  });

  it('refuses a verification in another currency than its own', async () => {
    const request = { ...verification('approved'), currency: 'XTS' as Currency };
    expect(await verify(request)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(await inquiryAt(worldOf().gate, request)).toEqual({ kind: 'not-found' });
  });

  if (authentication === 'completed') {
    it('withdraws the random sum after the payer is authenticated', async () => {
      const request = verification('payer-needed');
      expect((await verify(request)).kind).toBe('payer-needed');
      const answer = await completeAt(worldOf(), request, worldOf().payer.passes);
      expect(expectApproved(answer).randomSum?.currency).toBe(request.currency);
      expect(await inquiryAt(worldOf().gate, request)).toEqual(answer);
    });
  }
};

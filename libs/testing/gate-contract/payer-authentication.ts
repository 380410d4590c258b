import { timeEnough, timeEnoughFor, timeOver } from '../call-limit';
import type { CallLimit, ChargeAnswer, ChargeRequest, InquiryAnswer, PayerNeeded, SentRequest } from '@app/gateway-adapters/contract';
import type { AttemptKey } from '@app/kernel';
import { expectApproved, expectDeclined, inquiryAt, textOf } from './expected-gate-answers';
import type { GateUnderContract } from './gate-under-contract';

const SAME_TIME = 5;
const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;

export const completeAt = (
  { gate: { payerAuthentication } }: GateUnderContract,
  sent: SentRequest,
  returned: ReadonlyMap<string, string>,
  limit: CallLimit = timeEnough(),
): Promise<ChargeAnswer> => {
  if (payerAuthentication === undefined || payerAuthentication === 'hosted') throw new Error('the gate has no second leg of 3-D Secure');
  return payerAuthentication.complete(sent, returned, limit);
};

const addressOf = ({ page }: PayerNeeded): string | undefined => {
  if ('action' in page) return page.action;
  return 'address' in page ? page.address : undefined;
};

const expectPayerNeeded = (answer: ChargeAnswer | InquiryAnswer): PayerNeeded => {
  if (answer.kind !== 'payer-needed') throw new Error(`expected a page for the payer, answer ${textOf(answer)}`);
  const address = addressOf(answer);
  if (address !== undefined) expect(['http:', 'https:']).toContain(new URL(address).protocol);
  return answer;
};

const chargeAt = async ({ gate: { charging } }: GateUnderContract, request: ChargeRequest): Promise<PayerNeeded> => {
  if (charging === undefined) throw new Error('the gate cannot charge');
  return expectPayerNeeded(await charging.charge(request, timeEnoughFor(request)));
};

/** Contract of a gate that waits for the payer's form fields (architecture, rule 12). */
export const itCompletesAuthentications = (worldOf: () => GateUnderContract): void => {
  const complete = (sent: SentRequest, returned: ReadonlyMap<string, string>, limit?: CallLimit): Promise<ChargeAnswer> =>
    completeAt(worldOf(), sent, returned, limit);
  const inquire = (sent: SentRequest): Promise<InquiryAnswer> => inquiryAt(worldOf().gate, sent);
  const approvedCharges = ({ orderId }: ChargeRequest): number => worldOf().approvedCharges(orderId);

  it('charges nothing before the payer has answered', async () => {
    const request = worldOf().request('payer-needed');
    const answer = await chargeAt(worldOf(), request);
    expect(answer.isHosted).not.toBe(true);
    expect(await inquire(request)).toEqual(answer);
    expect(approvedCharges(request)).toBe(0);
  });

  it('approves an authenticated payer once', async () => {
    const { payer } = worldOf();
    const request = worldOf().request('payer-needed');
    await chargeAt(worldOf(), request);
    const answer = expectApproved(await complete(request, payer.passes));
    expect(answer.payerAuthentication).toBe('AUTHENTICATED');
    expect(await inquire(request)).toEqual(answer);
    expect(await complete(request, payer.fails)).toEqual(answer);
    expect(approvedCharges(request)).toBe(1);
  });

  it('declines an unauthenticated payer permanently', async () => {
    const { payer } = worldOf();
    const request = worldOf().request('payer-needed');
    await chargeAt(worldOf(), request);
    const answer = expectDeclined(await complete(request, payer.fails));
    expect(answer).toMatchObject({ code: 110, payerAuthentication: 'NOT_AUTHENTICATED' });
    expect(await inquire(request)).toEqual(answer);
    expect(await complete(request, payer.passes)).toEqual(answer);
    expect(approvedCharges(request)).toBe(0);
  });

  it('gives concurrent completions the same answer', async () => {
    const { payer } = worldOf();
    const request = worldOf().request('payer-needed');
    await chargeAt(worldOf(), request);
    const answers = await Promise.all(
      Array.from({ length: SAME_TIME }, (_, index) => complete(request, index % 2 === 0 ? payer.passes : payer.fails)),
    );
    const settled = await inquire(request);
    for (const answer of answers) expect(answer).toEqual(settled);
    expect(approvedCharges(request)).toBe(settled.kind === 'approved' ? 1 : 0);
  });

  it("completes nothing after the call's time limit", async () => {
    const request = worldOf().request('payer-needed');
    const page = await chargeAt(worldOf(), request);
    const answer = await complete(request, worldOf().payer.passes, timeOver());
    expect(['unknown', 'not-asked']).toContain(answer.kind);
    await worldOf().settle();
    expect(await inquire(request)).toEqual(page);
  });

  it('refuses to complete an attempt that it never received', async () => {
    const unknown = { ...worldOf().request('approved'), key: UNKNOWN_KEY };
    expect(await complete(unknown, worldOf().payer.passes)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
  });
};

/** Contract of a gate that hosts the authentication and returns its result on inquiry. */
export const itHostsAuthentications = (worldOf: () => GateUnderContract): void => {
  const inquire = (sent: SentRequest): Promise<InquiryAnswer> => inquiryAt(worldOf().gate, sent);
  const authenticate = async (request: ChargeRequest, outcome: 'passes' | 'fails'): Promise<void> => {
    const world = worldOf();
    if (world.authenticateAtGate === undefined) throw new Error('nobody plays the payer at this gate');
    await world.authenticateAtGate(request, outcome);
  };

  it('sends the payer to its own page without charging first', async () => {
    const request = worldOf().request('payer-needed');
    const answer = await chargeAt(worldOf(), request);
    expect(answer.isHosted).toBe(true);
    expect(await inquire(request)).toEqual(answer);
    expect(await inquiryAt(await worldOf().inAnotherProcess(), request)).toEqual(answer);
    expect(worldOf().approvedCharges(request.orderId)).toBe(0);
  });

  it('approves an inquiry after the payer is authenticated on its own page', async () => {
    const request = worldOf().request('payer-needed');
    await chargeAt(worldOf(), request);
    await authenticate(request, 'passes');
    const answer = expectApproved(await inquire(request));
    expect(answer.payerAuthentication).toBe('AUTHENTICATED');
    expect(await inquire(request)).toEqual(answer);
    expect(worldOf().approvedCharges(request.orderId)).toBe(1);
  });

  it('declines an inquiry after authentication fails on its own page', async () => {
    const request = worldOf().request('payer-needed');
    await chargeAt(worldOf(), request);
    await authenticate(request, 'fails');
    expect(expectDeclined(await inquire(request))).toMatchObject({ code: 110, payerAuthentication: 'NOT_AUTHENTICATED' });
    expect(worldOf().approvedCharges(request.orderId)).toBe(0);
  });
};

import { timeEnough, timeEnoughFor } from '../call-limit';
import type { ChargeAnswer, Gate, QuoteAnswer, QuoteRequest, SentRequest, TransferRequest } from '@app/gateway-adapters/contract';
import type { Currency, Money } from '@app/kernel';
import { expectApproved, expectDeclined, inquiryAt, isRefusedAgain, neverReceived } from './expected-gate-answers';
import { completeAt } from './payer-authentication';
import type { GateTraits, GateUnderContract } from './gate-under-contract';

const SAME_TIME = 5;
const BIN_DIGITS = 6;

export const transferAt = async ({ transferring }: Gate, request: TransferRequest): Promise<ChargeAnswer> => {
  if (transferring === undefined) throw new Error('the gate cannot transfer');
  const answer = await transferring.transfer(request, timeEnoughFor(request));
  if (answer.kind === 'choice-needed') throw new Error('nobody is there to choose a fee');
  return answer;
};

const quoteAt = ({ quoting }: Gate, request: QuoteRequest): Promise<QuoteAnswer> => {
  if (quoting === undefined) throw new Error('the gate cannot quote');
  return quoting.quote(request, timeEnough());
};

const quoteOf = ({ merchant, endpointId, amount, card, destination }: TransferRequest): QuoteRequest => ({
  merchant,
  endpointId,
  amount,
  sourceBin: card.reveal().number.slice(0, BIN_DIGITS),
  destinationBin: destination.reveal().number.slice(0, BIN_DIGITS),
});

const expectQuoted = (answer: QuoteAnswer): Money => {
  if (answer.kind !== 'quoted') throw new Error('expected a quote');
  return answer.commission;
};

/** Contract of transfers and their commission (architecture, rule 4; protocol decisions, section 8). */
export const itTransfers = (worldOf: () => GateUnderContract, traits: GateTraits): void => {
  const { authentication, cvvRequired, quotes } = traits;
  const transfer = (request: TransferRequest): Promise<ChargeAnswer> => transferAt(worldOf().gate, request);
  const inquire = (sent: SentRequest, gate = worldOf().gate) => inquiryAt(gate, sent);
  const quote = (request: QuoteRequest): Promise<QuoteAnswer> => quoteAt(worldOf().gate, request);
  /** Undefined if the gate gives no quotes: any commission is then correct. */
  const quoted = async (request: TransferRequest): Promise<Money | undefined> =>
    quotes ? expectQuoted(await quote(quoteOf(request))) : undefined;
  const anyOrThat = (commission: Money | undefined): unknown => commission ?? expect.anything();

  it('charges the quoted commission for a transfer, and reports it to inquiries of any process', async () => {
    const request = worldOf().transfer('approved');
    const commission = await quoted(request);
    const answer = expectApproved(await transfer(request));
    expect(answer.commission).toEqual(anyOrThat(commission));
    expect(answer.commission?.currency).toBe(request.amount.currency);
    expect((answer.commission?.minor ?? -1n) >= 0n).toBe(true);
    expect(await inquire(request)).toEqual(answer);
    expect(await inquire(request, await worldOf().inAnotherProcess())).toEqual(answer);
    expect(worldOf().approvedCharges(request.orderId)).toBe(1);
  });

  it('charges no commission for a declined transfer', async () => {
    const request = worldOf().transfer('declined');
    const answer = expectDeclined(await transfer(request));
    expect(answer.commission).toBeUndefined();
    expect(await inquire(request)).toEqual(answer);
    expect(worldOf().approvedCharges(request.orderId)).toBe(0);
  });

  it('reports a final result after an unknown outcome of a transfer, and does not change it', async () => {
    const request = worldOf().transfer('unknown');
    const commission = await quoted(request);
    expect((await transfer(request)).kind).toBe('unknown');
    await worldOf().settle();
    const settled = await inquire(request);
    if (settled.kind !== 'approved') expectDeclined(settled);
    else expect(settled.commission).toEqual(anyOrThat(commission));
    await worldOf().settle();
    expect(await inquire(request)).toEqual(settled);
    expect(worldOf().approvedCharges(request.orderId)).toBe(settled.kind === 'approved' ? 1 : 0);
  });

  it('transfers once per key if repeated, concurrent, or with another amount', async () => {
    const request = worldOf().transfer('approved');
    const answers = await Promise.all(Array.from({ length: SAME_TIME }, () => transfer(request)));
    for (const answer of answers) expect(answer).toEqual(expectApproved(answers[0] ?? answer));
    const other = await transfer({ ...request, amount: { ...request.amount, minor: request.amount.minor * 10n } });
    if (other.kind !== 'unknown' && !isRefusedAgain(other, traits)) expect(other).toEqual(answers[0]);
    expect(worldOf().approvedCharges(request.orderId)).toBe(1);
  });

  it('refuses a transfer in another currency than its own without recording the request', async () => {
    const request = worldOf().transfer('approved');
    const otherCurrency = { ...request, amount: { minor: request.amount.minor, currency: 'XTS' as Currency } };
    expect(await transfer(otherCurrency)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(await inquire(request)).toEqual(neverReceived(traits));
  });

  if (cvvRequired) {
    it('refuses a transfer without a required CVV, without recording the request', async () => {
      const { cvv: _cvv, ...request } = worldOf().transfer('approved');
      expect(await transfer(request)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
      expect(await inquire(request)).toEqual(neverReceived(traits));
    });
  }

  if (authentication === 'completed') {
    it.each(['passes', 'fails'] as const)('transfers only after the payer has answered, who %s', async (outcome) => {
      const request = worldOf().transfer('payer-needed');
      const commission = expectQuoted(await quote(quoteOf(request)));
      expect((await transfer(request)).kind).toBe('payer-needed');
      expect(worldOf().approvedCharges(request.orderId)).toBe(0);
      const answer = await completeAt(worldOf(), request, worldOf().payer[outcome]);
      if (outcome === 'passes') expect(expectApproved(answer).commission).toEqual(commission);
      else expect(expectDeclined(answer).commission).toBeUndefined();
      expect(await inquire(request)).toEqual(answer);
      expect(worldOf().approvedCharges(request.orderId)).toBe(outcome === 'passes' ? 1 : 0);
    });
  }

  if (quotes) {
    it('returns the same quote each time and records nothing for it', async () => {
      const request = worldOf().transfer('approved');
      const answers = await Promise.all(Array.from({ length: SAME_TIME }, () => quote(quoteOf(request))));
      for (const answer of answers) expect(answer).toEqual({ kind: 'quoted', commission: expectQuoted(answers[0] ?? answer) });
      expect(await inquire(request)).toEqual(neverReceived(traits));
      expect(worldOf().approvedCharges(request.orderId)).toBe(0);
    });

    it('returns no quote in another currency than its own', async () => {
      const request = worldOf().transfer('approved');
      const otherCurrency = { ...request, amount: { minor: request.amount.minor, currency: 'XTS' as Currency } };
      expect(await quote(quoteOf(otherCurrency))).toEqual({ kind: 'not-quoted' });
    });
  }
};

import type { ChargeRequest, FollowUpRequest, RebillRequest, TransferRequest } from '@app/gateway-adapters/contract';
import {
  makeOrderId,
  Secret,
  systemIds,
  systemRandom,
  type AttemptKey,
  type ClientOrderId,
  type Currency,
  type EndpointId,
  type MerchantLogin,
} from '@app/kernel';
import type { WantedAnswer, WantedFollowUpAnswer } from './gate-under-contract';

const CONTRACT_CURRENCY = 'USD' as Currency;
/** The CVV decides a charge's outcome (protocol decisions, section 9). */
const CVVS: Readonly<Record<WantedAnswer, string>> = { approved: '123', declined: '116', unknown: '217', 'payer-needed': '321' };

/** The amount decides a follow-up's outcome (protocol decisions, section 9). */
const FOLLOW_UP_MINOR: Readonly<Record<WantedFollowUpAnswer, bigint>> = { approved: 200n, declined: 216n, unknown: 217n };

export const contractCharge = (wanted: WantedAnswer): ChargeRequest => ({
  key: systemIds.next() as AttemptKey,
  orderId: makeOrderId('p', (size) => systemRandom.bytes(size)),
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  clientOrderId: 'order-1' as ClientOrderId,
  amount: { minor: 1_042n, currency: CONTRACT_CURRENCY },
  card: new Secret({ number: '4444333322221111', expiryMonth: 12, expiryYear: 2099, holder: 'JOHN SMITH' }),
  cvv: new Secret(CVVS[wanted]),
  descriptor: 'test-a',
  payerReturnUrl: 'https://gateway.example/paynet/payer/1',
  notificationUrl: 'https://gateway.example/paynet/gates/a/1',
});

export const contractRebill = (by: RebillRequest['by'], operation: RebillRequest['transactionType'] = 'sale'): RebillRequest => {
  const { card: _card, cvv: _cvv, payerReturnUrl: _noPayer, ...request } = contractCharge('approved');
  return { ...request, transactionType: operation, by };
};

export const contractTransfer = (wanted: WantedAnswer): TransferRequest => ({
  ...contractCharge(wanted),
  destination: new Secret({ number: '5555555555554444' }),
});

export const contractFollowUp = (
  { key, orderId, merchant, endpointId, amount }: ChargeRequest,
  wanted: WantedFollowUpAnswer,
): FollowUpRequest => ({
  key: systemIds.next() as AttemptKey,
  original: key,
  orderId,
  merchant,
  endpointId,
  amount: { ...amount, minor: FOLLOW_UP_MINOR[wanted] },
});

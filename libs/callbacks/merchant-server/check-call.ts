import type { Traced } from '@app/event-store';
import { Secret, unreachable, type Random } from '@app/kernel';
import {
  checkSaleSignature,
  CheckSaleResponse,
  checkTransferSignature,
  CheckTransferResponse,
  CheckVerificationResponse,
  checkVerificationSignature,
  isDeviceSignature,
  MerchantErrorResponse,
  merchantPath,
  type Billing,
  type CheckSigned,
  type ControlKey,
  type DeviceOperation,
  type KnownCard,
} from '@app/gateway-protocol';
import type { CheckFailure } from '@app/orders/events';
import { type Egress, type EgressOutcome, DELIVERED_STATUS, underTrace } from '@app/http/client';
import { readAnswer, serverCall, type MerchantServerAccount } from './server-call';

/** Limits a check from its first name look-up to the last byte of the answer. */
const CHECK_DEADLINE_MS = 10_000;

/** The transaction to check, as the app sent it, with the gateway's own token (interface, section 4.6). */
export interface CheckedTransaction {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly nonce: string;
  readonly signature: string;
  readonly token: string;
  /** Present where the app gave a reference in place of a card. */
  readonly sourceClientCardId?: string;
  readonly destinationClientCardId?: string;
}

/** A card in the merchant server's answer. */
export interface AnsweredCard {
  readonly serverCardId?: string;
  /** A destination has its number alone. */
  readonly card?: Secret<Partial<Pick<KnownCard, 'number' | 'expiry' | 'holder'>>>;
}

/** A merchant server's answer whose signature and echoed values are right. */
export interface CheckAnswer {
  readonly currency?: string;
  /** Minor units; absent where the answer has 0, by which servers mean that the consumer entered none. */
  readonly randomSumCentis?: number;
  readonly email?: string;
  readonly birthDay?: string;
  readonly ipAddresses?: readonly string[];
  readonly billing?: Billing;
  readonly source?: AnsweredCard;
  readonly destination?: AnsweredCard;
}

export type CheckCallOutcome =
  | { readonly kind: 'answered'; readonly answer: CheckAnswer }
  | { readonly kind: 'failed'; readonly cause: Exclude<CheckFailure, 'unreachable' | 'unknown-card'> }
  /** The call can be repeated: no answer came, or nothing was sent. */
  | { readonly kind: 'unreachable' };

type Response = CheckVerificationResponse | CheckSaleResponse | CheckTransferResponse;

const RESPONSES = {
  verification: CheckVerificationResponse,
  sale: CheckSaleResponse,
  transfer: CheckTransferResponse,
} as const satisfies Readonly<Record<DeviceOperation, new () => Response>>;

const fundsOf = (clientCardId: string) => ({ reference: { clientCardId } });

const checkRequest = (checked: CheckedTransaction): object => {
  const { operation, serialNumber, accessToken, nonce, signature, token, sourceClientCardId, destinationClientCardId } = checked;
  const hasSource = operation !== 'verification' && sourceClientCardId !== undefined;
  const hasDestination = operation === 'transfer' && destinationClientCardId !== undefined;
  return {
    consumer: { device: { serialNumber } },
    session: { accessToken, nonce, signature, token },
    ...(hasSource && { sourceOfFunds: fundsOf(sourceClientCardId) }),
    ...(hasDestination && { destinationOfFunds: fundsOf(destinationClientCardId) }),
  };
};

const sourceIn = (response: Response): AnsweredCard | undefined => {
  if (!('sourceOfFunds' in response) || response.sourceOfFunds === undefined) return undefined;
  const { reference, card } = response.sourceOfFunds;
  return { ...(reference && { serverCardId: reference.serverCardId }), ...(card && { card: new Secret(card) }) };
};

const destinationIn = (response: Response): AnsweredCard | undefined => {
  if (!('destinationOfFunds' in response) || response.destinationOfFunds === undefined) return undefined;
  const { reference, card } = response.destinationOfFunds;
  return { ...(reference && { serverCardId: reference.serverCardId }), ...(card && { card: new Secret({ number: card.number }) }) };
};

/** Signs the gateway's own values; only the cards, which the server alone can name, come from the answer (safety, section 3.1). */
const signatureOf = (checked: CheckedTransaction, { source, destination }: CheckAnswer, key: ControlKey): string => {
  const { operation, serialNumber, nonce, endpointId, invoiceId } = checked;
  const signed: CheckSigned = { serialNumber, nonce, endpointId, invoiceId };
  switch (operation) {
    case 'verification':
      return checkVerificationSignature(signed, key);
    case 'sale':
      return checkSaleSignature({ ...signed, sourceServerCardId: source?.serverCardId }, key);
    case 'transfer': {
      const cards = { sourceServerCardId: source?.serverCardId, destinationServerCardId: destination?.serverCardId };
      return checkTransferSignature({ ...signed, ...cards }, key);
    }
    default:
      return unreachable(operation);
  }
};

const answerIn = (response: Response): CheckAnswer => {
  const { currency, randomSumCentis } = response.transaction ?? {};
  const consumer: { readonly email?: string; readonly birthDay?: string; readonly ipAddresses?: readonly string[] } =
    response.consumer ?? {};
  const { email, birthDay, ipAddresses } = consumer;
  const billing = 'billing' in response ? response.billing : undefined;
  const source = sourceIn(response);
  const destination = destinationIn(response);
  return {
    ...(currency !== undefined && { currency }),
    ...(randomSumCentis !== undefined && randomSumCentis > 0 && { randomSumCentis }),
    ...(email !== undefined && { email }),
    ...(birthDay !== undefined && { birthDay }),
    ...(ipAddresses !== undefined && { ipAddresses }),
    ...(billing && { billing }),
    ...(source && { source }),
    ...(destination && { destination }),
  };
};

const failed = (cause: Extract<CheckCallOutcome, { kind: 'failed' }>['cause']): CheckCallOutcome => ({ kind: 'failed', cause });

const verifiedAnswer = (
  checked: CheckedTransaction,
  { status, body }: Extract<EgressOutcome, { kind: 'answered' }>,
  key: ControlKey,
): CheckCallOutcome => {
  const error = readAnswer(MerchantErrorResponse, body);
  if (error !== undefined) return failed(error.error.cause === 'FILTERED' ? 'filtered' : 'refused');
  if (status !== DELIVERED_STATUS) return failed('refused');
  const response: Response | undefined = readAnswer<Response>(RESPONSES[checked.operation], body);
  if (response === undefined) return failed('malformed-answer');
  const answer = answerIn(response);
  const { checkSignature, nonce, token } = response.session;
  if (!isDeviceSignature(signatureOf(checked, answer, key), checkSignature)) return failed('wrong-signature');
  const isOurs = response.invoiceId === checked.invoiceId && nonce === checked.nonce && token === checked.token;
  return isOurs ? { kind: 'answered', answer } : failed('contradiction');
};

/**
 * Asks a merchant server whether a transaction is its own; fails closed (interface, section 4.6; protocol decisions, section 8). The answer is
 * unauthenticated until its signature was verified, and its card data leave here only as secrets (safety, T32 and T40).
 */
export class CheckCall {
  constructor(
    private readonly egress: Pick<Egress, 'send'>,
    private readonly random: Pick<Random, 'bytes'>,
  ) {}

  /** @param traced the request that created the order */
  async check(checked: CheckedTransaction, { merchantUrl, controlKey }: MerchantServerAccount, traced: Traced): Promise<CheckCallOutcome> {
    const path = merchantPath.check(checked.operation, checked.invoiceId);
    const request = serverCall(merchantUrl, path, JSON.stringify(checkRequest(checked)), { deadlineMs: CHECK_DEADLINE_MS });
    const outcome = await this.egress.send(underTrace(request, traced, this.random));
    switch (outcome.kind) {
      case 'answered':
        return verifiedAnswer(checked, outcome, controlKey);
      case 'answer-too-large':
      case 'answer-malformed':
        return failed('malformed-answer');
      case 'refused-target':
      case 'timed-out':
      case 'connection-failed':
        return { kind: 'unreachable' };
      case 'not-sent':
        return outcome.cause === 'malformed-request' ? failed('refused') : { kind: 'unreachable' };
      default:
        return unreachable(outcome);
    }
  }
}

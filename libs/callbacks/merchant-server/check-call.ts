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

/** Limits a check from the first name look-up to the answer's last byte. */
const CHECK_DEADLINE_MS = 10_000;

/** The app's transaction to check, with the gateway's token (interface, section 4.6). */
export interface CheckedTransaction {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly nonce: string;
  readonly signature: string;
  readonly token: string;
  readonly sourceClientCardId?: string;
  readonly destinationClientCardId?: string;
}

export interface AnsweredCard {
  readonly serverCardId?: string;
  readonly card?: Secret<Partial<Pick<KnownCard, 'number' | 'expiry' | 'holder'>>>;
}

/** An answer with a valid signature and correctly echoed values. */
export interface CheckAnswer {
  readonly currency?: string;
  /** Minor units; absent for 0, which servers send if the consumer entered none. */
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
  /** No answer, or nothing was sent: the call may be repeated. */
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

/** Signs the gateway's values. Only the cards come from the answer, because only the server knows them (safety, section 3.1). */
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
  keys: readonly ControlKey[],
): CheckCallOutcome => {
  const error = readAnswer(MerchantErrorResponse, body);
  if (error !== undefined) return failed(error.error.cause === 'FILTERED' ? 'filtered' : 'refused');
  if (status !== DELIVERED_STATUS) return failed('refused');
  const response: Response | undefined = readAnswer<Response>(RESPONSES[checked.operation], body);
  if (response === undefined) return failed('malformed-answer');
  const answer = answerIn(response);
  const { checkSignature, nonce, token } = response.session;
  if (!keys.some((key) => isDeviceSignature(signatureOf(checked, answer, key), checkSignature))) return failed('wrong-signature');
  const isOurs = response.invoiceId === checked.invoiceId && nonce === checked.nonce && token === checked.token;
  return isOurs ? { kind: 'answered', answer } : failed('contradiction');
};

/**
 * Asks a merchant server to confirm a transaction; fails closed (interface, section 4.6; protocol decisions, section 8).
 * The answer is unauthenticated until its signature is verified. Its card data are returned only as secrets (safety, T32 and T40).
 */
export class CheckCall {
  constructor(
    private readonly egress: Pick<Egress, 'send'>,
    private readonly random: Pick<Random, 'bytes'>,
  ) {}

  async check(checked: CheckedTransaction, { merchantUrl, controlKeys }: MerchantServerAccount, traced: Traced): Promise<CheckCallOutcome> {
    const path = merchantPath.check(checked.operation, checked.invoiceId);
    const request = serverCall(merchantUrl, path, JSON.stringify(checkRequest(checked)), { deadlineMs: CHECK_DEADLINE_MS });
    const outcome = await this.egress.send(underTrace(request, traced, this.random));
    switch (outcome.kind) {
      case 'answered':
        return verifiedAnswer(checked, outcome, controlKeys);
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

import {
  accountVerificationControl,
  amountFollowUpControl,
  cardInfoControl,
  formSchema,
  GROUP_A_OPERATIONS,
  GROUP_A_PATHS,
  initialPaymentControl,
  orderControl,
  rebillControl,
  trimmed,
  type ControlKey,
  type GroupAOperationKey,
  type JsonSchema,
  type SignedText,
} from '@app/gateway-protocol';
import { parseAmount } from '@app/kernel';
import type { Fields } from './signed-requests';

/** Read from the service's own description, so that tests over all routes cover a new one automatically. */
export interface GroupARoute {
  readonly path: string;
  readonly name: GroupAOperationKey;
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly required: ReadonlySet<string>;
  readonly isOauth: boolean;
  /** True if it changes state, and so honours an Idempotency-Key. */
  readonly isKeyed: boolean;
}

export const GROUP_A_ROUTES: readonly GroupARoute[] = [...GROUP_A_PATHS].map(([path, name]) => {
  const { message, proof, isKeyed } = GROUP_A_OPERATIONS[name];
  const { properties = {}, required = [] } = formSchema(message);
  return { path, name, fields: properties, required: new Set(required), isOauth: proof.kind === 'oauth', isKeyed };
});

/** Makes the control like an integrator, from the fields that are sent (interface, section 5.1; protocol decisions, section 5). */
type MakeControl = (text: (name: string) => string, entryPoint: string, key: ControlKey) => string;

const minorOf = (amount: string): bigint => parseAmount(amount) ?? 0n;
type Text = Parameters<MakeControl>[0];
const orderIn = (text: Text) => ({ login: text('login'), clientOrderId: text('client_orderid'), orderId: text('orderid') });

const ofOrder: MakeControl = (text, _entryPoint, key) => orderControl(orderIn(text), key);
const ofPayment: MakeControl = (text, entryPoint, key) =>
  initialPaymentControl(
    { entryPoint, clientOrderId: text('client_orderid'), amountMinor: minorOf(text('amount')), email: text('email') },
    key,
  );
const ofAmountFollowUp: MakeControl = (text, entryPoint, key) =>
  text('amount') === ''
    ? ofOrder(text, entryPoint, key)
    : amountFollowUpControl(orderIn(text), { amountMinor: minorOf(text('amount')), currency: text('currency') }, key);
const ofRebill: MakeControl = (text, entryPoint, key) => {
  const { login, clientOrderId } = orderIn(text);
  const amountMinor = minorOf(text('amount'));
  return rebillControl({ entryPoint, login, clientOrderId, cardRefId: text('cardrefid'), amountMinor, currency: text('currency') }, key);
};

const CONTROLS: Readonly<Record<SignedText, MakeControl>> = {
  'initial-payment': ofPayment,
  'account-verification': (text, entryPoint, key) =>
    accountVerificationControl({ entryPoint, clientOrderId: text('client_orderid'), email: text('email') }, key),
  'follow-up': ofAmountFollowUp,
  capture: ofAmountFollowUp,
  rebill: ofRebill,
  order: ofOrder,
  card: (text, _entryPoint, key) => cardInfoControl({ login: text('login'), cardRefId: text('cardrefid') }, key),
};

/** Undefined for an operation of v4, which has no control. */
export const controlFor = (name: GroupAOperationKey, fields: Fields, at: string, key: ControlKey): string | undefined => {
  const { proof } = GROUP_A_OPERATIONS[name];
  if (proof.kind === 'oauth') return undefined;
  return CONTROLS[proof.text]((field) => trimmed(fields[field] ?? ''), at.slice(at.lastIndexOf('/') + 1), key);
};

import {
  accountVerificationControl,
  amountFollowUpControl,
  callbackControl,
  cardInfoControl,
  initialPaymentControl,
  orderControl,
  rebillControl,
  type ControlKey,
} from '@app/gateway-protocol';
import { parseAmount, Secret } from '@app/kernel';

export type Fields = Readonly<Record<string, string | undefined>>;

export interface Order {
  readonly clientOrderId: string;
  readonly orderId: string;
}

export interface SigningSettings {
  readonly login?: string;
  readonly controlKey?: string;
  readonly rebillControl?: 'with-endpoint' | 'without-endpoint';
  readonly at?: string;
}

/** The sandbox's key, used by the known answers of protocol decisions, section 5. */
export const SANDBOX_CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
/** Used in every example of this family of gateways; no cardholder has it. */
export const TEST_CARD_NUMBER = '4444333322221111';

/** A merchant's requests with their control. Tests can replace or omit every field. */
export class SignedRequests {
  static #lastOrder = 0;
  readonly login: string;
  readonly key: ControlKey;
  readonly at: string;
  readonly #rebillControl: 'with-endpoint' | 'without-endpoint';

  constructor({ login = 'acme', controlKey = SANDBOX_CONTROL_KEY, rebillControl = 'with-endpoint', at = '1001' }: SigningSettings = {}) {
    this.login = login;
    this.key = new Secret(controlKey);
    this.at = at;
    this.#rebillControl = rebillControl;
  }

  newOrderId(prefix = 'o'): string {
    SignedRequests.#lastOrder++;
    return `${prefix}-${process.pid}-${Date.now().toString(36)}-${SignedRequests.#lastOrder}`;
  }

  /** A sale that a gate approves at once (protocol decisions, sections 9 and 10), without its control. */
  saleFields(fields: Fields = {}): Fields {
    return {
      client_orderid: this.newOrderId('s'),
      order_desc: 'Two pairs of shoes',
      amount: '10.42',
      currency: 'USD',
      card_printed_name: 'JOHN SMITH',
      credit_card_number: TEST_CARD_NUMBER,
      expire_month: '12',
      expire_year: '2039',
      cvv2: '123',
      address1: '1 Main Street',
      city: 'Springfield',
      zip_code: '12345',
      country: 'US',
      state: 'CA',
      email: 'john.smith@example.com',
      phone: '+12125550100',
      ipaddress: '203.0.113.7',
      ...fields,
    };
  }

  /** A recurrent payment (interface, section 2.4) without its control. */
  rebillFields(cardRefId: string, fields: Fields = {}): Fields {
    return {
      login: this.login,
      client_orderid: this.newOrderId('r'),
      cardrefid: cardRefId,
      order_desc: 'Monthly fee',
      amount: '5.50',
      currency: 'USD',
      ipaddress: '203.0.113.7',
      ...fields,
    };
  }

  orderFields(
    { clientOrderId, orderId }: { readonly clientOrderId: string; readonly orderId?: string | undefined },
    fields: Fields = {},
  ): Fields {
    return { login: this.login, client_orderid: clientOrderId, orderid: orderId, ...fields };
  }

  signedSale(fields: Fields, at = this.at): Fields {
    const { client_orderid = '', email = '', amount = '' } = trimmedAll(fields);
    const signed = { entryPoint: idOf(at), clientOrderId: client_orderid, amountMinor: parseAmount(amount) ?? 0n, email };
    return { ...fields, control: fields['control'] ?? initialPaymentControl(signed, this.key) };
  }

  signedRebill(fields: Fields, at = this.at): Fields {
    const { login = '', client_orderid = '', cardrefid = '', amount = '', currency = '' } = trimmedAll(fields);
    const amountMinor = parseAmount(amount) ?? 0n;
    const signed = { entryPoint: idOf(at), login, clientOrderId: client_orderid, cardRefId: cardrefid, amountMinor, currency };
    return { ...fields, control: fields['control'] ?? rebillControl(signed, this.key, this.#rebillControl) };
  }

  signedVerification(fields: Fields, at = this.at): Fields {
    const { client_orderid = '', email = '' } = trimmedAll(fields);
    const signed = { entryPoint: idOf(at), clientOrderId: client_orderid, email };
    return { ...fields, control: fields['control'] ?? accountVerificationControl(signed, this.key) };
  }

  /** Capture or return of an amount; without one, signed like any other request that names an order (protocol decisions, section 5). */
  signedFollowUp(fields: Fields): Fields {
    const { login = '', client_orderid = '', orderid = '', amount, currency = '' } = trimmedAll(fields);
    if (amount === undefined) return this.signedOrder(fields);
    const named = { login, clientOrderId: client_orderid, orderId: orderid };
    const control = amountFollowUpControl(named, { amountMinor: parseAmount(amount) ?? 0n, currency }, this.key);
    return { ...fields, control: fields['control'] ?? control };
  }

  signedOrder(fields: Fields): Fields {
    const { login = '', client_orderid = '', orderid = '' } = trimmedAll(fields);
    return { ...fields, control: fields['control'] ?? orderControl({ login, clientOrderId: client_orderid, orderId: orderid }, this.key) };
  }

  signedCardInfo(fields: Fields): Fields {
    const { login = '', cardrefid = '' } = trimmedAll(fields);
    return { ...fields, control: fields['control'] ?? cardInfoControl({ login, cardRefId: cardrefid }, this.key) };
  }

  /** The control that a callback or a browser redirect must carry (protocol decisions, section 6). */
  callbackControlOf(status: string, { orderId, clientOrderId }: Order): string {
    return callbackControl({ status, orderId, clientOrderId }, this.key);
  }
}

const trimmedAll = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value?.trim()]));
const idOf = (at: string): string => at.slice(at.lastIndexOf('/') + 1);

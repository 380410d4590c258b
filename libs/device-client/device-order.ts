import type { Secret } from '@app/kernel';
import type { Billing, DeviceOperation, Expiry, Holder, Location, OrderDetails } from '@app/gateway-protocol';

/** The consumer's phone or a program that replaces it (interface, section 2.6). */
export interface Device {
  /** 1 to 50 characters; the access token is bound to it at its first use. */
  readonly serialNumber: string;
  /** 14 to 16 characters. */
  readonly imei?: string | undefined;
  /** The consumer's IP addresses, 7 to 15 characters each. */
  readonly ipAddresses?: readonly string[] | undefined;
}

export interface CardDetails {
  /** 9 to 19 digits. */
  readonly number: Secret<string>;
  /** 3 or 4 digits. */
  readonly securityCode: Secret<string>;
  /** Month 1 to 12, year with four digits. */
  readonly expiry: Expiry;
  /** First and last name, or both as printed. */
  readonly holder: Holder;
}

/** The source of funds: a card, or the merchant server's id of an already mapped card. */
export type Source =
  | { readonly card: CardDetails }
  | { readonly reference: { readonly clientCardId: string; readonly securityCode?: Secret<string> | undefined } };

/** The destination of funds. A reference mapped as a destination cannot be a source (protocol decisions, section 8). */
export type Destination =
  { readonly card: { readonly number: Secret<string> } } | { readonly reference: { readonly clientCardId: string } };

interface AnyOrder {
  /** ISO 4217. */
  readonly currency: string;
  /**
   * Required in every perform unless the endpoint does not need it. With a reference, repeat the address of its mapping (protocol
   * decisions, section 8).
   */
  readonly email?: string | undefined;
  /** ddMMyyyy */
  readonly birthDay?: string | undefined;
  readonly location?: Location | undefined;
  readonly billing?: Billing | undefined;
  readonly details?: OrderDetails | undefined;
}

interface PaidOrder extends AnyOrder {
  /** Minor units. */
  readonly amountCentis: bigint;
  readonly source: Source;
}

export interface VerificationOrder extends AnyOrder {
  readonly operation: 'verification';
  readonly card: CardDetails;
}

export interface SaleOrder extends PaidOrder {
  readonly operation: 'sale';
}

export interface TransferOrder extends PaidOrder {
  readonly operation: 'transfer';
  readonly destination: Destination;
  /** First six digits of both cards, for a commission computed in advance (interface, section 4.4). */
  readonly fromBin?: string | undefined;
  readonly toBin?: string | undefined;
}

/** The consumer's order (interface, section 4.5). */
export type DeviceOrder = VerificationOrder | SaleOrder | TransferOrder;

/** An invoice opened by a merchant server for an order (interface, section 4.4). */
export interface Invoice {
  readonly operation: DeviceOperation;
  /** Chosen by the merchant server. */
  readonly endpointId: string;
  readonly invoiceId: string;
  /** Valid for one perform. */
  readonly nonce: string;
  readonly signature: string;
  /** Minimum and maximum commission of a transfer in major units, if known in advance. */
  readonly rates?: { readonly min?: string; readonly max?: string };
}

/** An accepted transaction; its status is available for 24 hours (protocol decisions, section 8). */
export interface Transaction {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly token: string;
}

import type { SaleStatusResponse, TransferStatusResponse, VerificationStatusResponse } from '@app/gateway-protocol';

/** What the gateway says of a transaction (interface, sections 3.2 and 4.7). */
export type DeviceStatus = VerificationStatusResponse | SaleStatusResponse | TransferStatusResponse;

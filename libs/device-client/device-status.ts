import type { SaleStatusResponse, TransferStatusResponse, VerificationStatusResponse } from '@app/gateway-protocol';

/** The status of a transaction at the gateway (interface, sections 3.2 and 4.7). */
export type DeviceStatus = VerificationStatusResponse | SaleStatusResponse | TransferStatusResponse;

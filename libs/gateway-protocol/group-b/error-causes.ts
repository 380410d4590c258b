/** Causes of initiate, check and card mapping notification, which the merchant server answers (interface, section 7.2). */
export const MERCHANT_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'SERVER_FAILED', 'SERVER_UNAVAILABLE'] as const;
export type MerchantCause = (typeof MERCHANT_CAUSES)[number];

/** Causes of perform verification, sale and transfer, and of complete transfer, which the gateway answers (interface, section 7.2). */
export const PERFORM_CAUSES = ['INVALID_REQUEST', 'INVALID_CONFIGURATION', 'INTERNAL_ERROR', 'PROCESSING_FAILED'] as const;
export type PerformCause = (typeof PERFORM_CAUSES)[number];

/** Causes of status, which the gateway answers (interface, section 7.2). */
export const STATUS_CAUSES = ['FILTERED', 'INVALID_REQUEST', 'INTERNAL_ERROR', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND'] as const;
export type StatusCause = (typeof STATUS_CAUSES)[number];

export type DeviceErrorCause = MerchantCause | PerformCause | StatusCause;

/** The HTTP status of a failure where the setting asks for `status-codes`; without it the gateway answers 200 (protocol decisions, section 8). */
export const HTTP_STATUS_OF_CAUSE: Readonly<Record<DeviceErrorCause, number>> = {
  INVALID_REQUEST: 400,
  ORDER_NOT_FOUND: 404,
  FILTERED: 422,
  PROCESSING_FAILED: 422,
  INTERNAL_ERROR: 500,
  INVALID_CONFIGURATION: 500,
  SERVER_FAILED: 500,
  SERVER_UNAVAILABLE: 503,
};

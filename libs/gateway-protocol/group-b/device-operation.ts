/** The three operations of the mobile device API (interface, section 1). */
export const DEVICE_OPERATIONS = ['verification', 'sale', 'transfer'] as const;
export type DeviceOperation = (typeof DEVICE_OPERATIONS)[number];

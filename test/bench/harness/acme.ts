export const ACME = {
  login: 'acme',
  endpointId: '1001',
  otherEndpointId: '1002',
  currency: 'USD',
  controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
} as const;

/** A card that the simulator approves, from the schemes' test ranges. */
export const TEST_CARD = { number: '4444333322221111', month: '12', year: '2040', cvv2: '123', holder: 'JOHN SMITH' } as const;

/** Merchants besides the first one. The idle one has no orders. */
export const SHOPS = Array.from({ length: 19 }, (_, index) => `shop-${index + 1}`) as [string, ...string[]];
export const IDLE_SHOP = 'idle';

import type { OrderStatusView } from '../order-status/order-status.view';

const enabled = (isEnabled: boolean): string => (isEnabled ? 'enabled' : 'disabled');

/** The members about an order's gate that status and callback share (interface, section 2.5). */
export const gateDescription = (gate: OrderStatusView['gate']) => ({
  'gate-partial-reversal': gate === null ? undefined : enabled(gate.partialReversal),
  'gate-partial-capture': gate === null ? undefined : enabled(gate.partialCapture),
  descriptor: gate?.descriptor,
  'original-gate-descriptor': gate?.gateDescriptor,
});

import type { OrderStatusView } from '@app/projections';

const enabled = (isEnabled: boolean): string => (isEnabled ? 'enabled' : 'disabled');

/** What status and callback tell of the gate of an order, in the words they share (interface, section 2.5). */
export const gateDescription = (gate: OrderStatusView['gate']) => ({
  'gate-partial-reversal': gate === null ? undefined : enabled(gate.partialReversal),
  'gate-partial-capture': gate === null ? undefined : enabled(gate.partialCapture),
  descriptor: gate?.descriptor,
  'original-gate-descriptor': gate?.gateDescriptor,
});

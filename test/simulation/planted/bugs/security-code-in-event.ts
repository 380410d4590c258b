import type { PlantedBug } from '../planted-bug';

/** The event that accepts an order names its security code beside the process that holds it. */
export const securityCodeInEvent: PlantedBug = {
  name: 'security-code-in-event',
  edits: [
    {
      file: 'libs/payment/application/accept-payment.handler.ts',
      find: "const command = { type: 'AcceptPayment' as const, data: { order, operation, offer, now } };",
      put: `const holder = \`\${cvv?.reveal() ?? ''}.\${'plan' in offer ? offer.plan.cvvHolder : ''}\` as never;
    const telling = 'plan' in offer ? { ...offer, plan: { ...offer.plan, cvvHolder: holder } } : offer;
    const command = { type: 'AcceptPayment' as const, data: { order, operation, offer: telling, now } };`,
    },
  ],
  seed: 1,
  violates: 'no security code in the log',
};

import type { PlantedBug } from '../planted-bug';

/** Whoever finds a charge under way sends it again, as its process may be gone. */
export const resubmitOnRestart: PlantedBug = {
  name: 'resubmit-on-restart',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/inquire-attempt.ts',
      find: `    const { key } = attempts;
`,
      put: `    const { key } = attempts;
    const { orderId } = open.order;
    const again = { key, orderId, amount: attempts.amount } as never;
    if (attempts.status === 'started') await this.gates.gate(attempts.gate).charging?.charge(again, { withinMs: 1_000 } as never);
`,
    },
  ],
  seed: 1,
  violates: 'a key is sent to a gate once',
};

import type { PlantedBug } from '../planted-bug';

/** An order of a device is charged without asking its merchant server. */
export const checkSkipped: PlantedBug = {
  name: 'check-skipped',
  edits: [
    {
      file: 'libs/order-processing/device/application/check-order.ts',
      find: 'const result = await this.resultOf(open, await this.ask(open));',
      put: `const result = await this.resultOf(open, { kind: 'passed' } as CheckOutcome);`,
    },
  ],
  seed: 1,
  violates: 'a device order is charged once its merchant confirms it',
};

import type { PlantedBug } from '../planted-bug';

/** The gate is called before the attempt is stored. */
export const callBeforeAttemptStarted: PlantedBug = {
  name: 'call-before-attempt-started',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/submit-attempt.ts',
      find: '    const claim = await this.claims.hold(open, {',
      put: `    const early = askWith(gate, order.plan.operation, funds)?.(
      this.request(open, prepared),
      { amount, destination, ...(open.marks && { recurrent: open.marks }) },
      { withinMs: 30_000 } as never,
    );
    const claim = await this.claims.hold(open, {`,
    },
    {
      file: 'libs/order-processing/attempts/application/submit-attempt.ts',
      find: 'const answering = ask(this.request(open, prepared), sum, noting);',
      put: `void [sum, noting];
        const answering = early as Promise<TransferAnswer>;`,
    },
  ],
  seed: 3,
  violates: 'a gate hears of a key once that is stored',
};

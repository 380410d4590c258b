import type { PlantedBug } from '../planted-bug';

/** A charge whose answer did not come is sent again as a new one. */
export const resubmitUnderAnotherKey: PlantedBug = {
  name: 'resubmit-under-another-key',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/submit-attempt.ts',
      find: 'const answering = ask(this.request(open, prepared), sum, noting);',
      put: `const first = await ask(this.request(open, prepared), sum, noting);
        const again = { ...prepared, key: this.ids.next() as AttemptKey };
        const answering = first.kind === 'unknown' ? ask(this.request(open, again), sum, noting) : Promise.resolve(first);`,
    },
  ],
  seed: 1,
  violates: 'an order is charged once',
};

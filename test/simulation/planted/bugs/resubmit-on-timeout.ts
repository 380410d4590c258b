import type { PlantedBug } from '../planted-bug';

/** A charge whose answer did not come is sent again. */
export const resubmitOnTimeout: PlantedBug = {
  name: 'resubmit-on-timeout',
  edits: [
    {
      file: 'libs/order-processing/attempts/application/submit-attempt.ts',
      find: 'const answering = ask(this.request(open, prepared), sum, noting);',
      put: `const first = await ask(this.request(open, prepared), sum, noting);
        const answering = first.kind === 'unknown' ? ask(this.request(open, prepared), sum, noting) : Promise.resolve(first);`,
    },
  ],
  seed: 1,
  violates: 'a key is sent to a gate once',
};

import type { PlantedBug } from '../planted-bug';

/** Work is due by the wall clock alone, so that a clock that is set back lets it wait for the old time to come again, also over a restart. */
export const clockSetBackFreezesWork: PlantedBug = {
  name: 'clock-set-back-freezes-work',
  edits: [
    {
      file: 'libs/event-store/runners/reactors/due-times.ts',
      find: `        for (const { runner } of reactors) runner.clockWasSet();
        if (byMs < 0) this.surveyAll();`,
      put: '        void reactors;',
    },
    {
      file: 'libs/event-store/runners/reactors/due-times.ts',
      find: `    this.surveyAll();
    this.#watch.start();`,
      put: '    this.#watch.start();',
    },
  ],
  seed: 50,
  violates: 'an accepted order becomes final',
};

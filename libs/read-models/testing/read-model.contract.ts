import type { EventStore } from '@app/event-store';
import { answerCases, deadlineCases } from './read-model-contract/answer-cases';
import { corruptRowCases } from './read-model-contract/corrupt-row-cases';
import { listCases } from './read-model-contract/list-cases';
import { parkingCases } from './read-model-contract/parking-cases';
import { projectingCases } from './read-model-contract/projecting-cases';
import { ReadModelWorld, type ReadModelFixture, type Written } from './read-model-contract/read-model-world';
import { rebuildCases } from './read-model-contract/rebuild-cases';

export type { ReadModelFixture } from './read-model-contract/read-model-world';

/** The contract of a read model on any database. `fixture` creates an empty database, `openStore` an empty log. */
export const readModelContract = (
  name: string,
  fixture: () => Promise<ReadModelFixture>,
  openStore: () => EventStore,
  written: Written = 'here',
): void => {
  describe(`the read model on ${name}`, () => {
    const world = new ReadModelWorld(fixture, openStore, written);
    beforeEach(() => world.open());
    afterEach(() => world.close());

    deadlineCases(world);
    answerCases(world);
    listCases(world);
    projectingCases(world);
    corruptRowCases(world);
    parkingCases(world);
    rebuildCases(world);
  });
};

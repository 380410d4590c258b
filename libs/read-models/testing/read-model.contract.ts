import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { activityCases } from './read-model-contract/activity-cases';
import { answerCases, deadlineCases } from './read-model-contract/answer-cases';
import { approvalCases } from './read-model-contract/approval-cases';
import { corruptRowCases } from './read-model-contract/corrupt-row-cases';
import { deliveryCases } from './read-model-contract/delivery-cases';
import { listCases } from './read-model-contract/list-cases';
import { parkingCases } from './read-model-contract/parking-cases';
import { projectingCases } from './read-model-contract/projecting-cases';
import { ReadModelWorld, type ReadModelFixture, type Written } from './read-model-contract/read-model-world';
import { rebuildCases } from './read-model-contract/rebuild-cases';

export type { ReadModelFixture } from './read-model-contract/read-model-world';

export const PROJECTING = [
  deadlineCases,
  answerCases,
  listCases,
  deliveryCases,
  activityCases,
  approvalCases,
  projectingCases,
  corruptRowCases,
];
/** Slow: most of these cases run once for each step at which a process can die. */
export const REBUILDING = [parkingCases, rebuildCases];

interface ReadModelContract {
  readonly written?: Written;
  readonly cases?: readonly ((world: ReadModelWorld) => void)[];
}

/** `fixture` creates an empty database, `openStore` an empty log. */
export const readModelContract = (
  name: string,
  fixture: () => Promise<ReadModelFixture>,
  { written = 'here', cases = [...PROJECTING, ...REBUILDING] }: ReadModelContract = {},
): void => {
  describe(`read model on ${name}`, () => {
    const world = new ReadModelWorld(fixture, () => new MemoryEventStore(new VirtualClock()), written);
    beforeEach(() => world.open());
    afterEach(() => world.close());

    for (const describeCases of cases) describeCases(world);
  });
};

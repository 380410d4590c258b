import { appendCases, slowAppendCases } from './event-store-contract/append-cases';
import { ContractWorld, type ContractOptions, type StoreUnderTest } from './event-store-contract/contract-world';
import { lifeCases } from './event-store-contract/life-cases';
import { observedStoreCases } from './event-store-contract/observed-store-cases';
import { deadlineCases, readCases } from './event-store-contract/read-cases';
import { subscriptionCases } from './event-store-contract/subscription-cases';

export type { ContractOptions, StoreUnderTest } from './event-store-contract/contract-world';

/**
 * The contract of every event store: the rows of safety, section 4.2, and the cases observed on EventStoreDB. Row 16 needs a process to
 * kill, so each store has a separate test of it.
 */
export const eventStoreContract = (name: string, open: () => Promise<StoreUnderTest>, options: ContractOptions): void => {
  describe(`event store contract of ${name}`, () => {
    const world = new ContractWorld(options);
    beforeAll(() => world.open(open()));
    afterAll(() => world.dispose());

    appendCases(world);
    readCases(world);
    subscriptionCases(world);
    deadlineCases(world);
    slowAppendCases(world);
    observedStoreCases(world);
    lifeCases(world, open);
  });
};

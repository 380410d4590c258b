import { streamName } from '@app/event-store';
import type { ApprovalEvent } from '@app/investigation/approvals/events';
import { addMs, type MerchantLogin, type Sealed } from '@app/kernel';
import type { ListPlace } from '../../engine/index-parts';
import type { ReadModel } from '../../read-model';
import type { Story } from '../order-life';
import { ACME, START } from '../sample-orders';
import type { ReadModelWorld } from './read-model-world';

const UMBRELLA = 'umbrella' as MerchantLogin;
const [KIM, ANN] = ['operator:kim', 'operator:ann'];
const COUNT = 9;
const reason = 'sealed' as Sealed;
const at = (number: number) => addMs(START, Math.floor(number / 2) * 1_000);
const approved = (isAlone: boolean): ApprovalEvent => ({ type: 'ActionApproved', data: { approver: ANN, isAlone, approvedAt: START } });

const LIVES: readonly (readonly ApprovalEvent[])[] = [
  [],
  [approved(true)],
  [{ type: 'ProposalRejected', data: { rejecter: ANN, reason, rejectedAt: START } }],
];

const storyOf = (number: number): Story => ({
  stream: streamName('approval', String(number)),
  merchant: number % 2 === 0 ? ACME : UMBRELLA,
  events: [
    {
      type: 'ActionProposed',
      data: {
        action: 'release-hold',
        target: `order-${number}`,
        merchant: number % 2 === 0 ? ACME : UMBRELLA,
        proposer: number % 3 === 0 ? KIM : ANN,
        reason,
        proposedAt: at(number),
        expiresAt: addMs(at(number), 86_400_000),
      },
    } satisfies ApprovalEvent,
    ...(LIVES[number % LIVES.length] ?? []),
  ],
});

export const approvalCases = (world: ReadModelWorld): void => {
  describe('lists the proposals', () => {
    let model: ReadModel;
    const all = Array.from({ length: COUNT }, (_, number) => number);
    const numbersOf = (records: readonly { readonly view: { readonly target: string } }[]): readonly number[] =>
      records.map(({ view }) => Number(view.target.slice('order-'.length)));
    const isSorted = (numbers: readonly number[], sign: 1 | -1): boolean =>
      numbers.every((number, index) => index === 0 || sign * (at(numbers[index - 1] ?? 0) - at(number)) <= 0);

    beforeEach(async () => {
      model = await world.live(all.map(storyOf));
    });

    it('that wait, of some merchants or of one person, oldest first over all pages', async () => {
      const found: number[] = [];
      let after: ListPlace | undefined;
      do {
        const page = await model.approvals.page({ statuses: ['waiting'] }, { limit: 2, after, isNewestFirst: false });
        found.push(...numbersOf(page.records));
        after = page.next;
      } while (after !== undefined);
      expect([[...found].sort(), isSorted(found, 1)]).toStrictEqual([[0, 3, 6], true]);
      const options = { limit: COUNT, isNewestFirst: true };
      const ofAcme = await model.approvals.page({ statuses: ['approved', 'rejected'], merchants: [ACME] }, options);
      expect([numbersOf(ofAcme.records).toSorted(), isSorted(numbersOf(ofAcme.records), -1)]).toStrictEqual([[2, 4, 8], true]);
      const ofAnn = await model.approvals.page({ statuses: ['approved'], proposer: ANN, merchants: [UMBRELLA] }, options);
      expect(numbersOf(ofAnn.records).toSorted()).toStrictEqual([1, 7]);
      const recent = await model.approvals.page({ statuses: ['waiting'], since: at(6) }, options);
      expect(numbersOf(recent.records)).toStrictEqual([6]);
    });

    it('that an admin approved alone since a time, the newest first', async () => {
      expect(numbersOf(await model.approvals.alone(START, { limit: COUNT }))).toStrictEqual([7, 4, 1]);
      expect(numbersOf(await model.approvals.alone(at(4), { limit: COUNT, merchants: [ACME] }))).toStrictEqual([4]);
      expect(numbersOf(await model.approvals.alone(START, { limit: 1, merchants: [ACME] }))).toStrictEqual([4]);
    });
  });
};

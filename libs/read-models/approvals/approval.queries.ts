import type { Instant, MerchantLogin } from '@app/kernel';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord, type PageAsked, type RecordPage } from '../engine/verified-rows';
import { approvals, IS_ALONE } from './approval.table';
import type { ApprovalStatus, ApprovalView } from './approval.view';

export interface ApprovalFilter {
  readonly statuses: readonly ApprovalStatus[];
  /** Absent: all, also proposals that concern no merchant. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  readonly proposer?: string | undefined;
  /** Proposed at this time or later. */
  readonly since?: Instant | undefined;
}

const isOf = (merchants: ApprovalFilter['merchants'], { merchant }: ApprovalView): boolean =>
  merchants === undefined || merchants.some((login) => login === merchant);

const matches =
  ({ statuses, merchants, proposer }: ApprovalFilter) =>
  (view: ApprovalView): boolean =>
    statuses.includes(view.status) && isOf(merchants, view) && (proposer === undefined || view.proposer === proposer);

/** Proposals of all merchants. Only for operators. */
export class ApprovalQueries {
  readonly #rows: VerifiedRows<ApprovalView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(approvals, reader, projectFromLog);
  }

  /** By the time of the proposal. @throws StoreUnavailable, also after the deadline */
  page(
    filter: ApprovalFilter,
    { isNewestFirst, ...asked }: PageAsked & { readonly isNewestFirst: boolean },
  ): Promise<RecordPage<ApprovalView>> {
    const { statuses, merchants, proposer, since } = filter;
    const named = proposer === undefined ? merchants !== undefined && { merchant: merchants } : { proposer: [proposer] };
    const values = { ...named, status: statuses };
    return this.#rows.page(
      (generation) => ({ table: approvals.tableOf(generation), values, time: 'since', since, isNewestFirst }),
      matches(filter),
      asked,
    );
  }

  /** Actions that an admin approved without a second person and that were proposed since a time, the newest first. */
  async alone(
    since: Instant,
    { merchants, limit }: { readonly merchants?: readonly MerchantLogin[] | undefined; readonly limit: number },
  ): Promise<readonly FoldedRecord<ApprovalView>[]> {
    const values = merchants === undefined ? {} : { merchant: merchants };
    const { records } = await this.#rows.page(
      (generation) => ({ table: approvals.tableOf(generation), values, time: 'since', since, where: IS_ALONE, isNewestFirst: true }),
      (view) => isOf(merchants, view),
      { limit },
    );
    return records;
  }
}

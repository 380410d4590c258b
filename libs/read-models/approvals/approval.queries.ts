import type { StreamName } from '@app/event-store';
import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import { placesIn, type ListPlace } from '../engine/index-parts';
import type { ProjectFromLog } from '../engine/project-from-log';
import type { Reader } from '../engine/reader';
import { VerifiedRows, type FoldedRecord } from '../engine/verified-rows';
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

export type ListedApproval = FoldedRecord<ApprovalView>;

export interface ApprovalPage {
  readonly approvals: readonly ListedApproval[];
  readonly next: ListPlace | undefined;
}

const isSeen =
  ({ statuses, merchants, proposer }: ApprovalFilter) =>
  (view: ApprovalView): boolean =>
    statuses.includes(view.status) &&
    (merchants === undefined || merchants.some((login) => login === view.merchant)) &&
    (proposer === undefined || view.proposer === proposer);

/** Proposals of all merchants. Only for operators. */
export class ApprovalQueries {
  readonly #rows: VerifiedRows<ApprovalView>;

  constructor(reader: Reader, projectFromLog?: ProjectFromLog) {
    this.#rows = new VerifiedRows(approvals, reader, projectFromLog);
  }

  /** By the time of the proposal. @throws StoreUnavailable, also after the deadline */
  async page(
    filter: ApprovalFilter,
    {
      limit,
      after,
      isNewestFirst,
      deadline,
    }: {
      readonly limit: number;
      readonly after?: ListPlace | undefined;
      readonly isNewestFirst: boolean;
      readonly deadline?: Deadline | undefined;
    },
  ): Promise<ApprovalPage> {
    const { statuses, merchants, proposer, since } = filter;
    const named = proposer === undefined ? merchants !== undefined && { merchant: merchants } : { proposer: [proposer] };
    const values = { ...named, status: statuses };
    const places = await this.#rows.read(
      (db, generation) =>
        placesIn(db, { table: approvals.tableOf(generation), values, time: 'since', since, after, isNewestFirst }, limit + 1),
      deadline,
    );
    const shown = places.slice(0, limit);
    const streams = shown.map(({ stream }) => stream);
    return { approvals: await this.#ofStreams(streams, isSeen(filter), deadline), next: places.length > limit ? shown.at(-1) : undefined };
  }

  /** Actions that an admin approved without a second person and that were proposed since a time, the newest first. */
  async alone(since: Instant, { merchants, limit }: { readonly merchants?: readonly MerchantLogin[] | undefined; readonly limit: number }) {
    const places = await this.#rows.read((db, generation) => {
      const parts = { table: approvals.tableOf(generation), values: {}, time: 'since', since, where: IS_ALONE, isNewestFirst: true };
      return placesIn(db, parts, limit);
    });
    const streams = places.map(({ stream }) => stream);
    return this.#ofStreams(streams, (view) => merchants === undefined || merchants.some((login) => login === view.merchant));
  }

  /** In the order of the streams. */
  async #ofStreams(
    streams: readonly StreamName[],
    isMeant: (view: ApprovalView) => boolean,
    deadline?: Deadline,
  ): Promise<readonly ListedApproval[]> {
    if (streams.length === 0) return [];
    const found = await this.#rows.all(
      (db, generation) => approvals.rows(db, generation).where('stream', 'in', streams).execute(),
      () => true,
      deadline,
    );
    const byStream = new Map(found.map((record) => [record.stream, record]));
    return streams.flatMap((stream) => {
      const record = byStream.get(stream);
      return record !== undefined && isMeant(record.view) ? [record] : [];
    });
  }
}

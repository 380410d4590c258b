import { addMs, type GateAlias, type Instant } from '@app/kernel';
import type {
  ChargebackReceived,
  DisputeEvent,
  DisputeReport,
  FraudWarningReceived,
  RecordReport,
  ReportSetAside,
  RepresentmentReported,
  ReversalReported,
} from '@app/orders/domain';
import { afterAcceptance, SAMPLE_AMOUNT } from './sample-facts';

export const REPORTED_AT = afterAcceptance(2_592_000_000);
const HAPPENED_AT: Instant = addMs(REPORTED_AT, -86_400_000);
const GATE = 'sim-a' as GateAlias;
const CASE_ID = 'CB-1';

const common = { gate: GATE, reportId: CASE_ID, source: 'gate', receivedAt: REPORTED_AT } as const;

export const disputeEvents = {
  reversal: (data: Partial<ReversalReported['data']> = {}): ReversalReported => ({
    type: 'ReversalReported',
    data: { ...common, reportId: 'RV-1', operation: 'reversal', amount: SAMPLE_AMOUNT, callbacks: [], ...data },
  }),
  chargeback: (data: Partial<ChargebackReceived['data']> = {}): ChargebackReceived => ({
    type: 'ChargebackReceived',
    data: { ...common, stage: 'first', amount: SAMPLE_AMOUNT, callbacks: [], ...data },
  }),
  representment: (data: Partial<RepresentmentReported['data']> = {}): RepresentmentReported => ({
    type: 'RepresentmentReported',
    data: { ...common, stage: 'first', outcome: 'won', amount: SAMPLE_AMOUNT, callbacks: [], ...data },
  }),
  fraudWarning: (data: Partial<FraudWarningReceived['data']> = {}): FraudWarningReceived => ({
    type: 'FraudWarningReceived',
    data: { ...common, reportId: 'FW-1', callbacks: [], ...data },
  }),
  setAside: (data: Partial<ReportSetAside['data']> = {}): ReportSetAside => ({
    type: 'ReportSetAside',
    data: { ...common, kind: 'chargeback', cause: 'more-than-taken', ...data },
  }),
} as const satisfies Record<string, () => DisputeEvent>;

type Of<Kind extends DisputeReport['kind']> = Extract<DisputeReport, { readonly kind: Kind }>;
const reported = { gate: GATE, reportId: CASE_ID, source: 'gate' } as const;

export const disputeReports = {
  reversal: (members: Partial<Of<'reversal'>> = {}): Of<'reversal'> => ({
    kind: 'reversal',
    ...reported,
    reportId: 'RV-1',
    amount: SAMPLE_AMOUNT,
    ...members,
  }),
  chargeback: (members: Partial<Of<'chargeback'>> = {}): Of<'chargeback'> => ({
    kind: 'chargeback',
    ...reported,
    amount: SAMPLE_AMOUNT,
    ...members,
  }),
  representment: (members: Partial<Of<'representment'>> = {}): Of<'representment'> => ({
    kind: 'representment',
    ...reported,
    outcome: 'won',
    ...members,
  }),
  fraudWarning: (members: Partial<Of<'fraud-warning'>> = {}): Of<'fraud-warning'> => ({
    kind: 'fraud-warning',
    ...reported,
    reportId: 'FW-1',
    ...members,
  }),
} as const;

export const recordReport = (report: DisputeReport, now: Instant = REPORTED_AT): RecordReport => ({
  type: 'RecordReport',
  data: { report, now },
});

export const REPORT_DETAILS = { reasonCode: '10.4', happenedAt: HAPPENED_AT } as const;

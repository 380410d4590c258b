import { Secret, type AttemptKey, type GateAlias, type Instant } from '@app/kernel';
import type {
  Approved,
  CanAuthenticatePayer,
  CanChooseFee,
  CanListen,
  CallLimit,
  ChargeAnswer,
  ChargeRequest,
  ChoiceAnswer,
  ChoiceNeeded,
  ChosenFee,
  Declined,
  Gate,
  GateProfile,
  InquiryAnswer,
  QuoteAnswer,
  RebillMeans,
  RebillRequest,
  SentRequest,
  TransferAnswer,
  TransferRequest,
  VerifyRequest,
} from '@app/gateway-adapters/contract';

export const approvedBy = (key: string): Approved => ({
  kind: 'approved',
  transactionId: `tx-${key}`,
  approvalCode: 'OK1234',
  processedAt: 1_704_067_200_500 as Instant,
});

export const declinedBy = (key: string, code = 116): Declined => ({
  kind: 'declined',
  transactionId: `tx-${key}`,
  code,
  processedAt: 1_704_067_200_500 as Instant,
});

export const timedOut = (): Promise<ChargeAnswer> => Promise.resolve({ kind: 'unknown', cause: 'timeout' });

export const declining =
  (code: number) =>
  ({ key }: { readonly key: AttemptKey }): Promise<ChargeAnswer> =>
    Promise.resolve(declinedBy(key, code));

/** Every answer comes from the test. Counts received requests, as a gate's own records would. */
export class ScriptedGate implements Gate {
  readonly charges: ChargeRequest[] = [];
  readonly completions: AttemptKey[] = [];
  readonly inquiries: AttemptKey[] = [];
  readonly questions: SentRequest[] = [];
  readonly transfers: TransferRequest[] = [];
  readonly verifications: VerifyRequest[] = [];
  readonly rebills: RebillRequest[] = [];
  onCharge: (request: ChargeRequest, limit: CallLimit) => Promise<ChargeAnswer> = ({ key }) => Promise.resolve(approvedBy(key));
  onRebill: (request: RebillRequest) => Promise<ChargeAnswer> = ({ key }) => Promise.resolve(approvedBy(key));
  onVerify: (request: VerifyRequest) => Promise<ChargeAnswer> = ({ key }) => Promise.resolve(approvedBy(key));
  onQuote: () => Promise<QuoteAnswer> = () => Promise.resolve({ kind: 'not-quoted' });
  onInquiry: (key: AttemptKey, limit: CallLimit) => Promise<InquiryAnswer> = () => Promise.resolve({ kind: 'not-found' });
  onTransfer: ((request: TransferRequest) => Promise<TransferAnswer>) | undefined;
  readonly choices: (ChosenFee & { readonly key: AttemptKey })[] = [];
  choosing?: CanChooseFee;
  onComplete: (key: AttemptKey) => Promise<ChargeAnswer> = (key) => Promise.resolve(approvedBy(key));

  readonly profile: GateProfile & { needsTexts: boolean };
  listening?: CanListen;

  constructor(alias: GateAlias) {
    this.profile = {
      alias,
      currencies: [],
      cvvRequired: false,
      threeDSecure: true,
      partialReversal: true,
      partialCapture: true,
      needsTexts: false,
      longestFlightMs: 5_000,
      descriptor: 'test-a',
    };
  }

  rebilling?: NonNullable<Gate['rebilling']>;

  takesInPlaceOfCards(...means: readonly RebillMeans[]): void {
    this.rebilling = {
      means,
      rebill: (request) => {
        this.rebills.push(request);
        return this.onRebill(request);
      },
    };
  }

  offers(options: ChoiceNeeded['options'], onChoice: () => Promise<ChoiceAnswer> = () => Promise.resolve({ kind: 'told' })): void {
    this.onTransfer = () => Promise.resolve({ kind: 'choice-needed', options, session: new Secret('session-at-the-gate') });
    this.choosing = {
      choose: ({ key }, chosen) => {
        this.choices.push({ key, ...chosen });
        return onChoice();
      },
    };
  }

  takesNoCards(): void {
    delete (this as { charging?: unknown }).charging;
  }

  readonly charging = {
    charge: (request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> => {
      this.charges.push(request);
      return this.onCharge(request, limit);
    },
  };
  readonly transferring = {
    transfer: (request: TransferRequest, limit: CallLimit): Promise<TransferAnswer> => {
      this.transfers.push(request);
      return this.onTransfer?.(request) ?? this.onCharge(request, limit);
    },
  };
  readonly verifying = {
    verify: (request: VerifyRequest): Promise<ChargeAnswer> => {
      this.verifications.push(request);
      return this.onVerify(request);
    },
  };
  readonly quoting = { quote: (): Promise<QuoteAnswer> => this.onQuote() };
  readonly inquiring = {
    inquire: (sent: SentRequest, limit: CallLimit): Promise<InquiryAnswer> => {
      const { key } = sent;
      this.inquiries.push(key);
      this.questions.push(sent);
      return this.onInquiry(key, limit);
    },
  };
  readonly payerAuthentication = {
    complete: ({ key }: SentRequest) => {
      this.completions.push(key);
      return this.onComplete(key) as ReturnType<CanAuthenticatePayer['complete']>;
    },
  };
}

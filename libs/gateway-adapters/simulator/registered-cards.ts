import type { AttemptKey, GateAlias } from '@app/kernel';
import type {
  CallLimit,
  CanRebill,
  CanRegisterCards,
  CardAtGate,
  ChargeAnswer,
  RebillMeans,
  RebillRequest,
  RegisterAnswer,
  RegisterRequest,
} from '../contract';
import type { SimulatorLedger } from './ledger/ledger';
import type { Transaction } from './ledger/transaction';

/** When a gate issues its token of a card: never, with each approval, or on request. */
export const TOKENS = ['none', 'approval', 'registration'] as const;
export type Tokens = (typeof TOKENS)[number];

export interface CardReferencesGiven {
  readonly tokens: Tokens;
  /** The scheme's ids, accepted by every such simulator gate of the same ledger. */
  readonly networkTransactions: boolean;
}

const TOKEN = 'SIMTOKEN-';
const NETWORK = 'SIMNET:';

const tokenOf = ({ key }: Transaction): string => `${TOKEN}${key}`;
const networkTransactionIdOf = ({ gate, key }: Transaction): string => `${NETWORK}${gate}:${key}`;

export type ChargeProved = (request: RebillRequest, proved: Transaction, limit: CallLimit | undefined) => Promise<ChargeAnswer>;

/** Cards of the gate's approved transactions, identified only by their last four digits. */
export class RegisteredCards implements CanRebill, CanRegisterCards {
  readonly means: readonly RebillMeans[];

  constructor(
    private readonly alias: GateAlias,
    private readonly ledger: Pick<SimulatorLedger, 'find'>,
    private readonly given: CardReferencesGiven,
    private readonly charge: ChargeProved,
  ) {
    this.means = [
      ...(given.tokens === 'none' ? [] : ['token' as const]),
      ...(given.networkTransactions ? ['network-transaction' as const] : []),
    ];
  }

  async rebill(request: RebillRequest, limit?: CallLimit): Promise<ChargeAnswer> {
    const proved = this.#provedBy(request.by);
    return proved === undefined ? { kind: 'not-asked', cause: 'refused-by-gate' } : this.charge(request, proved, limit);
  }

  register({ key, card }: RegisterRequest, limit?: CallLimit): Promise<RegisterAnswer> {
    if (limit?.signal.aborted === true) return Promise.resolve({ kind: 'not-asked', cause: 'unavailable' });
    const proved = this.#approved(this.alias, key);
    if (proved === undefined) return Promise.resolve({ kind: 'refused', cause: 'refused-by-gate' });
    if (proved.lastFour !== card.lastFour) return Promise.resolve({ kind: 'refused', cause: 'other-card' });
    return Promise.resolve({ kind: 'registered', cardToken: tokenOf(proved) });
  }

  told<Answer extends { readonly kind: string }>(answer: Answer, transaction: Transaction | undefined): Answer {
    if (answer.kind !== 'approved' || transaction === undefined || transaction.chargedBy !== undefined) return answer;
    return {
      ...answer,
      ...(this.given.tokens === 'approval' && { cardToken: tokenOf(transaction) }),
      ...(this.given.networkTransactions && { networkTransactionId: networkTransactionIdOf(transaction) }),
    };
  }

  #provedBy(by: CardAtGate): Transaction | undefined {
    if (!this.means.includes(by.kind)) return undefined;
    if (by.kind === 'token') {
      return by.token.startsWith(TOKEN) ? this.#approved(this.alias, by.token.slice(TOKEN.length) as AttemptKey) : undefined;
    }
    const [, gate = '', key = ''] = by.networkTransactionId.startsWith(NETWORK) ? by.networkTransactionId.split(':') : [];
    return this.#approved(gate as GateAlias, key as AttemptKey);
  }

  #approved(gate: GateAlias, key: AttemptKey): Transaction | undefined {
    const found = this.ledger.find(gate, key);
    return found?.state.status === 'approved' ? found : undefined;
  }
}

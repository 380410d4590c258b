import {
  unreachable,
  type GateAlias,
  type MerchantLogin,
  addMs,
  type Clock,
  type Ids,
  type Instant,
  type Random,
  type Scheduler,
} from '@app/kernel';
import {
  type StreamName,
  type WorkChange,
  type WorkItem,
  ID_LENGTH_MAX,
  metadataOf,
  readChained,
  runDecision,
  traceparentOf,
  type EventStore,
  type Traced,
} from '@app/event-store';
import { workLane, callInTime } from '@app/orders';
import type { Gates, RegisterAnswer, RegisterRequest } from '@app/gateway-adapters/contract';
import { GATE_TIMEOUT_MS, nextInquiryAt } from '@app/orders/domain';
import {
  type CardRegistrationEvent,
  type GateTokenWanted,
  evolve,
  type CardRegistration,
  gateTokens,
  type RecordGateToken,
} from '../domain/card-registration';
import { cardRegistrationCodec } from './card-registration.codec';

export interface GateTokenListener {
  readonly stream: StreamName;
  readonly metadata: { readonly merchant: string };
  readonly event: CardRegistrationEvent;
}

const keyOf = (stream: StreamName, gate: GateAlias): string => `${stream}@${gate}`;

export const wantedGateOf = ({ key, stream }: Pick<WorkItem, 'key' | 'stream'>): GateAlias => key.slice(stream.length + 1) as GateAlias;

/** One work item per token wanted of a gate (architecture, rule 9). */
export const gateTokenWork = ({ stream, metadata, event }: GateTokenListener): readonly WorkChange[] => {
  switch (event.type) {
    case 'GateTokenWanted': {
      const { gate, wantedAt: dueAt } = event.data;
      const merchant = metadata.merchant as MerchantLogin;
      const item = { key: keyOf(stream, gate), stream, task: 'keep-gate-token', dueAt, merchant, lane: workLane(merchant, gate) };
      return [{ kind: 'due', item }];
    }
    case 'GateTokenKept':
    case 'GateTokenRefused':
      return [{ kind: 'done', key: keyOf(stream, event.data.gate) }];
    case 'CardReferenceIssued':
    case 'NetworkTransactionKept':
    case 'CardShredded':
      return [];
    default:
      return unreachable(event);
  }
};

/** After this silence the gate is not asked again until create-card-ref is repeated. */
export const ASKED_FOR_MS = 7 * 24 * 60 * 60 * 1_000;

interface KeepGateTokenPorts {
  readonly store: EventStore;
  readonly gates: Pick<Gates, 'find'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly ids: Ids;
  readonly random: Pick<Random, 'bytes'>;
  /** Receives what a call threw; it never has card data. */
  readonly onAdapterError: (error: unknown, about: { readonly gate: GateAlias; readonly stream: StreamName }) => void;
}

interface Wanted {
  readonly reference: Extract<CardRegistration, { readonly status: 'issued' }>;
  readonly wanted: GateTokenWanted['data'];
  readonly asked: Traced;
  readonly causation: string;
}

type Told = RecordGateToken['data']['told'];

/**
 * Asks a gate for its token of a card. Asking moves no money and is idempotent, so an unknown answer is asked again. Until the token arrives the card
 * itself is charged.
 */
export class KeepGateToken {
  constructor(private readonly ports: KeepGateTokenPorts) {}

  async keep(stream: StreamName, gate: GateAlias): Promise<Instant | undefined> {
    const found = await this.wantedIn(stream, gate);
    if (found === undefined) return undefined;
    const told = this.toldBy(await this.ask(stream, found)) ?? this.givenUp(found.wanted);
    const now = this.ports.clock.now();
    if (told === undefined) return nextInquiryAt(found.wanted.wantedAt, 0, now);
    const { store, ids } = this.ports;
    const { merchant } = found.reference;
    const envelope = {
      ...found.asked,
      causation: found.causation,
      actor: 'orchestrator',
      merchant,
      commandId: ids.next(),
      recordedAt: now,
    };
    const command = { type: 'RecordGateToken' as const, data: { gate, told, now } };
    await runDecision({ store, codec: cardRegistrationCodec, decider: gateTokens, stream, command, envelope });
    return undefined;
  }

  private async wantedIn(stream: StreamName, gate: GateAlias): Promise<Wanted | undefined> {
    let state: CardRegistration = gateTokens.initial;
    let asked: Traced | undefined;
    let causation = '';
    for await (const stored of readChained(this.ports.store, stream)) {
      const event = cardRegistrationCodec.decode(stored);
      state = evolve(state, event);
      causation = stored.id;
      if (event.type !== 'GateTokenWanted' || event.data.gate !== gate) continue;
      const { correlation, callerTrace } = metadataOf(stored);
      asked = { correlation, callerTrace };
    }
    const wanted = state.status === 'issued' ? state.wanted.find((one) => one.gate === gate) : undefined;
    return state.status !== 'issued' || wanted === undefined || asked === undefined
      ? undefined
      : { reference: state, wanted, asked, causation };
  }

  private async ask(stream: StreamName, { reference, wanted, asked }: Wanted): Promise<RegisterAnswer> {
    const { gates, scheduler, random, onAdapterError } = this.ports;
    const { gate, attemptKey, gateOrderId } = wanted;
    const registering = gates.find(gate)?.registering;
    if (registering === undefined) return { kind: 'not-asked', cause: 'unavailable' };
    const { orderId, merchant, endpointId, card } = reference;
    const { bin, lastFour } = card.face;
    const named = { key: attemptKey, orderId, merchant, endpointId, card: { bin, lastFour } };
    const request: RegisterRequest = { ...named, ...(gateOrderId !== undefined && { gateOrderId }) };
    const outcome = await callInTime({
      scheduler,
      timeoutMs: GATE_TIMEOUT_MS,
      call: (limit) => registering.register(request, limit),
      traceparent: () => traceparentOf(asked, random),
    });
    if (outcome.kind === 'answered') return outcome.answer;
    if (outcome.kind === 'failed') onAdapterError(outcome.error, { gate, stream });
    return { kind: 'unknown', cause: outcome.kind === 'late' ? 'timeout' : 'adapter-failed' };
  }

  private toldBy(answer: RegisterAnswer): Told | undefined {
    if (answer.kind === 'refused') return { kind: 'refused', cause: answer.cause };
    if (answer.kind !== 'registered') return undefined;
    const { cardToken: token } = answer;
    // A token that does not fit into an event is useless, and a part of it is a different token.
    const isWhole = token !== '' && token.length <= ID_LENGTH_MAX && token.isWellFormed();
    return isWhole ? { kind: 'registered', token } : { kind: 'refused', cause: 'refused-by-gate' };
  }

  private givenUp({ wantedAt }: GateTokenWanted['data']): Told | undefined {
    return this.ports.clock.now() >= addMs(wantedAt, ASKED_FOR_MS) ? { kind: 'refused', cause: 'given-up' } : undefined;
  }
}

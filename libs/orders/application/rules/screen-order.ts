import { alpha3Of, type Clock } from '@app/kernel';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { parseIp } from '@app/configuration';
import {
  amountsOf,
  screen,
  SEALED_FIELDS,
  type OrderCard,
  type OrderScreened,
  type OrderInProgress,
  type ScreeningInputs,
} from '../../domain';
import { velocityStream } from '../../events/screening.codec';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import { orderTexts } from '../order-texts';
import type { RulesOfVersion, ScreeningRulesRepository } from './screening-rules';
import type { Velocity } from './velocity';

export interface KnownOfCard {
  readonly kept: OrderCard;
  /** At most eight; requested only if a rule needs more of them than the masked card shows. */
  readonly leadingDigits: () => Promise<string>;
  readonly issuerCountry: string | undefined;
}

const namesLongerRanges = ({ prepared: { blockedBins } }: RulesOfVersion, { length: known }: string): boolean =>
  [...blockedBins.keys()].some((length) => length > known);

export interface ScreenOrderPorts {
  readonly rules: ScreeningRulesRepository;
  readonly velocity: Velocity;
  readonly recorder: OrderRecorder;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
}

/**
 * Applies the plan's screening rules. An order counted for its card and then stopped for its address stays counted, so the limits err towards
 * refusing.
 */
export class ScreenOrder {
  constructor(private readonly ports: ScreenOrderPorts) {}

  /**
   * Idempotent per order.
   * @throws VaultUnavailable, StoreUnavailable, OutcomeUnknown
   */
  async screen(open: OpenOrder, rulesVersion: string, { kept, leadingDigits, issuerCountry }: KnownOfCard): Promise<OrderScreened['data']> {
    const { order } = open;
    const rules = await this.ports.rules.rulesOf(rulesVersion);
    const amounts = order.plan.operation === 'account-verification' ? [] : amountsOf(order);
    const digits = namesLongerRanges(rules, kept.face.bin) ? await leadingDigits() : kept.face.bin;
    const fixed = { amounts, leadingDigits: digits, issuerCountry, ...(await this.personalInputs(order, rules)) };
    const screened = { rulesVersion, bin: kept.face.bin, amounts };
    const brokenRule = screen(rules.prepared, { ...fixed, cardCount: 0, ipCount: 0 });
    if (brokenRule !== undefined) return { ...screened, brokenRule, screenedAt: this.ports.clock.now() };
    return { ...screened, ...(await this.counts(open, kept, rules, fixed)), screenedAt: this.ports.clock.now() };
  }

  private async counts(
    open: OpenOrder,
    { uid }: OrderCard,
    { configured: { perCard, perIp }, prepared }: RulesOfVersion,
    fixed: Omit<ScreeningInputs, 'cardCount' | 'ipCount'>,
  ): Promise<Pick<OrderScreened['data'], 'cardCount' | 'ipCount' | 'brokenRule'>> {
    const { ip } = fixed;
    const cardCount = perCard.count > 0 ? await this.countOf(open, 'card', uid, perCard) : undefined;
    const isStopped = cardCount !== undefined && cardCount >= perCard.count;
    const ipCount = perIp.count > 0 && ip !== undefined && !isStopped ? await this.countOf(open, 'ip', ip.toString(16), perIp) : undefined;
    const brokenRule = screen(prepared, { ...fixed, cardCount: cardCount ?? 0, ipCount: ipCount ?? 0 });
    return {
      ...(cardCount !== undefined && { cardCount }),
      ...(ipCount !== undefined && { ipCount }),
      ...(brokenRule !== undefined && { brokenRule }),
    };
  }

  private countOf(open: OpenOrder, what: 'card' | 'ip', value: string, limit: RulesOfVersion['configured']['perCard']): Promise<number> {
    const { velocity, recorder, digests } = this.ports;
    const { merchant, endpointId, orderId } = open.order;
    const stream = velocityStream(digests.onceKey('velocity', [merchant, endpointId, what, value]));
    return velocity.countOf(stream, limit, { orderId, envelope: recorder.envelope(open) });
  }

  private async personalInputs(
    { merchant, customer, details }: OrderInProgress,
    { configured: { blockedCountries, blockedIps, perIp } }: RulesOfVersion,
  ): Promise<Pick<ScreeningInputs, 'customerCountry' | 'ip'>> {
    const { sealer } = this.ports;
    const asksForIp = blockedIps.length > 0 || perIp.count > 0;
    const [country, address] = await Promise.all([
      blockedCountries.length > 0
        ? orderTexts(sealer, { merchant, field: SEALED_FIELDS.customer, sealed: customer }).then((texts) => texts.get('country'))
        : undefined,
      asksForIp
        ? orderTexts(sealer, { merchant, field: SEALED_FIELDS.details, sealed: details }).then((texts) => texts.get('ipAddress'))
        : undefined,
    ]);
    return {
      customerCountry: country === undefined ? undefined : (alpha3Of(country) ?? country),
      ip: address === undefined ? undefined : parseIp(address),
    };
  }
}

import type { StoredEvent } from '@app/event-store';
import { parseAmount, type ClientOrderId, type MerchantLogin } from '@app/kernel';
import { paymentStream } from '@app/payment';
import { SCREENED_BELOW } from '../installation';
import { SMALL_AMOUNT } from '../routings';
import { TEST_CARD_NUMBER } from '../../../support/merchants/signed-requests';
import type { OrderRecord, Told } from '../merchant-records';
import { WRONG_CONTROL } from '../merchant-requests';
import type { World } from '../world';
import type { Report } from './report';
import { acceptedIn } from './switches';

const UNDECIDED: ReadonlySet<string | undefined> = new Set(['20', '99']);

/** A request not signed with the merchant's key is refused and leaves no trace. */
export const checkForged = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const isRefused = ({ fields }: Told): boolean =>
    fields === 'lost' || fields['error-code'] === WRONG_CONTROL || UNDECIDED.has(fields['error-code']);
  for (const { login, forged } of world.merchants)
    for (const [clientOrderId, told] of forged) {
      if (!told.every(isRefused)) report('a forged request is refused', clientOrderId, told);
      const stream = paymentStream(login as MerchantLogin, clientOrderId as ClientOrderId);
      if (events.some((event) => event.stream === stream)) report('a forged request leaves nothing', clientOrderId, stream);
    }
};

/** A sale refused by screening reaches no gate. */
export const checkScreening = (world: World, report: Report): void => {
  if (!world.configurations.isSecondShopScreened) return;
  const leastMinor = parseAmount(SCREENED_BELOW) ?? 0n;
  const asked = new Set<string>(world.gates.flatMap(({ calls }) => [...calls.values()].map(({ orderId }) => orderId)));
  for (const { clientOrderId, kind, amount, order } of world.merchants[1]?.orders.values() ?? [])
    if (kind !== 'accountVerification' && (parseAmount(amount) ?? 0n) < leastMinor && order !== undefined && asked.has(order.orderId))
      report('what screening refuses reaches no gate', clientOrderId, amount);
};

/** If a routing rule names one gate and no operator holds it, no other is called. */
export const checkRouting = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const { gateOfSmallAmounts } = world.configurations;
  if (gateOfSmallAmounts === undefined) return;
  const mostMinor = parseAmount(SMALL_AMOUNT) ?? 0n;
  const elsewhere = world.gates.filter(({ profile }) => profile.alias !== gateOfSmallAmounts);
  const asked = new Set<string>(elsewhere.flatMap(({ calls }) => [...calls.values()].map(({ orderId }) => orderId)));
  for (const { orderId, plan } of acceptedIn(events))
    if (plan?.route?.heldGates?.includes(gateOfSmallAmounts) === true) asked.delete(orderId);
  for (const { clientOrderId, kind, amount, order } of world.merchants[0]?.orders.values() ?? [])
    if (kind !== 'accountVerification' && (parseAmount(amount) ?? 0n) <= mostMinor && order !== undefined && asked.has(order.orderId))
      report('an order goes to the gates of its rule', clientOrderId, amount);
};

/** A card of an order has one reference in both versions of the interface, and another one for receiving. */
export const checkVersions = ({ clientOrderId, cardRefId, cardRefV4 }: OrderRecord, report: Report): void => {
  if (cardRefV4 === undefined) return;
  const { source, destination } = cardRefV4;
  if (source !== cardRefId || destination === undefined || destination === source)
    report('both versions name one card', clientOrderId, { cardRefId, cardRefV4 });
};

/** Only permitted details of a card are shown, and only to its owner's merchant. */
export const checkCardInfo = ({ clientOrderId, cardInfo }: OrderRecord, report: Report): void => {
  if (cardInfo === undefined) return;
  const { type, bin, 'last-four-digits': lastFour } = cardInfo;
  const isShown = type === 'get-card-info-response' && bin === TEST_CARD_NUMBER.slice(0, 6) && lastFour === TEST_CARD_NUMBER.slice(-4);
  if (!isShown || JSON.stringify(cardInfo).includes(TEST_CARD_NUMBER)) report('a registered card is shown to its merchant', clientOrderId, cardInfo);
}; // prettier-ignore

/** A leaked card reference or an intercepted signed request gives no advantage. */
export const checkStrangers = ({ thief, eavesdropper }: World, report: Report): void => {
  for (const answer of thief.answers)
    if (answer['type'] === 'async-response') report('a card is charged by its own merchant', answer['merchant-order-id'] ?? '', answer);
  for (const [nonce, times] of eavesdropper.served) if (times > 1) report('a signed request is served once', nonce, `${times} times`);
};

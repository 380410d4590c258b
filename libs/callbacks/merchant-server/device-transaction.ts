import { unreachable } from '@app/kernel';
import type { CardUidNumbers, OrderSealer } from '@app/card-vault';
import type { DeviceOperation } from '@app/gateway-protocol';
import { orderTexts, type MappedCards, type OpenOrder } from '@app/orders';
import { SEALED_FIELDS, type MappedCard, type Operation, type OrderInProgress, type ReceivingCard } from '@app/orders/domain';
import type { CheckedTransaction } from './check-call';
import type { MappingNotification, NotifiedCard } from './notification-call';
import type { Texts } from './agreement';

const deviceOperationOf = (operation: Operation): DeviceOperation => {
  switch (operation) {
    case 'account-verification':
      return 'verification';
    case 'sale':
    case 'transfer':
      return operation;
    case 'preauth':
      throw new Error('no device asks for a preauth');
    default:
      return unreachable(operation);
  }
};

/**
 * The app's texts about its device and session; empty after erasure.
 * @throws VaultUnavailable
 */
export const deviceTexts = ({ merchant, device }: OrderInProgress, sealer: Pick<OrderSealer, 'unseal'>): Promise<Texts> => {
  if (device === undefined) throw new Error('an order that no device asked for');
  return orderTexts(sealer, { merchant, field: SEALED_FIELDS.device, sealed: device });
};

/** Undefined after the order's texts were erased: there is nothing to echo. */
export const checkedTransaction = ({ plan, endpointId, clientOrderId }: OrderInProgress, texts: Texts): CheckedTransaction | undefined => {
  const accessToken = texts.get('accessToken');
  const nonce = texts.get('nonce');
  const signature = texts.get('signature');
  const token = texts.get('token');
  const serialNumber = texts.get('serialNumber');
  if (accessToken === undefined || nonce === undefined || signature === undefined || token === undefined || serialNumber === undefined) {
    return undefined;
  }
  const source = texts.get('sourceClientCardId');
  const destination = texts.get('destinationClientCardId');
  return {
    operation: deviceOperationOf(plan.operation),
    endpointId,
    invoiceId: clientOrderId,
    serialNumber,
    accessToken,
    nonce,
    signature,
    token,
    ...(source !== undefined && { sourceClientCardId: source }),
    ...(destination !== undefined && { destinationClientCardId: destination }),
  };
};

type Numbers = Pick<CardUidNumbers, 'uidNumber'>;

const toldCard = async (
  { merchant }: OrderInProgress,
  card: ReceivingCard | undefined,
  { cardRefId, uid }: MappedCard,
  vault: Numbers,
): Promise<NotifiedCard> => {
  if (card === undefined) throw new Error('a card was mapped of an order that has none');
  return { serverCardId: cardRefId, uniqueReferenceCardId: await vault.uidNumber(merchant, uid), bin: card.face.bin };
};

/**
 * Undefined after the order's texts were erased.
 * @throws VaultUnavailable
 */
export const mappingNotification = async (
  { order }: Pick<OpenOrder, 'order'>,
  { source, destination }: MappedCards,
  vault: Pick<OrderSealer, 'unseal'> & Numbers,
): Promise<MappingNotification | undefined> => {
  const transaction = checkedTransaction(order, await deviceTexts(order, vault));
  if (transaction === undefined) return undefined;
  const { operation, endpointId, invoiceId, nonce, serialNumber, accessToken, token } = transaction;
  return {
    operation,
    endpointId,
    invoiceId,
    nonce,
    serialNumber,
    accessToken,
    token,
    source: await toldCard(order, order.card, source, vault),
    ...(destination && { destination: await toldCard(order, order.destination, destination, vault) }),
  };
};

import type { CardRefId } from '@app/kernel';
import type { CheckOutcome, MappedCards, MerchantServer, OpenOrder } from '@app/orders';

export class ScriptedMerchantServer implements MerchantServer {
  checks = 0;
  readonly notified: MappedCards[] = [];
  onCheck: () => Promise<CheckOutcome> = () => Promise.resolve({ kind: 'passed' });
  onNotify: () => Promise<'acknowledged' | 'not-acknowledged'> = () => Promise.resolve('acknowledged');

  check(): Promise<CheckOutcome> {
    this.checks++;
    return this.onCheck();
  }

  notify(_order: OpenOrder, cards: MappedCards): Promise<'acknowledged' | 'not-acknowledged'> {
    this.notified.push(cards);
    return this.onNotify();
  }
}

export const mappedCards = ({ order: { orderId, card, destination } }: OpenOrder): MappedCards => {
  if (card === undefined) throw new Error('no card to be mapped');
  return {
    source: { cardRefId: `s${orderId}` as CardRefId, uid: card.uid },
    ...(destination && { destination: { cardRefId: `d${orderId}` as CardRefId, uid: destination.uid } }),
  };
};

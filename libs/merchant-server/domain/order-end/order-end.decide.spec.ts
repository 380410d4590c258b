import type { ClientOrderId } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { later, NOW } from '../../testing/sample-desk';
import { ENDS_TOLD_MAX, orderEnds, type TellOrderEnd } from './order-end.decide';
import type { OrderEndTold } from './order-end.events';

const { given } = deciderSpec(orderEnds);
const end = { clientOrderId: 'inv-1' as ClientOrderId, orderId: 'p0sample0order1r', status: 'approved' } as const;
const tell = (data: Partial<TellOrderEnd['data']> = {}): TellOrderEnd => ({ type: 'TellOrderEnd', data: { ...end, now: NOW, ...data } });
const told = (data: Partial<OrderEndTold['data']> = {}): OrderEndTold => ({ type: 'OrderEndTold', data: { ...end, toldAt: NOW, ...data } });

describe('the end of an order', () => {
  it('is remembered once, however often it is told', () => {
    given().when(tell()).then(told());
    given(told())
      .when(tell({ now: later(1) }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('changes where the gateway corrects itself', () => {
    given(told())
      .when(tell({ status: 'declined' }))
      .then(told({ status: 'declined' }));
    given(told(), told({ status: 'declined' }))
      .when(tell())
      .then(told());
  });

  it('is one for each order of the same client_orderid', () => {
    given(told())
      .when(tell({ orderId: 'r0sample0order1r' }))
      .then(told({ orderId: 'r0sample0order1r' }));
  });

  it('is told so often and no more', () => {
    const often = Array.from({ length: ENDS_TOLD_MAX }, (_, index) => told({ orderId: `order-${index}` }));
    given(...often)
      .when(tell())
      .thenRejected({ reason: 'told-too-often' });
    given(...often)
      .when(tell({ orderId: 'order-1' }))
      .thenRejected({ reason: 'nothing-new' });
  });
});

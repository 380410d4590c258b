import type { ClientOrderId } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { later, NOW } from '../testing/sample-merchant-server';
import { ENDS_MAX, orderEnds, type RecordOrderEnd, type OrderEndTold } from './order-end';

const { given } = deciderSpec(orderEnds);
const end = { clientOrderId: 'inv-1' as ClientOrderId, orderId: 'p0sample0order1r', status: 'approved' } as const;
const record = (data: Partial<RecordOrderEnd['data']> = {}): RecordOrderEnd => ({
  type: 'RecordOrderEnd',
  data: { ...end, now: NOW, ...data },
});
const recorded = (data: Partial<OrderEndTold['data']> = {}): OrderEndTold => ({
  type: 'OrderEndTold',
  data: { ...end, toldAt: NOW, ...data },
});

describe('the end of an order', () => {
  it('is recorded once for repeated callbacks', () => {
    given().when(record()).then(recorded());
    given(recorded())
      .when(record({ now: later(1) }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('changes if the gateway corrects the status', () => {
    given(recorded())
      .when(record({ status: 'declined' }))
      .then(recorded({ status: 'declined' }));
    given(recorded(), recorded({ status: 'declined' }))
      .when(record())
      .then(recorded());
  });

  it('is recorded separately for each order with the same client_orderid', () => {
    given(recorded())
      .when(record({ orderId: 'r0sample0order1r' }))
      .then(recorded({ orderId: 'r0sample0order1r' }));
  });

  it('is rejected beyond the maximum number for one client_orderid', () => {
    const often = Array.from({ length: ENDS_MAX }, (_, index) => recorded({ orderId: `order-${index}` }));
    given(...often)
      .when(record())
      .thenRejected({ reason: 'too-many' });
    given(...often)
      .when(record({ orderId: 'order-1' }))
      .thenRejected({ reason: 'nothing-new' });
  });
});

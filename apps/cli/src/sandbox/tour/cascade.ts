import type { PlacedOrder, TourVisit } from './tour-visit';

/** Any CVV without a meaning of its own: every gate of the simulator declines it with 100 (protocol decisions, section 9). */
const DECLINED_EVERYWHERE = '555';

export const cascade = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('A cascade', 'Endpoint 1002 has two gates. Where one declines with 100 the next is asked; here both decline.');
  const order = await visit.place(visit.sale('cascade', { endpoint: '1002', cvv2: DECLINED_EVERYWHERE, currency: 'EUR' }));
  const status = await visit.final(order);
  visit.claim('declined with code 100', status.get('status') === 'declined' && status.get('error-code') === '100');
  visit.claim('the second gate had the last word', status.get('original-gate-descriptor') === 'test-b');
  return order;
};

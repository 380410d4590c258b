import type { CardRefId, MerchantLogin } from '@app/kernel';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { OpenOrder } from '@app/orders';
import { type AcceptedDeviceOrder, type OrderFact, attempts } from '@app/orders/domain';
import {
  ATTEMPT_HISTORIES,
  DESTINATION_MAPPED,
  DESTINATION_REF,
  sampleCard,
  sampleDeviceOrder,
  sampleGates,
  sampleReceivingCard,
  seededIds,
  SOURCE_MAPPED,
  SOURCE_REF,
  VirtualClock,
} from '@app/testing';
import { IssuedReferences } from './issued-references';
import { MapCards } from './map-cards';
import { RegisterCardHandler } from './register-card.handler';

const MERCHANT = 'acme' as MerchantLogin;
const { merchant, orderId, clientOrderId, endpointId, customer } = sampleDeviceOrder();
const APPROVED = ATTEMPT_HISTORIES.approved.reduce((state, event) => attempts.evolve(state, event), attempts.initial);

const openOrder = (order: Partial<AcceptedDeviceOrder> & Partial<OpenOrder['order']> = {}, isApproved = true): OpenOrder =>
  ({
    stream: 'transfer-x',
    correlation: '00000000-0000-0000-0000-000000000001',
    causation: 'event-4',
    order: { ...sampleDeviceOrder(), ...order },
    processing: { attempts: isApproved ? APPROVED : attempts.initial },
  }) as unknown as OpenOrder;

const setUp = (fact?: OrderFact) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const digests = { cardRefId: (_merchant: string, _order: string, use: string) => (use === 'source' ? SOURCE_REF : DESTINATION_REF) };
  const ports = { store, digests, gates: sampleGates(), clock, ids: seededIds(3) };
  const register = new RegisterCardHandler({ ...ports, orders: { orderOf: () => Promise.resolve(fact) } });
  const references = new IssuedReferences(store);
  return { mapping: new MapCards(ports), another: new MapCards({ ...ports, ids: seededIds(4) }), register, references };
};

describe('mapping the cards of an approved device order (interface, section 4.8)', () => {
  it('issues a source reference and a destination reference for the cards of a transfer', async () => {
    const { mapping, references } = setUp();
    await expect(mapping.map(openOrder())).resolves.toEqual({ source: SOURCE_MAPPED, destination: DESTINATION_MAPPED });
    const known = { orderKind: 'transfer', orderId, clientOrderId, endpointId, customer };
    await expect(references.find(MERCHANT, SOURCE_REF)).resolves.toMatchObject({ use: 'source', card: sampleCard(), ...known });
    await expect(references.find(MERCHANT, DESTINATION_REF)).resolves.toMatchObject({
      use: 'destination',
      card: sampleReceivingCard(),
      ...known,
    });
  });

  it('issues the same references if repeated, also concurrently and from another process', async () => {
    const { mapping, another } = setUp();
    const first = await mapping.map(openOrder());
    await expect(mapping.map(openOrder())).resolves.toEqual(first);
    await expect(another.map(openOrder())).resolves.toEqual(first);
    await expect(Promise.all([mapping.map(openOrder()), another.map(openOrder())])).resolves.toEqual([first, first]);
  });

  it('keeps the reference of a card that was given by reference', async () => {
    const { mapping, references } = setUp();
    const cardRefId = 'g0given0reference00c' as CardRefId;
    const destinationCardRefId = 'h0given0reference00c' as CardRefId;
    await expect(mapping.map(openOrder({ cardRefId, destinationCardRefId }))).resolves.toEqual({
      source: { ...SOURCE_MAPPED, cardRefId },
      destination: { ...DESTINATION_MAPPED, cardRefId: destinationCardRefId },
    });
    await expect(references.find(MERCHANT, SOURCE_REF)).resolves.toBeUndefined();
  });

  it('issues only a source reference for a sale', async () => {
    const { mapping } = setUp();
    const { destination: _destination, ...order } = sampleDeviceOrder();
    const open = { ...openOrder(), order };
    await expect(mapping.map(open)).resolves.toEqual({ source: SOURCE_MAPPED });
  });

  it('issues the references that create-card-ref returns after the order is final', async () => {
    const fact = {
      orderKind: 'transfer',
      orderId,
      clientOrderId,
      endpointId,
      card: sampleCard(),
      customer,
      end: { kind: 'approved' },
    } as const;
    const { mapping, register } = setUp(fact);
    await mapping.map(openOrder());
    await expect(
      register.handle({ merchant, clientOrderId, orderId, withDestination: true, serial: '00000000-0000-0000-0000-000000000009' }),
    ).resolves.toMatchObject({ reason: 'registered', cardRefId: SOURCE_REF, destinationCardRefId: DESTINATION_REF });
  });

  it('keeps a given reference in create-card-ref, too, and derives a missing destination reference from the source card', async () => {
    const given = 'g0given0reference00c' as CardRefId;
    const receiving = 'h0given0reference00c' as CardRefId;
    const card = sampleCard();
    const fact: OrderFact = { orderKind: 'transfer', orderId, clientOrderId, endpointId, card, customer, end: { kind: 'approved' } };
    const asked = { merchant, clientOrderId, orderId, withDestination: true, serial: '00000000-0000-0000-0000-000000000009' };
    const sale = setUp({ ...fact, mapped: { source: given } });
    await expect(sale.register.handle(asked)).resolves.toMatchObject({ cardRefId: given, destinationCardRefId: DESTINATION_REF });
    await expect(sale.references.find(MERCHANT, SOURCE_REF)).resolves.toBeUndefined();
    await expect(sale.references.find(MERCHANT, DESTINATION_REF)).resolves.toMatchObject({ use: 'destination', card });
    const transfer = setUp({ ...fact, mapped: { source: given, destination: receiving } });
    await expect(transfer.register.handle(asked)).resolves.toMatchObject({ cardRefId: given, destinationCardRefId: receiving });
    await expect(transfer.references.find(MERCHANT, DESTINATION_REF)).resolves.toBeUndefined();
  });

  it('throws without an approved attempt and without a card', async () => {
    const { mapping } = setUp();
    await expect(mapping.map(openOrder({}, false))).rejects.toThrow('no card has proved itself');
    const { card: _card, ...order } = sampleDeviceOrder();
    await expect(mapping.map({ ...openOrder(), order })).rejects.toThrow('no card has proved itself');
  });
});
